import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { openDatabase } from '#database/client.ts'
import { jsonRows } from '#database/sql/json-rows.ts'

/** A row of which the JSON has the given length. */
const row = (length: number) => 'x'.repeat(length - 2)

it.each([
  [[], 1],
  [[10], 1],
  [[200_000, 200_000], 1],
  [[200_000, 200_001], 2],
  [[200_000, 200_000, 400_000, 3], 3],
  [[3, 500_000, 3], 3],
])(
  'jsonRows reads rows of %j characters from %i parameters',
  async (lengths, parameters) => {
    const rows = lengths.map(row)
    const query = openDatabase(env.DB)
      .select({ value: sql`value` })
      .from(sql`(${jsonRows(rows)})`)
    expect(query.toSQL().params).toHaveLength(parameters)
    expect((await query).map(({ value }) => value)).toEqual(rows)
  },
)
