import { forEachConcurrently } from '../../lib/concurrency.ts'
import type { Service } from '../service/service-call.ts'
import { create } from '../service/service-client.ts'
import { isRefusal } from '../service/service-error.ts'
import type { Document } from './document.ts'
import { planRows } from './plan.ts'

/** Row counts by table, and why rows were refused. */
export type Report = {
  counts: Map<string, { created: number; known: number }>
  refusals: string[]
}

/**
 * Creates the rows of a document that a service lacks, by requests of an administrator, and changes
 * nothing. May be interrupted and repeated.
 */
export async function applyDocument(
  service: Service,
  document: Document,
  dryRun = false,
): Promise<Report> {
  const counts: Report['counts'] = new Map()
  const refusals: string[] = []
  const rows = await planRows(service, document)
  for (const [table, ofTable] of Map.groupBy(rows, (row) => row.table)) {
    const missing = ofTable.filter(({ isMissing }) => isMissing)
    let created = 0
    await forEachConcurrently(missing, async ({ path, collection, row }) => {
      try {
        if (!dryRun) await create(service, collection, row)
        created += 1
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusals.push(...error.reasons.map((reason) => `${path}: ${reason}`))
      }
    })
    counts.set(table, { created, known: ofTable.length - missing.length })
  }
  return { counts, refusals }
}
