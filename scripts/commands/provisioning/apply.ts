import { forEachConcurrently } from '../../lib/concurrency.ts'
import type { Service } from '../service/service-call.ts'
import { create } from '../service/service-client.ts'
import { isRefusal } from '../service/service-error.ts'
import type { Document } from './document.ts'
import { type PlannedRow, planRows } from './plan.ts'

type Kind = 'added' | 'unchanged' | 'differing'

/** Row counts by table, differences between service and document, and refusals. */
export type Report = {
  counts: Map<string, Record<Kind, number>>
  differences: string[]
  refusals: string[]
}

const NO_ROWS = { added: 0, unchanged: 0, differing: 0 }

/**
 * Creates the rows of a document that a service lacks, by requests of an administrator. Differences
 * are reported and left as they are. May be interrupted and repeated.
 */
export async function applyDocument(
  service: Service,
  document: Document,
  dryRun = false,
): Promise<Report> {
  const rows = await planRows(service, document)
  const report: Report = {
    counts: new Map(rows.map(({ table }) => [table, { ...NO_ROWS }])),
    differences: rows.flatMap((row) => row.differences),
    refusals: [],
  }

  await forEachConcurrently(rows, async (row) => {
    const reasons = row.isMissing ? await createRow(service, row, dryRun) : []
    report.refusals.push(...reasons.map((reason) => `${row.path}: ${reason}`))
    if (reasons.length === 0) countRow(report, row)
  })
  return report
}

/** Creates a row; returns why it is refused. Any other failure ends the run. */
async function createRow(
  service: Service,
  { collection, row, refusal }: PlannedRow,
  dryRun: boolean,
): Promise<string[]> {
  if (refusal) return [refusal]
  if (dryRun) return []
  try {
    await create(service, collection, row)
    return []
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.reasons
  }
}

function countRow(
  { counts }: Report,
  { table, isMissing, differences }: PlannedRow,
): void {
  const known = differences.length > 0 ? 'differing' : 'unchanged'
  const ofTable = counts.get(table)
  if (ofTable) ofTable[isMissing ? 'added' : known] += 1
}
