import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readCsv, toCsv } from '../../scripts/commands/spreadsheets/csv.ts'
import { runs } from '../support/depth.ts'

/** Texts as the service has them, and what a spreadsheet program would trip over. */
const cell = fc
  .string({
    unit: fc.constantFrom('a', 'é', ' ', '=', '+', "'", '"', ';', ',', '\t', '-', '@'),
  })
  .map((text) => text.trim())

it('what is written as CSV is read as it was, whatever the cells say', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
      const csv = toCsv([['Nome', 'Telefone'], ...rows.map(([a, b]) => [a, b])])
      const [, ...read] = readCsv(csv.replace('\uFEFF', ''))
      const padded = read.map(({ number, cells: [a = '', b = ''] }) => [number, a, b])
      const expected = rows
        .map(([a, b], at) => [at + 2, a, b])
        .filter(([, a, b]) => a !== '' || b !== '')
      expect(padded).toEqual(expected)
    }),
    { numRuns: runs(100) },
  )
})
