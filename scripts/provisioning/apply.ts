import { openDatabase } from '../../src/database/client.ts'
import { DocumentError, parseDocument } from './document.ts'
import { identifyPeople } from './identity.ts'
import { type Plan, planChanges } from './plan.ts'
import { findProblems } from './problems.ts'
import { rowsOf } from './rows.ts'
import { readState } from './state.ts'
import { type OnProgress, writePlan } from './write.ts'

/** Rows by table. A document that is applied again changes none. */
export type Report = Record<
  keyof Plan,
  { added: number; changed: number; removed: number; unchanged: number }
>

/**
 * Applies a document in one transaction. What is known by its natural key is brought to what the document says,
 * the rest is added. What the document leaves out stays, but for groups of an informer whose groups it calls
 * complete. A password is set only where there is none, a changelog entry is only added.
 *
 * @param content the document as parsed from JSON
 * @param options.dryRun whether the report is made and nothing is written
 * @throws {DocumentError} where it contradicts itself or the database; then nothing is changed
 */
export async function applyDocument(
  binding: D1Database,
  content: unknown,
  { dryRun = false, onProgress = () => {} }: { dryRun?: boolean; onProgress?: OnProgress } = {},
): Promise<Report> {
  const db = openDatabase(binding)
  const { document, problems } = parseDocument(content)
  const rows = rowsOf(document)
  const state = await readState(db, rows)
  const { users, problems: identityProblems } = identifyPeople(rows.people, state.users)
  problems.push(...findProblems(rows, state), ...identityProblems)
  if (problems.length > 0) throw new DocumentError(problems)

  const plan = planChanges(rows, state, users)
  if (!dryRun) await writePlan(db, plan, onProgress)
  const counts = Object.entries(plan).map(([table, { added, changed, removed, unchanged }]) => [
    table,
    { added: added.length, changed: changed.length, removed: removed.length, unchanged },
  ])
  return Object.fromEntries(counts)
}
