import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hiddenSheet, xlsx, xlsxOf } from './spreadsheet-files.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

/** The limit, and what is taken before it shows. */
const MEGABYTES = 700

const ROWS = 'a planilha tem mais de 50.000 linhas'
const COLUMNS = 'a planilha tem mais de 200 colunas'
const MEMORY = 'a planilha ocuparia mais de 500 MB de memória'
const NO_SPREADSHEET = 'o arquivo não é uma planilha'
const WEB_PAGE = 'o arquivo é uma página da web: salve como XLSX'
const UTF_16 =
  'o arquivo está em outra codificação (UTF-16 sem marca): salve a planilha como XLSX ou como CSV UTF-8'
const NO_XLSX = 'o arquivo não é uma planilha XLSX legível'

const cell = (reference: string) => `<row><c r="${reference}" t="str"><v>x</v></c></row>`
const head = '<row r="1"><c t="str"><v>Nome</v></c></row>'

/** As XML, some hundred MB that deflate to some hundred KB. */
const textRow = `<row><c t="str"><v>${'ž'.repeat(30_000)}</v></c></row>`
const stubs = '<c s="0"/>'.repeat(10)

describe('informers:import refuses a file beyond its limits', () => {
  it.each([
    [
      'a CSV of 21 MB',
      () => `Nome\n${'Ana\n'.repeat(5_250_000)}`,
      'o arquivo tem mais de 20 MB',
    ],
    ['a CSV of 50,001 people', () => `Nome\n${'Ana\n'.repeat(50_001)}`, ROWS],
    ['a CSV of 201 columns', () => `Nome${';'.repeat(200)}x\nAna\n`, COLUMNS],
    ['an XLSX with a cell at A1048576', () => xlsxOf(head + cell('A1048576')), ROWS],
    ['an XLSX with a cell at XFD2', () => xlsxOf(head + cell('XFD2')), COLUMNS],
  ])('%s', async (_, content, message) => {
    const { code, stdout, stderr } = await office.importFile(content())
    expect(stderr).toBe(`Não foi possível importar: ${message}\n`)
    expect([code, stdout]).toEqual([1, ''])
  })

  it.each([
    ['texts', () => xlsxOf(textRow.repeat(4000))],
    ['empty cells', () => xlsxOf(`<row>${stubs}</row>`.repeat(1_000_000))],
  ])('a small XLSX with %s that would take all memory', (_, content) => {
    const { code, stdout, stderr, megabytes } = measure(content())
    expect(stderr).toBe(`Não foi possível importar: ${MEMORY}\n`)
    expect([code, stdout]).toEqual([1, ''])
    expect(megabytes).toBeLessThan(MEGABYTES)
  })

  it('but reads what is as large as it may be', () => {
    const blank = Array<string>(197).fill('')
    const people = Array<string[]>(19_000).fill(['Ana', '1', ...blank, 'a@example.org'])
    const file = csv(['Nome', 'Telefone', ...blank, 'E-mail'], ...people)
    const { code, stdout, megabytes } = measure(Buffer.from(file))
    expect([code, stdout]).toEqual([1, expect.stringContaining('\nRecusados: 18999\n')])
    expect(megabytes).toBeLessThan(MEGABYTES)
  })

  it('but no empty cells, wherever they are', async () => {
    const empty = '<row r="900000"><c r="ZZ900000" s="1"/></row>'
    const file = xlsxOf(`${head}<row><c t="str"><v>Ana</v></c></row>${empty}`)
    expect(await office.linesOf(file, '--dry-run')).toEqual(['linha 2, Ana: novo'])

    const blank = `Nome\nAna\n${';'.repeat(1000)}\n${'\n'.repeat(60_000)}`
    expect(await office.linesOf(blank, '--dry-run')).toEqual(['linha 2, Ana: novo'])
  })
})

describe('informers:import refuses what is no spreadsheet', () => {
  it.each([
    ['an empty file', '', 'o arquivo está vazio'],
    [
      'an ODS',
      readFileSync('test/scripts/spreadsheets/libreoffice.ods'),
      'o arquivo é um ODS: salve a planilha como XLSX ou CSV',
    ],
    [
      'a PDF',
      '%PDF-1.7\n%âãÏÓ\n',
      'o arquivo é um PDF: salve a planilha como XLSX ou CSV',
    ],
    ['a picture', Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1'), NO_SPREADSHEET],
    [
      'an encrypted XLSX',
      readFileSync('test/scripts/spreadsheets/encrypted.xlsx'),
      'a planilha está protegida por senha: salve-a sem senha',
    ],
    ['a page named .xls', '\uFEFF\r\n<table><tr><td>Nome</td></tr></table>', WEB_PAGE],
    ['a page with its pictures', 'MIME-Version: 1.0\n\n<html>', WEB_PAGE],
    [
      'an XML spreadsheet named .xls',
      '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>',
      'o arquivo é uma planilha XML de 2003: salve como XLSX',
    ],
    ['UTF-16 without its mark', Buffer.from('Nome\nAna\n', 'utf16le'), UTF_16],
    [
      'big-endian UTF-16 without its mark',
      Buffer.from('Nome\nAna\n', 'utf16le').swap16(),
      UTF_16,
    ],
    [
      'a workbook whose sheets are hidden',
      hiddenSheet(),
      'o arquivo não tem planilha visível: reexiba a que deve ser importada',
    ],
    ['a ZIP archive', Buffer.from('PK\x05\x06'.padEnd(22, '\0')), NO_XLSX],
    ['an XLSX that was cut', xlsx([['Nome'], ['Ana']]).subarray(0, 700), NO_XLSX],
  ])('%s', async (_, content, message) => {
    const { code, stdout, stderr } = await office.importFile(content)
    expect(stderr).toBe(`Não foi possível importar: ${message}\n`)
    expect([code, stdout]).toEqual([1, ''])
  })
})

/** Imports a file in a process of its own, and tells the most memory that it took. */
function measure(content: Uint8Array) {
  const script = `import('./scripts/commands/informers-import.ts')
    .then(() => console.log(process.resourceUsage().maxRSS))`
  const { baseUrl, token } = office.service
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', script, baseUrl, office.fileOf(content), '--dry-run'],
    { encoding: 'utf8', env: { ...process.env, ACCESS_TOKEN: token } },
  )
  const [, printed = '', kibibytes] = /^([^]*?)(\d+)\n$/.exec(stdout) ?? []
  return { code: status, stdout: printed, stderr, megabytes: Number(kibibytes) / 1024 }
}
