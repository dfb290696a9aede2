import { openDatabase } from '../../src/database/client.ts'
import { DocumentError, parseDocument } from './document.ts'
import { matchUsers } from './identity.ts'
import { type Plan, planChanges } from './plan.ts'
import { findProblems } from './problems.ts'
import { rowsOf } from './rows.ts'
import { readState } from './state.ts'
import { writePlan } from './write.ts'

/** Row counts by table. Applying a document again changes nothing. */
export type Report = Record<
  keyof Plan,
  { added: number; changed: number; removed: number; unchanged: number }
>

/**
 * Applies a document in one transaction: updates rows with a known natural key, and adds the others. Rows that are not
 * in the document stay, except the other groups of an informer with `groups_are_complete`. Existing passwords and
 * changelog entries are never changed.
 *
 * @param content the parsed JSON document
 * @param options.dryRun whether to report only
 * @throws {DocumentError} if it is invalid or conflicts with the database; nothing is changed
 */
export async function applyDocument(
  binding: D1Database,
  content: unknown,
  { dryRun = false } = {},
): Promise<Report> {
  const db = openDatabase(binding)
  const { document, problems } = parseDocument(content)
  const rows = rowsOf(document)
  const state = await readState(db, rows)
  const { users, problems: identityProblems } = matchUsers(rows.people, state.users)
  problems.push(...findProblems(rows, state), ...identityProblems)
  if (problems.length > 0) throw new DocumentError(problems)

  const plan = planChanges(rows, state, users)
  if (!dryRun) await writePlan(db, plan)
  const counts = Object.entries(plan).map(([table, { added, changed, removed, unchanged }]) => [
    table,
    { added: added.length, changed: changed.length, removed: removed.length, unchanged },
  ])
  return Object.fromEntries(counts)
}
