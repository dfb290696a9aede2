import { env } from 'cloudflare:workers'
import { getTableColumns } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { type ReferenceTable, readReferenceList } from '../../src/database/reference-lists.ts'
import { categories, dioceses, treatmentPronouns } from '../../src/database/schema.ts'

const db = openDatabase(env.DB)
const read = async (table: ReferenceTable, known: string | null = null) => {
  const list = await readReferenceList(db, table, known)
  return list ?? expect.unreachable('the list has not changed')
}
const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run()

describe.each([
  ['categories', categories, 'description'],
  ['dioceses', dioceses, 'state'],
  ['treatment_pronouns', treatmentPronouns, 'description'],
] as const)('readReferenceList of %s', (name, table, second) => {
  const insert = (id: number | null, text: string) =>
    run(`insert into ${name} (id, name, ${second}) values (?, ?, 'XX')`, id, text)

  /** The rows as the database returns them, by column. */
  async function expected() {
    const { results } = await env.DB.prepare(`select * from ${name} order by id`).all()
    const columns = Object.keys(getTableColumns(table))
    return Object.fromEntries(
      columns.map((column) => [
        column,
        results.map((row) => (column === 'active' ? row[column] === 1 : row[column])),
      ]),
    )
  }

  beforeEach(async () => {
    await run(`update users set category_id = null, diocese_id = null, treatment_pronoun_id = null`)
    await run(`delete from ${name}`)
  })

  it('returns every row by column', async () => {
    await insert(null, 'São "José"\n\\ 😀')
    await insert(null, 'Inativa')
    await run(`update ${name} set active = 0 where name = 'Inativa'`)
    const { columns } = await read(table)
    expect(columns).toEqual(await expected())
    expect(columns.active).toEqual([true, false])
  })

  it.each([
    ['of none', []],
    ['at the start and end of a range', [1, 199, 200, 399, 400]],
    ['around a range without any', [1, 5000]],
    ['of all sizes', [1, 2, 3, 201, 1_000_000]],
    ['of 0', [0]],
  ])('returns the rows of ids %s', async (_, ids) => {
    for (const id of ids) await insert(id, `Nome ${id}`)
    const { columns } = await read(table)
    expect(columns.id).toEqual(ids)
    expect(columns).toEqual(await expected())
  })

  it('returns null if the list has not changed', async () => {
    await insert(null, 'Nome')
    const { revision } = await read(table)
    expect(await readReferenceList(db, table, revision)).toBe(null)
    expect(await readReferenceList(db, table, revision.slice(1))).not.toBe(null)
  })

  it.each([
    ['an inserted row', () => insert(null, 'Outra')],
    ['an updated row', () => run(`update ${name} set ${second} = 'YY' where name = 'Nome'`)],
    ['a deleted row', () => run(`delete from ${name} where name = 'Nome'`)],
  ])('has another revision after %s, as only this list', async (_, write) => {
    await insert(null, 'Nome')
    const others = [categories, dioceses, treatmentPronouns].filter((other) => other !== table)
    const revisions = await Promise.all(others.map(async (other) => (await read(other)).revision))
    const { revision } = await read(table)
    await write()
    const changed = await read(table, revision)
    expect(changed.revision).toMatch(/^[0-9a-f]{16}$/)
    expect(changed.revision).not.toBe(revision)
    expect(changed.columns).toEqual(await expected())
    for (const [index, other] of others.entries())
      expect(await readReferenceList(db, other, revisions[index] ?? '')).toBe(null)
  })
})

it('readReferenceList returns 600 rows of the longest texts that provisioning allows', async () => {
  const longest = (characters: number) => '😀'.repeat(characters - 4)
  await run('update users set category_id = null')
  await run('delete from categories')
  await run(
    `insert into categories (name, description)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
     select substr(i || ?1, 1, 255), ?2 from n`,
    longest(259),
    longest(2004),
  )
  const { columns } = await read(categories)
  expect(columns.id).toHaveLength(600)
  expect(new TextEncoder().encode(JSON.stringify(columns)).length).toBeGreaterThan(5_000_000)
})
