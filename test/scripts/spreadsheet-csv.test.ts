import fc from 'fast-check'
import { strToU8, Zip, ZipDeflate } from 'fflate'
import { expect, it } from 'vitest'
import { readCsv } from '../../scripts/spreadsheets/csv-input.ts'
import { toCsv } from '../../scripts/spreadsheets/csv-output.ts'
import { readXlsx } from '../../scripts/spreadsheets/xlsx.ts'
import { rowsXml, xlsxParts } from './spreadsheet-files.ts'

const rank = (cells: string[]) => cells.filter((cell) => cell === 'Nome').length

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
      const [, ...read] = readCsv(csv.replace('\uFEFF', ''), rank)
      const padded = read.map(({ number, cells: [a = '', b = ''] }) => [number, a, b])
      const expected = rows
        .map(([a, b], at) => [at + 2, a, b])
        .filter(([, a, b]) => a !== '' || b !== '')
      expect(padded).toEqual(expected)
    }),
  )
})

it('reads an XLSX that was written as a stream, without sizes in front of its parts', () => {
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const parts = xlsxParts(rowsXml([['Nome'], ['Ana'.repeat(1000)]]))
  for (const [path, bytes] of Object.entries({
    ...parts,
    'docProps/app.xml': strToU8('<a/>'),
  })) {
    const part = new ZipDeflate(path)
    zip.add(part)
    part.push(bytes, true)
  }
  zip.end()

  expect(readXlsx(Buffer.concat(chunks)).map(({ cells }) => cells)).toEqual([
    ['Nome'],
    ['Ana'.repeat(1000)],
  ])
})
