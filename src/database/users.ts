import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { questionnaireStatus } from '../domain/completion.ts'
import { fullName } from '../domain/names.ts'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './client.ts'
import type { roles, users } from './schema.ts'

/** A condition: the user has a role. */
export const hasRole = (role: RoleSlug) =>
  sql`users.role_id = (select id from roles where slug = ${sql.raw(`'${role}'`)})`

/** A user, or null. One round trip. */
export async function readUser(db: Database, role: RoleSlug, id: string): Promise<UserRow | null> {
  const [row] = await selectUser(db, role, id)
  return row ?? null
}

/** Builds the query of one user, for a batch. */
export function selectUser(db: Database, role: RoleSlug, id: string) {
  return db
    .select(userColumns)
    .from(sql`users`)
    .where(sql`users.id = ${id} and ${hasRole(role)}`)
}

type Described = { id: number; name: string; description: string; active: boolean }
type Diocese = { id: number; name: string; state: string; active: boolean }
type Process = { id: string; name: string; protocol: string }
type Group = { id: string; name: string; color: string; description: string }
export type Membership = {
  process: Process
  group: Group
  questionnaires: number
  completed: number
}

/** A column of the user row. */
const own = <Value>(column: keyof typeof users.$inferSelect) =>
  sql.raw(`users.${column}`).as(column) as SQL.Aliased<Value>

const flag = (name: string, condition: string) =>
  sql.raw(`users.${condition}`).mapWith(Boolean).as(name)

/** JSON built by SQLite, because a D1 batch merges columns of the same name. */
const json = <Value>(name: string, expression: SQLWrapper) =>
  sql`${expression}`.mapWith(JSON.parse).as(name) as SQL.Aliased<Value>

const reference = <Value>(name: string, table: string, fields: string) =>
  json<Value | null>(
    name,
    sql.raw(`(
      select json_object(${fields}, 'active', json(iif(active, 'true', 'false')))
      from ${table} where ${table}.id = users.${name}_id)`),
  )

const DESCRIBED = "'id', id, 'name', name, 'description', description"

/** The groups of a user as JSON, in order of association. */
export const MEMBERSHIPS = sql`(
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
  where informer_groups.informer_id = users.id)`

/** The columns of a user, of queries of `users`. */
export const userColumns = {
  id: own<string>('id'),
  first_name: own<string>('first_name'),
  last_name: own<string | null>('last_name'),
  initials: own<string>('initials'),
  email: own<string | null>('email'),
  email_verification_required: flag('email_verification_required', 'email_verification_required'),
  is_email_verified: flag('is_email_verified', 'email_verified_at is not null'),
  has_password: flag('has_password', 'password_hash is not null'),
  cpf: own<string | null>('cpf'),
  phone: own<string | null>('phone'),
  img_url: own<string | null>('img_url'),
  role: json<typeof roles.$inferSelect>(
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
  memberships: json<Membership[]>('memberships', MEMBERSHIPS),
}

export type UserRow = Awaited<ReturnType<typeof selectUser>>[number]

/** What every user has in responses. */
export function toPerson(row: UserRow) {
  const { id, first_name, last_name, category, treatment_pronoun, diocese, memberships, ...own } =
    row
  const { email_verification_required, ...others } = own
  return { id, first_name, last_name, full_name: fullName(row), ...others }
}

/** An informer in responses. */
export type Informer = ReturnType<typeof toInformer>

export function toInformer(row: UserRow) {
  const { category, treatment_pronoun, diocese } = row
  const processes_groups = row.memberships.map(({ process, group, ...counts }) => ({
    process,
    group,
    ...questionnaireStatus(counts),
  }))
  const { process = null, group = null } = processes_groups[0] ?? {}
  return {
    ...toPerson(row),
    category,
    treatment_pronoun,
    diocese,
    process,
    group,
    processes_groups,
  }
}
