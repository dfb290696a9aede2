import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetOf, paginationOf } from '#domain/pagination.ts'

const page = fc.record({
  page: fc.integer({ min: 1, max: 1000 }),
  perPage: fc.integer({ min: 1, max: 100 }),
})

describe('paginationOf', () => {
  it.each([
    [1, 0, 1, 0, 0, false],
    [1, 12, 1, 1, 12, false],
    [1, 13, 2, 1, 12, true],
    [2, 13, 2, 13, 13, false],
    [3, 13, 2, 0, 0, false],
  ])('of page %i in %i', (page, total, last_page, from, to, has_more_pages) => {
    expect(paginationOf({ page, perPage: 12 }, total)).toEqual({
      current_page: page,
      per_page: 12,
      total,
      last_page,
      from,
      to,
      has_more_pages,
    })
  })

  it('shows every row exactly once over its pages', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 1, max: 100 }),
        (total, perPage) => {
          const { last_page } = paginationOf({ page: 1, perPage }, total)
          const pages = Array.from({ length: last_page }, (_, at) =>
            paginationOf({ page: at + 1, perPage }, total),
          )
          const shown = pages.flatMap(({ from, to }) => (to === 0 ? [] : range(from, to)))
          expect(shown).toEqual(range(1, total))
          expect(pages.map(({ has_more_pages }) => has_more_pages)).toEqual(
            pages.map((_, at) => at < last_page - 1),
          )
        },
      ),
    )
  })

  it('is empty past the end', () => {
    fc.assert(
      fc.property(page, ({ page, perPage }) => {
        const far = { page: Number.MAX_SAFE_INTEGER - page, perPage }
        expect(Number.isSafeInteger(offsetOf(far))).toBe(true)
        expect(paginationOf(far, 10)).toMatchObject({
          from: 0,
          to: 0,
          has_more_pages: false,
        })
      }),
    )
  })
})

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
