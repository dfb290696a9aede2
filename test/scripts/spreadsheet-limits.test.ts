import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { deflateRawSync } from 'node:zlib'
import { strToU8, Zip, ZipPassThrough, zipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { xlsx, xlsxParts } from './spreadsheet-files.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

const FILE_SIZE = 'o arquivo tem mais de 20 MB'
const UNPACKED = 'a planilha tem mais de 100 MB depois de descompactada'
const ROW_LENGTH =
  'o CSV é inválido na linha 2: a linha é longa demais, ou tem aspas sem fim'
const TEXT = 'a planilha tem um texto longo demais'
const ROWS = 'a planilha tem mais de 50.000 linhas'
const COLUMNS = 'a planilha tem mais de 200 colunas'
const PICTURE = 'o arquivo é uma imagem, e não uma planilha'
const NO_XLSX = 'o arquivo não é uma planilha XLSX que se possa ler'

const cell = (reference: string) => `<row><c r="${reference}" t="str"><v>x</v></c></row>`

/** A part of a ZIP archive, deflated by Node, which takes a twentieth of the time. */
class Deflated extends ZipPassThrough {
  override compression = 8

  protected override process(content: Uint8Array, isLast: boolean): void {
    this.ondata(null, deflateRawSync(content, { level: 1 }), isLast)
  }
}

/** An XLSX of some hundred KB that unpacks to 120 MB, whatever it says of its size. */
function bomb(row: string): Uint8Array {
  const rows = row.repeat(Math.ceil(120_000_000 / Buffer.byteLength(row)))
  const pieces: Uint8Array[] = []
  const zip = new Zip((_, piece) => void pieces.push(piece))
  for (const [path, content] of Object.entries(xlsxParts(rows))) {
    const part = new Deflated(path)
    zip.add(part)
    part.push(content, true)
  }
  zip.end()
  return Buffer.concat(pieces)
}

/** A long one, so that the file has fewer of them, and the parser takes less time. */
const EMPTY_CELL = `<c s="${'0'.repeat(300)}"/>`

const head = '<row r="1"><c t="str"><v>Nome</v></c></row>'

/** Files that are larger than any register of informers, and what is said of them. */
const TOO_LARGE: [name: string, content: () => string | Uint8Array, message: string][] = [
  ['a CSV of 50 MB', () => `Nome\n${'Ana\n'.repeat(12_500_000)}`, FILE_SIZE],
  [
    'an XLSX of 21 MB',
    () => Buffer.concat([Buffer.from('PK'), Buffer.alloc(21e6)]),
    FILE_SIZE,
  ],
  ['a bomb of empty cells', () => bomb(`<row>${EMPTY_CELL.repeat(3)}</row>`), UNPACKED],
  [
    'a bomb of texts',
    () => bomb(`<row><c t="str"><v>${'ž'.repeat(30_000)}</v></c></row>`),
    UNPACKED,
  ],
  ['a bomb of one text', () => bomb('a'), TEXT],
  [
    'a bomb of long texts',
    () => bomb(`<row><c><v>${'1'.repeat(900_000)}</v></c></row>`),
    TEXT,
  ],
  ['a CSV of one long text', () => `Nome\n${'é'.repeat(9_000_000)}`, ROW_LENGTH],
  ['a CSV of millions of spaces', () => `Nome\n${'; '.repeat(7_000_000)}`, ROW_LENGTH],
  ['a CSV of 50,001 people', () => `Nome\n${'Ana\n'.repeat(50_001)}`, ROWS],
  ['a CSV of a million headings', () => `Nome;${'a;'.repeat(1e6)}\nAna\n`, COLUMNS],
  ['a CSV of 201 columns', () => `Nome${';'.repeat(200)}x\nAna\n`, COLUMNS],
  [
    'an XLSX with a cell at XFD1048576',
    () => zipSync(xlsxParts(head + cell('XFD1048576'))),
    ROWS,
  ],
  ['an XLSX with a cell at XFD2', () => zipSync(xlsxParts(head + cell('XFD2'))), COLUMNS],
  [
    'an XLSX with a cell at A4000000000',
    () => zipSync(xlsxParts(head + cell('A4000000000'))),
    ROWS,
  ],
]

/** Files that are as large as they may be. */
const LARGE = {
  emptyCells: () => `Nome\nAna\n${';'.repeat(19_000_000)}`,
  rows: () => {
    const blank = Array<string>(197).fill('')
    const people = Array<string[]>(19_000).fill(['Ana', '1', ...blank, 'a@example.org'])
    return csv(['Nome', 'Telefone', ...blank, 'E-mail'], ...people)
  },
}

describe('informers:import', () => {
  const MEGABYTES = 500
  const imports = new Map<unknown, Import>()

  beforeAll(async () => {
    const contents = [...TOO_LARGE.map(([, content]) => content), ...Object.values(LARGE)]
    const measured = await measure(contents.map((content) => content()))
    for (const [index, content] of contents.entries()) {
      imports.set(content, measured[index] as Import)
    }
  })

  it.each(TOO_LARGE)('refuses at once %s', (_, content, message) => {
    const { code, stdout, stderr, megabytes } = imports.get(content) as Import
    expect(stderr).toBe(`Não foi possível importar: ${message}\n`)
    expect([code, stdout]).toEqual([1, ''])
    expect(megabytes).toBeLessThan(MEGABYTES)
  })

  it('does not refuse millions of empty cells in a row', () => {
    const { stdout, megabytes } = imports.get(LARGE.emptyCells) as Import
    expect(stdout).toContain('linha 2, Ana: novo\nCadastrados: 1\n')
    expect(megabytes).toBeLessThan(MEGABYTES)
  })

  it('reads what is as large as it may be', () => {
    const { code, stdout, megabytes } = imports.get(LARGE.rows) as Import
    expect([code, stdout]).toEqual([1, expect.stringContaining('\nRecusados: 18999\n')])
    expect(megabytes).toBeLessThan(MEGABYTES)
  })

  it('does not refuse empty cells, or what a file says of its size', async () => {
    const empty = '<row r="900000"><c r="ZZ900000" s="1"/></row>'
    const file = zipSync(xlsxParts(`${head}<row><c t="str"><v>Ana</v></c></row>${empty}`))
    expect(await office.linesOf(file, '--dry-run')).toEqual(['linha 2, Ana: novo'])

    const blank = `Nome\nAna\n${';'.repeat(1000)}\n${'\n'.repeat(60_000)}`
    expect(await office.linesOf(blank, '--dry-run')).toEqual(['linha 2, Ana: novo'])
  })
})

describe('informers:import refuses what is no spreadsheet', () => {
  it.each([
    [
      'a PDF',
      '%PDF-1.7\n%âãÏÓ\n',
      'o arquivo é um PDF: salve a planilha como XLSX ou CSV',
    ],
    ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), PICTURE],
    ['a JPEG', Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1'), PICTURE],
    ['a HEIC', Buffer.from('\0\0\0\x18ftypheic', 'latin1'), PICTURE],
    [
      'an encrypted XLSX',
      encryptedXlsx(),
      'a planilha está protegida por senha: salve-a sem senha',
    ],
    [
      'another binary file',
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]),
      'o arquivo não é uma planilha',
    ],
    ['a ZIP archive', zipSync({ 'a.txt': strToU8('a') }), NO_XLSX],
    ['an XLSX that was cut', xlsx([['Nome'], ['Ana']]).subarray(0, 700), NO_XLSX],
  ])('%s', async (_, content, message) => {
    const { code, stdout, stderr } = await office.importFile(content)
    expect(stderr).toBe(`Não foi possível importar: ${message}\n`)
    expect([code, stdout]).toEqual([1, ''])
  })
})

/** The beginning of a compound file, and the name of the entry that holds what is encrypted. */
function encryptedXlsx(): Buffer {
  const beginning = Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1')
  return Buffer.concat([
    beginning,
    Buffer.alloc(1016),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ])
}

type Import = { code: number; stdout: string; stderr: string; megabytes: number }

/** Imports files in a process of their own, one after another. */
async function measure(contents: (string | Uint8Array)[]): Promise<Import[]> {
  const files = contents.map((content, index) => office.fileOf(content, `large-${index}`))
  const { baseUrl, token } = office.service
  const child = spawn(
    process.execPath,
    ['--expose-gc', 'test/scripts/measured-imports.ts', baseUrl, ...files],
    {
      env: { ...process.env, ACCESS_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const lines = await Array.fromAsync(createInterface(child.stdout))
  return lines.map((line) => JSON.parse(line))
}
