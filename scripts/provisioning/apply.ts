import { type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { openDatabase } from '../../src/database/connection.ts'
import { jsonRows } from '../../src/database/json-rows.ts'
import {
  categories,
  changelogs,
  dioceses,
  groups,
  informerCompletions,
  informerGroups,
  NOW,
  processes,
  questionnaires,
  roles,
  treatmentPronouns,
  users,
} from '../../src/database/schema.ts'
import { fullName, initials } from '../../src/domain/names.ts'
import { hashPassword } from '../../src/security/passwords.ts'
import { findKnownUsers, findProblems, type KnownUser, matching, peopleOf } from './check.ts'
import { DocumentError, type ProvisioningDocument } from './document.ts'

/** Rows written, by table. A document that is applied again writes none. */
export type Written = Record<string, number>

/**
 * Applies a document in one transaction. What is known by its natural key is brought to what the document
 * says, the rest is added, and nothing is ever removed: what the document leaves out stays. A password is
 * set only where there is none yet.
 *
 * @throws {DocumentError} where it contradicts itself or the database; then nothing is changed
 */
export async function applyDocument(binding: D1Database, document: ProvisioningDocument): Promise<Written> {
  const db = openDatabase(binding)
  const known = await findKnownUsers(db, document)
  const problems = await findProblems(db, document, known)
  if (problems.length > 0) throw new DocumentError(problems)

  const steps = [
    ...step('categories', document.categories, upsertDescribed(categories)),
    ...step('treatment pronouns', document.treatment_pronouns, upsertDescribed(treatmentPronouns)),
    ...step('dioceses', document.dioceses, upsertDioceses),
    ...step('processes', withIds(document.processes), upsertProcesses),
    ...step('groups', groupsOf(document), upsertGroups),
    ...step('questionnaires', questionnairesOf(document), insertQuestionnaires),
    ...step('users', await usersOf(document, known), upsertUsers),
    ...step('informer groups', associationsOf(document), insertAssociations),
    ...step('completions', completionsOf(document), insertCompletions),
    ...step('changelog entries', withIds(document.changelogs), insertEntries),
  ]
  const dialect = new SQLiteAsyncDialect()
  const results = await binding.batch(
    steps.map(({ statement }) => {
      const query = dialect.sqlToQuery(statement)
      return binding.prepare(query.sql).bind(...query.params)
    }),
  )
  const written: Written = {}
  steps.forEach(({ table }, index) => {
    written[table] = (written[table] ?? 0) + (results[index]?.meta.changes ?? 0)
  })
  return written
}

/** The statements that write one table's rows, in pieces that D1 takes. */
function step<Row>(table: string, rows: Row[], write: (rows: SQL) => SQL) {
  return jsonRows(rows).map((piece) => ({ table, statement: write(sql`json_each(${piece}) as row`) }))
}

const withIds = <Row>(rows: Row[]) => rows.map((row) => ({ ...row, id: crypto.randomUUID() }))

const groupsOf = (document: ProvisioningDocument) =>
  withIds(
    document.processes.flatMap(({ protocol, groups }) => groups.map((group) => ({ protocol, ...group }))),
  )

const questionnairesOf = (document: ProvisioningDocument) =>
  withIds(
    groupsOf(document).flatMap(({ protocol, name, questionnaires }) =>
      questionnaires.map((title) => ({ protocol, group: name, title })),
    ),
  )

/** Known people keep their id; who is without a password, and the document has one, gets it hashed. */
async function usersOf(document: ProvisioningDocument, known: KnownUser[]) {
  const rows = []
  for (const { path, password, ...person } of peopleOf(document)) {
    const [user] = matching(known, { path, ...person })
    const name = { first_name: person.first_name, last_name: person.last_name ?? user?.last_name ?? null }
    rows.push({
      ...person,
      id: user?.id ?? crypto.randomUUID(),
      initials: initials(fullName(name)),
      password_hash: password && !user?.hasPassword ? await hashPassword(password) : null,
    })
  }
  return rows
}

const associationsOf = (document: ProvisioningDocument) =>
  document.informers.flatMap(({ email, cpf, groups }) =>
    groups.map(({ protocol, group }) => ({ email, cpf, protocol, group })),
  )

const completionsOf = (document: ProvisioningDocument) =>
  document.informers.flatMap(({ email, cpf, groups }) =>
    groups.flatMap(({ protocol, group, completed }) =>
      completed.map((title) => ({ email, cpf, protocol, group, title })),
    ),
  )

const field = (name: string) => sql`row.value ->> ${sql.raw(`'${name}'`)}`

const GROUP_OF_ROW = sql`
  join ${processes} on ${processes.protocol} = ${field('protocol')}
  join ${groups} on ${groups.process_id} = ${processes.id} and ${groups.name} = ${field('group')}`

const INFORMER_OF_ROW = sql`
  join ${users} on ${users.email} = ${field('email')} or ${users.cpf} = ${field('cpf')}`

const upsertDescribed = (table: typeof categories | typeof treatmentPronouns) => (rows: SQL) =>
  sql`
  insert into ${table} (name, description, active)
  select ${field('name')}, ${field('description')}, ${field('active')} from ${rows} where true
  on conflict (name) do update
  set description = excluded.description, active = excluded.active, updated_at = ${NOW}
  where (${table.description}, ${table.active}) is not (excluded.description, excluded.active)`

const upsertDioceses = (rows: SQL) => sql`
  insert into ${dioceses} (name, state, active)
  select ${field('name')}, ${field('state')}, ${field('active')} from ${rows} where true
  on conflict (name) do update
  set state = excluded.state, active = excluded.active, updated_at = ${NOW}
  where (${dioceses.state}, ${dioceses.active}) is not (excluded.state, excluded.active)`

const upsertProcesses = (rows: SQL) => sql`
  insert into ${processes} (id, protocol, name)
  select ${field('id')}, ${field('protocol')}, ${field('name')} from ${rows} where true
  on conflict (protocol) do update set name = excluded.name, updated_at = ${NOW}
  where ${processes.name} is not excluded.name`

const upsertGroups = (rows: SQL) => sql`
  insert into ${groups} (id, process_id, name, color, description)
  select ${field('id')}, ${processes.id}, ${field('name')}, ${field('color')}, ${field('description')}
  from ${rows} join ${processes} on ${processes.protocol} = ${field('protocol')} where true
  on conflict (process_id, name) do update
  set color = excluded.color, description = excluded.description, updated_at = ${NOW}
  where (${groups.color}, ${groups.description}) is not (excluded.color, excluded.description)`

const insertQuestionnaires = (rows: SQL) => sql`
  insert into ${questionnaires} (id, group_id, title)
  select ${field('id')}, ${groups.id}, ${field('title')} from ${rows} ${GROUP_OF_ROW} where true
  on conflict (group_id, title) do nothing`

const USER_FIELDS = [
  'last_name',
  'email',
  'cpf',
  'phone',
  'treatment_pronoun_id',
  'category_id',
  'diocese_id',
]

const upsertUsers = (rows: SQL) => sql`
  insert into ${users} (id, role_id, first_name, initials, password_hash, last_name, email, cpf, phone,
    treatment_pronoun_id, category_id, diocese_id)
  select ${field('id')}, ${roles.id}, ${field('first_name')}, ${field('initials')}, ${field('password_hash')},
    ${field('last_name')}, ${field('email')}, ${field('cpf')}, ${field('phone')},
    (select id from ${treatmentPronouns} where name = ${field('treatment_pronoun')}),
    (select id from ${categories} where name = ${field('category')}),
    (select id from ${dioceses} where name = ${field('diocese')})
  from ${rows} join ${roles} on ${roles.slug} = ${field('role')} where true
  on conflict (id) do update
  set first_name = excluded.first_name, initials = excluded.initials, updated_at = ${NOW},
    password_hash = coalesce(users.password_hash, excluded.password_hash),
    ${sql.raw(USER_FIELDS.map((name) => `${name} = coalesce(excluded.${name}, users.${name})`).join(', '))}
  where users.first_name is not excluded.first_name
    or (users.password_hash is null and excluded.password_hash is not null)
    or ${sql.raw(USER_FIELDS.map((name) => `users.${name} is not coalesce(excluded.${name}, users.${name})`).join(' or '))}`

const insertAssociations = (rows: SQL) => sql`
  insert into ${informerGroups} (informer_id, group_id)
  select ${users.id}, ${groups.id} from ${rows} ${GROUP_OF_ROW} ${INFORMER_OF_ROW} where true
  order by row.key
  on conflict (informer_id, group_id) do nothing`

const insertCompletions = (rows: SQL) => sql`
  insert into ${informerCompletions} (informer_id, questionnaire_id)
  select ${users.id}, ${questionnaires.id} from ${rows} ${GROUP_OF_ROW} ${INFORMER_OF_ROW}
  join ${questionnaires} on ${questionnaires.group_id} = ${groups.id} and ${questionnaires.title} = ${field('title')}
  where true
  on conflict (informer_id, questionnaire_id) do nothing`

const insertEntries = (rows: SQL) => sql`
  insert into ${changelogs} (id, version, date, title, description, category, is_published)
  select ${field('id')}, ${field('version')}, ${field('date')}, ${field('title')}, ${field('description')},
    ${field('category')}, ${field('is_published')}
  from ${rows}
  where not exists (
    select 1 from ${changelogs} where version = ${field('version')} and title = ${field('title')})`
