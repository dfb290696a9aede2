import { expect, it } from 'vitest'
import { toEntries } from '../../scripts/import/rows.ts'

const ROW = { full_name: 'Iso Um', cpf: '529.982.247-25', process: 'BR-2026-001' }

it('rows of one person may spell the names of lists differently, and are one person with two groups', () => {
  const entries = toEntries([
    { line: 2, cells: { ...ROW, category: 'conego', group: 'Grupo 4' } },
    { line: 3, cells: { ...ROW, category: 'Cônego', group: 'Grupo 5' } },
  ])
  expect(entries.map(({ lines, problems }) => ({ lines, problems }))).toEqual([
    { lines: [2, 3], problems: [] },
  ])
  expect(entries[0]?.person?.groups).toHaveLength(2)
})

it('rows of one person with other data are refused', () => {
  const entries = toEntries([
    { line: 2, cells: { ...ROW, category: 'Cônego', group: 'Grupo 4' } },
    { line: 3, cells: { ...ROW, category: 'Pároco', group: 'Grupo 5' } },
  ])
  expect(entries[1]?.problems).toEqual(['a mesma pessoa da linha 2, com outros dados'])
})
