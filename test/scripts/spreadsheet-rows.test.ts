import { expect, it } from 'vitest'
import type { Column } from '../../scripts/spreadsheets/columns.ts'
import { linesOf, toEntries } from '../../scripts/spreadsheets/entries.ts'

const COMMON = { full_name: 'Iso Um', cpf: '529.982.247-25', process: 'BR-2026-001' }

/** Rows of one person from line 2 on. */
const rowsOf = (...rows: Partial<Record<Column, string>>[]) =>
  rows.map((texts, at) => ({
    line: at + 2,
    texts: { ...COMMON, ...texts },
    problems: [],
    notes: [],
    source: { number: at + 2, cells: [] },
  }))

it('rows of one person may spell the names of lists differently, and are one person with two groups', () => {
  const entries = toEntries(
    rowsOf(
      { category: 'conego', group: 'Grupo 4' },
      { category: 'Cônego', group: 'Grupo 5' },
    ),
  )
  expect(entries.map((entry) => [linesOf(entry), entry.problems])).toEqual([[[2, 3], []]])
  expect(entries[0]?.person?.groups).toHaveLength(2)
})

it('rows of one person with other data are refused', () => {
  const entries = toEntries(
    rowsOf(
      { category: 'Cônego', group: 'Grupo 4' },
      { category: 'Pároco', group: 'Grupo 5' },
    ),
  )
  expect(entries[1]?.problems).toEqual(['a mesma pessoa da linha 2, com outros dados'])
})
