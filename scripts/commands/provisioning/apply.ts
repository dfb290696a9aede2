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
  const rows = await planRows(service, document)
  const counts: Report['counts'] = new Map()
  for (const { table } of rows) counts.set(table, { created: 0, known: 0 })
  const refusals: string[] = []

  await forEachConcurrently(rows, async ({ table, path, collection, row, isMissing }) => {
    const ofTable = counts.get(table)
    if (!ofTable) return
    if (!isMissing) {
      ofTable.known += 1
      return
    }
    try {
      if (!dryRun) await create(service, collection, row)
      ofTable.created += 1
    } catch (error) {
      if (!isRefusal(error)) throw error
      refusals.push(...error.reasons.map((reason) => `${path}: ${reason}`))
    }
  })
  return { counts, refusals }
}
