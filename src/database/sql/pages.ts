import type { BatchItem } from 'drizzle-orm/batch'
import type { Database } from '#database/client.ts'
import { readAll, type RowQuery } from '#database/transactions.ts'

/** Reads the rows of a page, and counts those of all pages. One round trip. */
export async function readPage<Rows extends BatchItem<'sqlite'>>(
  db: Database,
  rows: Rows,
  counted: RowQuery<{ total: number }>,
): Promise<{ rows: Rows['_']['result']; total: number }> {
  const read = await readAll(db, { rows, counted })
  return { rows: read.rows, total: read.counted[0]?.total ?? 0 }
}
