import { type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from '../../src/database/client.ts'
import { NOW } from '../../src/database/columns.ts'
import { toJsonChunks } from '../../src/database/json-chunks.ts'
import {
  categories,
  changelogs,
  dioceses,
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
  roles,
  treatmentPronouns,
  users,
} from '../../src/database/schema.ts'
import { fold } from '../../src/domain/folding.ts'
import { hashPassword } from '../../src/security/passwords.ts'
import type { Plan } from './plan.ts'

/** Writes a plan in one transaction. Idempotent. */
export async function writePlan(db: Database, plan: Plan): Promise<void> {
  const rowsOf = (table: keyof Plan): object[] => [...plan[table].added, ...plan[table].changed]
  const planned = [...plan.users.added, ...plan.users.changed]
  const people = planned.map(async ({ password, ...user }) => ({
    ...user,
    password_hash: password ? await hashPassword(password) : null,
  }))
  const steps: [rows: object[], statement: (rows: SQL) => SQL][] = [
    [plan.informer_groups.removed, deleteCompletions],
    [plan.informer_groups.removed, deleteAssociations],
    ...listSteps(categories, plan.categories, 'description'),
    ...listSteps(treatmentPronouns, plan.treatment_pronouns, 'description'),
    ...listSteps(dioceses, plan.dioceses, 'state'),
    [rowsOf('processes'), upsert(processes, ['id', 'protocol', 'name'])],
    [rowsOf('groups'), upsert(groups, ['id', 'process_id', 'name', 'color', 'description'])],
    [rowsOf('questionnaires'), upsert(questionnaires, ['id', 'group_id', 'title'])],
    [await Promise.all(people), upsertUsers],
    [rowsOf('informer_groups'), insert(informerGroups, ['informer_id', 'group_id'])],
    [rowsOf('informer_completions'), insert(informerCompletions, ['informer_id', 'questionnaire_id'])],
    [rowsOf('changelogs'), insert(changelogs, ['id', ...ENTRY])],
  ]
  const dialect = new SQLiteAsyncDialect()
  const statements = steps.flatMap(([rows, statement]) =>
    toJsonChunks(rows).map((piece) => {
      const query = dialect.sqlToQuery(statement(sql`json_each(${piece})`))
      return db.$client.prepare(query.sql).bind(...query.params)
    }),
  )
  if (statements.length > 0) await db.$client.batch(statements) // D1 takes no empty batch
}

const ENTRY = ['version', 'date', 'title', 'description', 'category', 'is_published']
const PERSON = ['first_name', 'last_name', 'name_folded', 'initials', 'email', 'cpf', 'phone']

const field = (name: string) => sql.raw(`value ->> '${name}'`)
const idBy = (table: SQLiteTable, key: string, name: string) =>
  sql`(select id from ${table} where ${sql.identifier(key)} = ${field(name)})`

/** Columns whose rows contain the name of the referenced row. */
const REFERENCES = new Map([
  ['role_id', idBy(roles, 'slug', 'role')],
  ['treatment_pronoun_id', idBy(treatmentPronouns, 'name', 'treatment_pronoun')],
  ['category_id', idBy(categories, 'name', 'category')],
  ['diocese_id', idBy(dioceses, 'name', 'diocese')],
])

const insertInto = (table: SQLiteTable, columns: string[], rows: SQL) => {
  const values = columns.map((name) => REFERENCES.get(name) ?? field(name))
  return sql`insert into ${table} (${sql.raw(columns.join(', '))})
    select ${sql.join(values, sql`, `)} from ${rows} where true`
}

/** Inserts missing rows. */
const insert = (table: SQLiteTable, columns: string[]) => (rows: SQL) =>
  sql`${insertInto(table, columns, rows)} on conflict do nothing`

/** Inserts rows, or updates those with the same key, the first column. */
const upsert =
  (table: SQLiteTable, [key = 'id', ...columns]: string[], assignments = columns.map(assign)) =>
  (rows: SQL) =>
    sql`${insertInto(table, [key, ...columns], rows)}
    on conflict (${sql.raw(key)}) do update set ${sql.raw(assignments.join(', '))}, updated_at = ${NOW}`

/** Inserts the new rows of a list, and updates the changed ones by their names. */
function listSteps(
  table: SQLiteTable,
  { added, changed }: { added: { name?: string | undefined }[]; changed: object[] },
  column: string,
): [rows: object[], statement: (rows: SQL) => SQL][] {
  const update = (rows: SQL) => sql`update ${table} set ${sql.raw(column)} = ${field(column)},
    active = ${field('active')}, updated_at = ${NOW} from ${rows} where name = ${field('name')}`
  const named = added.map((row) => ({ ...row, name_folded: fold(row.name ?? '') }))
  return [
    [named, insert(table, ['name', 'name_folded', column, 'active'])],
    [changed, update],
  ]
}

const assign = (column: string) => `${column} = excluded.${column}`

/** A new password ends all sessions. */
const upsertUsers = upsert(
  users,
  ['id', ...REFERENCES.keys(), ...PERSON, 'password_hash'],
  [
    ...[...REFERENCES.keys(), ...PERSON].map(assign),
    'password_hash = coalesce(excluded.password_hash, users.password_hash)',
    'token_version = token_version + (excluded.password_hash is not null)',
  ],
)

const deleteAssociations = (rows: SQL) => sql`
  delete from ${informerGroups} where (informer_id, group_id) in (
    select ${field('informer_id')}, ${field('group_id')} from ${rows})`

const deleteCompletions = (rows: SQL) => sql`
  delete from ${informerCompletions} where (informer_id, questionnaire_id) in (
    select ${field('informer_id')}, ${questionnaires.id} from ${rows}
    join ${questionnaires} on ${questionnaires.group_id} = ${field('group_id')})`
