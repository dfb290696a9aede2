/** The cover as Fastify and better-sqlite3 serve it: one process of Node, the database in it. */
import jwt from '@fastify/jwt'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [, , file = '', secret, texts = ''] = process.argv
const TEXTS = JSON.parse(texts)
const database = new Database(file, { readonly: true })
const userOf = database.prepare(`
  select id, first_name, last_name, email, token_version from users where id = ?`)
const pairsOf = database.prepare(`
  select p.id, p.name, p.protocol, g.id as group_id, g.name as group_name,
    (select count(*) from questionnaires q where q.group_id = g.id) as total,
    (select count(*) from questionnaires q
      join informer_completions c on c.questionnaire_id = q.id and c.informer_id = m.informer_id
      where q.group_id = g.id) as completed
  from informer_groups m join groups g on g.id = m.group_id join processes p on p.id = g.process_id
  where m.informer_id = ? order by m.created_at, m.id`)

function pairOf({ id, name, protocol, group_id, group_name, total, completed }) {
  const begun = completed > 0 ? 'Em andamento' : 'Pendente'
  const is_concluded = completed > 0 && completed === total
  return {
    process: { id, name, protocol },
    group: { id: group_id, name: group_name },
    cover_texts: { line_1: null, line_2: null, ...TEXTS[group_name] },
    is_concluded,
    questionnaire_status: is_concluded ? 'Concluído' : begun,
  }
}

const app = Fastify()
app.register(jwt, { secret })
app.addHook('onRequest', (request) => request.jwtVerify())
app.get('/v1/cover', (request, reply) => {
  const { sub, token_version } = request.user
  const user = userOf.get(sub)
  if (user?.token_version !== token_version) {
    return reply.code(401).send({ success: false })
  }

  const { id, first_name, last_name, email } = user
  const full_name = `${first_name} ${last_name}`
  const processes_groups = pairsOf.all(id).map(pairOf)
  const [{ process, group, cover_texts }] = processes_groups
  const informer = { id, first_name, last_name, full_name, email }
  const data = { informer, process, group, cover_texts, processes_groups }
  return { success: true, data }
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
