import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../src/database/client.ts'
import { toJsonChunks } from '../../src/database/json-chunks.ts'
import { categories, dioceses, processes, treatmentPronouns } from '../../src/database/schema.ts'
import type { RoleSlug } from '../../src/domain/roles.ts'
import { foldedName, keyOf, type Rows, type Table } from './rows.ts'

export type State = Awaited<ReturnType<typeof readState>>

export type User = {
  id: string
  role: RoleSlug
  first_name: string
  last_name: string | null
  name_folded: string
  email: string | null
  cpf: string | null
  phone: string | null
  treatment_pronoun: string | null
  category: string | null
  diocese: string | null
  email_verification_required: number
  has_password: number
}

/**
 * Reads the rows to compare a document with, by their keys: the users and changelog entries that may match, and all
 * rows of the other tables.
 */
export async function readState(db: Database, rows: Rows) {
  const groups = await db.all<{
    id: string
    process_id: string
    name: string
    color: string
    description: string
  }>(sql`
    select groups.id, process_id, protocol, groups.name, groups.name as "group", color, description
    from groups join processes on processes.id = process_id`)
  const questionnaires = await db.all<{ id: string; group_id: string; title: string }>(sql`
    select questionnaires.id, group_id, protocol, groups.name as "group", title from questionnaires
    join groups on groups.id = group_id join processes on processes.id = process_id`)
  const users = await readUsers(db, rows)
  const ids = users.map(({ id }) => id)
  return {
    categories: byKey('categories', await db.select().from(categories)),
    treatment_pronouns: byKey('treatment_pronouns', await db.select().from(treatmentPronouns)),
    dioceses: byKey('dioceses', await db.select().from(dioceses)),
    processes: byKey('processes', await db.select().from(processes)),
    groups: byKey('groups', groups),
    questionnaires: byKey('questionnaires', questionnaires),
    users: byKey('users', users),
    informer_groups: byKey(
      'informer_groups',
      await readPieces<{ informer_id: string; group_id: string }>(
        db,
        ids,
        (piece) => sql`
        select informer_id, group_id from informer_groups where informer_id in (select value from ${piece})`,
      ),
    ),
    informer_completions: byKey(
      'informer_completions',
      await readPieces<{ informer_id: string; questionnaire_id: string; group_id: string }>(
        db,
        ids,
        (piece) => sql`
        select informer_id, questionnaire_id, group_id from informer_completions
        join questionnaires on questionnaires.id = questionnaire_id where informer_id in (select value from ${piece})`,
      ),
    ),
    changelogs: byKey(
      'changelogs',
      await readPieces<{ version: string; title: string }>(
        db,
        rows.changelogs,
        (piece) => sql`
        select version, title from changelogs
        where (version, title) in (select value ->> 'version', value ->> 'title' from ${piece})`,
      ),
    ),
  }
}

/** Users with an email, CPF or name of the document. */
function readUsers(db: Database, { people }: Rows): Promise<User[]> {
  const wanted = people.map(({ role, email, previous_email, cpf, ...names }) => ({
    role,
    email,
    previous_email,
    cpf,
    name_folded: foldedName(names),
  }))
  return readPieces(
    db,
    wanted,
    (piece) => sql`
    select users.id, slug as role, first_name, last_name, users.name_folded, email, cpf, phone,
      treatment_pronouns.name as treatment_pronoun, categories.name as category, dioceses.name as diocese,
      email_verification_required, password_hash is not null as has_password
    from users join roles on roles.id = role_id
    left join treatment_pronouns on treatment_pronouns.id = treatment_pronoun_id
    left join categories on categories.id = category_id
    left join dioceses on dioceses.id = diocese_id
    where users.id in (
      select users.id from ${piece} as wanted join users
      on email in (wanted.value ->> 'email', wanted.value ->> 'previous_email') or cpf = wanted.value ->> 'cpf'
        or name_folded = wanted.value ->> 'name_folded' and role_id = (select id from roles where slug = wanted.value ->> 'role'))`,
  )
}

/** Runs a query on a table of JSON, once per chunk that is small enough for D1. */
async function readPieces<Row>(db: Database, values: unknown[], select: (piece: SQL) => SQL): Promise<Row[]> {
  const pieces = []
  for (const piece of toJsonChunks(values)) pieces.push(await db.all<Row>(select(sql`json_each(${piece})`)))
  return pieces.flat()
}

const byKey = <Row extends object>(table: Table, rows: Row[]) =>
  new Map(rows.map((row) => [keyOf(table, row), row]))
