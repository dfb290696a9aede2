import { type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { openDatabase } from '../../src/database/client.ts'
import { jsonRows } from '../../src/database/json-rows.ts'
import { categories, treatmentPronouns } from '../../src/database/schema.ts'
import { fold } from '../../src/domain/folding.ts'
import { fullName, initials } from '../../src/domain/names.ts'
import { hashPassword } from '../../src/security/passwords.ts'
import { findKnownUsers, findProblems, type KnownUser, matching, peopleOf } from './check.ts'
import { DocumentError, type ProvisioningDocument } from './document.ts'
import {
  insertAssociations,
  insertCompletions,
  insertEntries,
  insertQuestionnaires,
  upsertDescribed,
  upsertDioceses,
  upsertGroups,
  upsertProcesses,
  upsertUsers,
} from './statements.ts'

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
  if (steps.length === 0) return {} // D1 takes no empty batch
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
      name_folded: fold(fullName(name)),
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
