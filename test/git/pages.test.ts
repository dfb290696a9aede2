import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RepositoryUnavailableError } from '../../src/git/errors.ts'
import { type Pages, readComparison, readList } from '../../src/git/pages.ts'

/** A list on a server that sends its last page, or an earlier one, for all pages after it. */
const served = fc.record({
  count: fc.nat(30),
  size: fc.integer({ min: 1, max: 7 }),
  lastPage: fc.integer({ min: 1, max: 10 }),
})

const rowsUpTo = (count: number) =>
  Array.from({ length: count }, (_, number) => String(number))
const keyOf = (row: string) => row

function pageOf(rows: string[], size: number, page: number): string[] {
  return rows.slice((page - 1) * size, page * size)
}

/** All rows, or the error of reading them. */
async function collect(pages: Pages<string>): Promise<string[] | Error> {
  const rows: string[] = []
  try {
    for await (const page of pages) rows.push(...page)
    return rows
  } catch (error) {
    expect(error).toBeInstanceOf(RepositoryUnavailableError)
    return error as Error
  }
}

describe('readList', () => {
  it('reads all rows of a server that knows its pages, whatever their size', () =>
    fc.assert(
      fc.asyncProperty(served, async ({ count, size }) => {
        const rows = rowsUpTo(count)
        const pages = readList(async (page) => pageOf(rows, size, page), keyOf)
        expect(await collect(pages)).toEqual(rows)
      }),
    ))

  it('reads no part of the rows where the server sends a page again', () =>
    fc.assert(
      fc.asyncProperty(served, async ({ count, size, lastPage }) => {
        const rows = rowsUpTo(count)
        const readPage = async (page: number) =>
          pageOf(rows, size, Math.min(page, lastPage))
        const read = await collect(readList(readPage, keyOf))
        if (Array.isArray(read)) expect(read).toEqual(rows)
      }),
    ))

  it('tells a row that moved to the next page once', async () => {
    const pages = [['a', 'b'], ['b', 'c'], []]
    const readPage = async (page: number) => pages[page - 1] ?? []
    expect(await collect(readList(readPage, keyOf))).toEqual(['a', 'b', 'c'])
  })
})

describe('readComparison', () => {
  it('reads all rows, in pages or whole', () =>
    fc.assert(
      fc.asyncProperty(served, async ({ count, size }) => {
        const rows = rowsUpTo(count)
        const readPage = async (page: number) => ({
          rows: pageOf(rows, size, page),
          total: count,
        })
        expect(await collect(readComparison(readPage, keyOf))).toEqual(rows)
      }),
    ))

  it('fails where there are other rows than the server says', () =>
    fc.assert(
      fc.asyncProperty(served, fc.nat(30), async ({ count, size, lastPage }, total) => {
        const rows = rowsUpTo(count)
        const readPage = async (page: number) => ({
          rows: pageOf(rows, size, Math.min(page, lastPage)),
          total,
        })
        const read = await collect(readComparison(readPage, keyOf))
        if (Array.isArray(read)) expect(read).toHaveLength(total)
      }),
    ))
})
