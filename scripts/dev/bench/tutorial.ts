/** The cover as tutorials of Hono and Drizzle write it: middleware, a schema, query builders. */
import { and, asc, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Hono } from 'hono'
import { jwt, type JwtVariables } from 'hono/jwt'
import { logger } from 'hono/logger'
import { secureHeaders } from 'hono/secure-headers'

const [id, name, group_id] = [text(), text(), text()]
const [informer_id, questionnaire_id] = [text(), text()]
const person = { first_name: text(), last_name: text(), email: text() }
const users = sqliteTable('users', { id, ...person, token_version: integer() })
const processes = sqliteTable('processes', { id, name, protocol: text() })
const groups = sqliteTable('groups', { id, process_id: text(), name })
const questionnaires = sqliteTable('questionnaires', { id, group_id })
const pair = { informer_id, group_id, created_at: text() }
const pairs = sqliteTable('informer_groups', { id: integer(), ...pair })
const completions = sqliteTable('informer_completions', { informer_id, questionnaire_id })

const NO_LINES = { line_1: null, line_2: null }
type Env = { DB: D1Database; JWT_SECRET: string; COVER_TEXTS: Record<string, object> }
type Variables = JwtVariables<{ sub: string; token_version: number }>
const app = new Hono<{ Bindings: Env; Variables: Variables }>()
app.use(logger(), secureHeaders())
app.use((c, next) => jwt({ secret: c.env.JWT_SECRET, alg: 'HS256' })(c, next))

app.get('/v1/cover', async (c) => {
  const db = drizzle(c.env.DB)
  const { sub, token_version } = c.get('jwtPayload')
  const [user] = await db.select().from(users).where(eq(users.id, sub))
  if (user?.token_version !== token_version) return c.json({ success: false }, 401)
  const group = { id: groups.id, name: groups.name }
  const isOf = eq(completions.questionnaire_id, questionnaires.id)
  const rows = await db
    .select({ process: processes, group, completed: completions.informer_id })
    .from(pairs)
    .innerJoin(groups, eq(groups.id, pairs.group_id))
    .innerJoin(processes, eq(processes.id, groups.process_id))
    .leftJoin(questionnaires, eq(questionnaires.group_id, groups.id))
    .leftJoin(completions, and(isOf, eq(completions.informer_id, sub)))
    .where(eq(pairs.informer_id, sub))
    .orderBy(asc(pairs.created_at), asc(pairs.id))
  const byGroup = Map.groupBy(rows, (row) => row.group.id)
  const processes_groups = [...byGroup.values()].map((all) => {
    const [{ process, group } = {}] = all
    const completed = all.filter((row) => row.completed !== null).length
    const is_concluded = completed === all.length
    const begun = completed > 0 ? 'Em andamento' : 'Pendente'
    const cover_texts = { ...NO_LINES, ...c.env.COVER_TEXTS[group?.name ?? ''] }
    const questionnaire_status = is_concluded ? 'Concluído' : begun
    return { process, group, cover_texts, is_concluded, questionnaire_status }
  })
  const { token_version: _, ...own } = user
  const informer = { ...own, full_name: `${own.first_name} ${own.last_name}` }
  const { process, group: first, cover_texts } = processes_groups[0] ?? {}
  const cover = { informer, process, group: first, cover_texts, processes_groups }
  return c.json({ success: true, data: cover })
})
export default app
