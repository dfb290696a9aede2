import { count, type SQL, sql } from 'drizzle-orm'
import { questionnaireStatus } from '../domain/completion.ts'
import { fullName } from '../domain/names.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './client.ts'
import { users } from './schema.ts'

type Described = { id: number; name: string; description: string; active: boolean }
type Process = { id: string; name: string; protocol: string }
type Group = { id: string; name: string; color: string; description: string }

type Diocese = { id: number; name: string; state: string; active: boolean }
type Role = { id: number; name: string; slug: RoleSlug; description: string }

/** An informer in responses (specification, 2.1; contract, sections 4 and 9). */
export type Informer = ReturnType<typeof toInformer>

type InformerFilter = {
  /** Folded; '' matches all. */
  search: string
  process_id?: string | undefined
  group_id?: string | undefined
}

/** Excludes administrators. */
export const IS_INFORMER = sql`users.role_id = (select id from roles where slug = 'informer')`

/** One informer, or null. One round trip. */
export async function readInformer(db: Database, id: string): Promise<Informer | null> {
  return firstInformer(await selectInformer(db, id))
}

/**
 * One page of informers, by name, and the total. One round trip. Without filters it scans the index by name up to
 * the page; a group or process reads its own informers; a search scans all. The count scans an index.
 */
export async function listInformers(
  db: Database,
  filter: InformerFilter,
  page: Page,
): Promise<{ informers: Informer[]; total: number }> {
  const where = matches(filter)
  const [rows, [counted]] = await db.batch([
    selectInformers(
      db,
      sql`(
        select id, name_folded from users where ${where}
        order by name_folded, id limit ${page.perPage} offset ${offsetOf(page)}
      ) as page join users on users.id = page.id
      order by page.name_folded, page.id`,
    ),
    db.select({ total: count() }).from(users).where(where),
  ])
  return { informers: rows.map(toInformer), total: counted?.total ?? 0 }
}

function matches({ search, process_id, group_id }: InformerFilter): SQL {
  const isIn = (groups: SQL) =>
    sql`users.id in (select informer_id from informer_groups where group_id in (${groups}))`
  const isOfGroup = group_id && isIn(sql`${group_id}`)
  const isOfProcess = process_id && isIn(sql`select id from groups where process_id = ${process_id}`)
  const isFound = search && sql`(instr(name_folded, ${search}) or instr(email, ${search}) or cpf = ${search})`
  // the plus keeps SQLite from scanning the index by name to find the few informers of a group
  const isInformer = isOfGroup || isOfProcess ? sql`+${IS_INFORMER}` : IS_INFORMER
  return sql.join(
    [isInformer, isOfGroup, isOfProcess, isFound].filter((condition) => condition),
    sql` and `,
  )
}

/** Builds the query of one informer, for a batch. Pass its rows to `firstInformer`. */
export function selectInformer(db: Database, id: string) {
  return selectInformers(db, sql`users where users.id = ${id} and ${IS_INFORMER}`)
}

/** The informer of the only row, or null. */
export function firstInformer([row]: InformerRow[]): Informer | null {
  return row ? toInformer(row) : null
}

type Membership = { process: Process; group: Group; questionnaires: number; completed: number }

/** A column of the user row. */
const own = <Value>(column: keyof typeof users.$inferSelect) =>
  sql.raw(`users.${column}`).as(column) as SQL.Aliased<Value>

/** JSON built by SQLite, because a D1 batch merges columns of the same name. */
const json = <Value>(name: string, expression: SQL) =>
  expression.mapWith(JSON.parse).as(name) as SQL.Aliased<Value>

const reference = <Value>(name: string, table: string, fields: string) =>
  json<Value | null>(
    name,
    sql.raw(`(
      select json_object(${fields}, 'active', json(iif(active, 'true', 'false')))
      from ${table} where ${table}.id = users.${name}_id)`),
  )

const DESCRIBED = "'id', id, 'name', name, 'description', description"

const informerColumns = {
  id: own<string>('id'),
  first_name: own<string>('first_name'),
  last_name: own<string | null>('last_name'),
  initials: own<string>('initials'),
  email: own<string | null>('email'),
  email_verification_required: own<0 | 1>('email_verification_required'),
  cpf: own<string | null>('cpf'),
  phone: own<string | null>('phone'),
  img_url: own<string | null>('img_url'),
  role: json<Role>(
    'role',
    sql`(
      select json_object('id', id, 'name', name, 'slug', slug, 'description', description)
      from roles where roles.id = users.role_id)`,
  ),
  category: reference<Described>('category', 'categories', DESCRIBED),
  treatment_pronoun: reference<Described>('treatment_pronoun', 'treatment_pronouns', DESCRIBED),
  diocese: reference<Diocese>('diocese', 'dioceses', "'id', id, 'name', name, 'state', state"),
  created_at: own<string>('created_at'),
  updated_at: own<string>('updated_at'),
  /** In order of association, like the cover. */
  memberships: json<Membership[]>(
    'memberships',
    sql`(
      select json_group_array(json_object(
        'process', json_object('id', processes.id, 'name', processes.name, 'protocol', processes.protocol),
        'group', json_object('id', groups.id, 'name', groups.name, 'color', groups.color,
          'description', groups.description),
        'questionnaires', (select count(*) from questionnaires where group_id = groups.id),
        'completed', (select count(*) from questionnaires join informer_completions
          on questionnaire_id = questionnaires.id where group_id = groups.id and informer_id = users.id)
      ) order by informer_groups.created_at, informer_groups.id)
      from informer_groups
      join groups on groups.id = informer_groups.group_id
      join processes on processes.id = groups.process_id
      where informer_groups.informer_id = users.id)`,
  ),
}

/**
 * Informers with their references and memberships, one row each.
 *
 * @param source the `from` clause with `users`, and the clauses after it
 */
function selectInformers(db: Database, source: SQL) {
  return db.select(informerColumns).from(source)
}

type InformerRow = Awaited<ReturnType<typeof selectInformers>>[number]

function toInformer(row: InformerRow) {
  const processes_groups = row.memberships.map(({ process, group, ...counts }) => ({
    process,
    group,
    ...questionnaireStatus(counts),
  }))
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullName(row),
    initials: row.initials,
    email: row.email,
    cpf: row.cpf,
    phone: row.phone,
    img_url: row.img_url,
    role: row.role,
    category: row.category,
    treatment_pronoun: row.treatment_pronoun,
    diocese: row.diocese,
    process: processes_groups[0]?.process ?? null,
    group: processes_groups[0]?.group ?? null,
    created_at: row.created_at,
    updated_at: row.updated_at,
    processes_groups,
  }
}
