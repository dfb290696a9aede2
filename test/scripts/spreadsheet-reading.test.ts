import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CFB } from '@e965/xlsx'
import { afterAll, describe, expect, it } from 'vitest'
import { readSpreadsheet } from '../../scripts/commands/spreadsheets/file.ts'
import { toRows } from '../../scripts/commands/spreadsheets/rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'spreadsheets-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Reads a file of this folder's `spreadsheets`, or of a content. */
async function read(file: string | { content: string | Uint8Array }) {
  const path =
    typeof file === 'string' ? `test/scripts/spreadsheets/${file}` : join(folder, 'file')
  if (typeof file !== 'string') writeFileSync(path, file.content)
  return toRows(await readSpreadsheet(path))
}

/** The rows of a file that are refused, and the texts of the others. */
async function outcomesOf(file: string | { content: string | Uint8Array }) {
  const rows = await read(file)
  return rows.map(({ line, texts, problems }) => [
    line,
    problems.length > 0 ? problems : texts,
  ])
}

const OPENXML = 'http://schemas.openxmlformats.org'
const RELATIONSHIPS = `${OPENXML}/officeDocument/2006/relationships`
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const relationshipsXml = (type: string, target: string) =>
  `<Relationships><Relationship Id="rId1" Type="${RELATIONSHIPS}/${type}" Target="${target}"/></Relationships>`

const PARTS = {
  '[Content_Types].xml': `<Types xmlns="${OPENXML}/package/2006/content-types">
    <Override PartName="/xl/workbook.xml" ContentType="${CONTENT_TYPE}.sheet.main+xml"/>
    <Override PartName="/xl/sharedStrings.xml" ContentType="${CONTENT_TYPE}.sharedStrings+xml"/>
    <Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT_TYPE}.worksheet+xml"/>
  </Types>`,
  '_rels/.rels': relationshipsXml('officeDocument', 'xl/workbook.xml'),
  'xl/workbook.xml': `<workbook xmlns="${OPENXML}/spreadsheetml/2006/main" xmlns:r="${RELATIONSHIPS}"><sheets>
    <sheet name="Lista" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relationshipsXml('worksheet', 'worksheets/sheet1.xml'),
}

/** An XLSX with the rows of a sheet, as XML, and other parts. */
function xlsxOf(rows: string, after = '', parts: Record<string, string> = {}): Buffer {
  const archive = CFB.utils.cfb_new()
  const sheet = `<worksheet><sheetData>${HEAD}${rows}</sheetData>${after}</worksheet>`
  const all = { ...PARTS, 'xl/worksheets/sheet1.xml': sheet, ...parts }
  for (const [path, xml] of Object.entries(all)) {
    CFB.utils.cfb_add(archive, path, Buffer.from(xml))
  }
  return CFB.write(archive, { type: 'buffer', fileType: 'zip', compression: true })
}

const cellXml = (text: string) => `<c t="str"><v>${text}</v></c>`
const HEAD = `<row r="1">${cellXml('Nome')}${cellXml('E-mail')}</row>`
const ANA = `<row>${cellXml('Ana')}${cellXml('ana@example.org')}</row>`

const SAVE = 'salve a planilha como XLSX ou como CSV UTF-8'
const NO_TEXT = `o arquivo não é um XLSX, nem um CSV em UTF-8: ${SAVE}`
const TOO_MUCH = `o arquivo ocupa tempo ou memória demais: copie só as pessoas, e ${SAVE}`

describe('the import reads', () => {
  const DECIMALS = ['Telefone "1155550100.5": o número tem casas decimais']
  const DATE = ['Telefone "2026-01-31": a célula tem uma data']
  const numbers = {
    first_name: 'Damião Couto',
    email: 'damiao@example.org',
    cpf: '90807060518',
    phone: '5511955550101',
    require_email_verification: 'true',
  }
  const completed = {
    first_name: 'Bernardo Paz',
    cpf: '01234567032',
    phone: '(11) 5555-0102',
  }

  it.each([
    [
      'openpyxl.xlsx', // its first sheet is hidden, and no program has calculated it
      [
        [2, numbers],
        [3, completed],
        [5, DATE],
        [6, ['Telefone "=NA()": a fórmula não tem valor']],
        [7, [`Nome "="Fór"&"mula"": a fórmula não tem valor`]],
        [8, DECIMALS],
      ],
    ],
    [
      'libreoffice.xlsx', // the same, saved by LibreOffice
      [
        [2, numbers],
        [3, completed],
        [5, DATE],
        [6, ['Telefone "#N/A": a célula tem um erro']],
        [7, { first_name: 'Fórmula', email: 'formula@example.org' }],
        [8, DECIMALS],
      ],
    ],
    [
      'excel-utf8.csv',
      [
        [
          2,
          {
            first_name: 'Úrsula',
            last_name: 'Gusmão',
            email: 'ursula@example.org',
            cpf: '16180339805',
            phone: '+55 (21) 5555-0102',
            treatment_pronoun: 'Dom',
            category: 'Religioso(a)',
            process: 'BR-2026-002',
            group: 'grupo 4',
          },
        ],
        [3, { first_name: 'Inês "Nena"', last_name: 'Brandão', cpf: '14142135651' }],
      ],
    ],
    [
      'google.csv',
      [
        [
          2,
          {
            first_name: 'Lídia',
            last_name: 'Prado, viúva',
            email: 'lidia@example.org',
            cpf: '10203040570',
            phone: '(31) 5555-0103',
            process: 'BR-2026-002',
            group: 'Grupo 5',
          },
        ],
        [
          3,
          {
            first_name: 'Otávio',
            last_name: 'Só',
            email: 'otavio@example.org',
            cpf: '50403020107',
            process: 'BR-2026-002',
            group: 'Grupo 6',
          },
        ],
      ],
    ],
  ])('%s', async (file, outcomes) => {
    expect(await outcomesOf(file)).toEqual(outcomes)
  })

  it('tabs, any line ends, lines without a value, and lines of a cell as a spreadsheet program counts them', async () => {
    const content = '\nE-mail\tNome\u200B\r"a@x.org"\t"A\nB"\n\t \r\n\u200B\nb@x.org\tB'
    expect(await outcomesOf({ content })).toEqual([
      [3, { email: 'a@x.org', first_name: 'A\nB' }],
      [6, { email: 'b@x.org', first_name: 'B' }],
    ])
  })

  it('a number with decimals, and refuses it as a telephone alone', async () => {
    const head = `<row>${['Nome', 'E-mail', 'Telefone', 'Processo', 'Grupo'].map(cellXml).join('')}</row>`
    const numbers = '<c><v>1155.123</v></c><c><v>2026.1</v></c>'
    const people = ['Ana', 'Eva'].map((name) => cellXml(name) + cellXml(`${name}@x.org`))
    const rows = [
      `<row>${people[0]}${numbers}${cellXml('Grupo 1')}</row>`,
      `<row>${people[1]}${cellXml('1155.1234')}<c><v>2026.1</v></c>${cellXml('Grupo 1')}</row>`,
    ]
    const sheet = `<worksheet><sheetData>${head}${rows.join('')}</sheetData></worksheet>`
    const content = xlsxOf('', '', { 'xl/worksheets/sheet1.xml': sheet })
    expect(await outcomesOf({ content })).toEqual([
      [2, ['Telefone "1155.123": o número tem casas decimais']],
      [3, expect.objectContaining({ phone: '1155.1234', process: '2026.1' })],
    ])
  })

  it('a cell far away, and refuses its row', async () => {
    const far = `<row r="900000"><c r="A900000" t="str"><v>Eva</v></c><c r="ZZZZZ900000" t="str"><v>x</v></c></row>`
    expect(await outcomesOf({ content: xlsxOf(ANA + far) })).toEqual([
      [2, { first_name: 'Ana', email: 'ana@example.org' }],
      [900000, ['a 12356630ª célula não tem título']],
    ])
  })
})

describe('a cell', () => {
  const NEIGHBOURS = { first_name: 'Eva', email: 'e@x.org', diocese: 'D' }

  /** A row with a cell, beside or instead of its neighbours. */
  function rowOf(heading: string, text: string) {
    const row = { Nome: 'Eva', 'E-mail': 'e@x.org', Diocese: 'D', [heading]: text }
    const lines = [Object.keys(row), Object.values(row)].map((texts, at) => ({
      line: at + 1,
      cells: texts.map((cell, place) => ({ at: place, text: cell })),
    }))
    return toRows(lines)[0]
  }

  it.each([
    ['Nome', '\u200B  Jose\u0301\u00A0', { first_name: 'José' }],
    ['Nome', "'=1+1", { first_name: '=1+1' }],
    ['Nome', "''@x", { first_name: "'@x" }],
    ['Nome', "'Zé", { first_name: "'Zé" }],
    ['E-mail', 'ANA@X.org', { email: 'ana@x.org' }],
    ['CPF', '529.982.247-25', { cpf: '52998224725' }],
    ['CPF', '1234567032', { cpf: '01234567032' }],
    ['CPF', '191000000', { cpf: '00191000000' }],
    ['CPF', '1234567033', { cpf: '1234567033' }],
    ['CPF', '12345670', { cpf: '12345670' }],
    ['CPF', '5299822472-5', { cpf: '5299822472-5' }],
    ['Telefone', '5555.0100', { phone: '5555.0100' }],
    ['Diocese', '\u200B', { diocese: undefined }],
    ['Senha', " #'=Senha\u200B", { password: " #'=Senha\u200B" }],
    ['Situação', '#N/D', {}],
  ])('of %s with %j is read as %j', (heading, text, texts) => {
    const own = rowOf(heading, text)
    expect(own).toMatchObject({ problems: [] })
    expect(own?.texts).toEqual({ ...NEIGHBOURS, ...texts })
  })

  it.each([
    ['Nome', '#NOME?', 'Nome "#NOME?": a célula tem um erro'],
    ['Nome', `x${'\u0345'.repeat(40)}`, /^Nome ".+": a célula tem caracteres inválidos$/],
    ['Telefone', '########', 'Telefone "########": a célula tem um erro'],
    ['Telefone', '5,51E+12', 'Telefone "5,51E+12": o número perdeu os seus dígitos'],
    ['CPF', '1E10', 'CPF "1E10": o número perdeu os seus dígitos'],
    ['CPF', '1234567032.0', 'CPF "1234567032.0": o número tem casas decimais'],
    [
      'Telefone',
      '1155550100,00',
      'Telefone "1155550100,00": o número tem casas decimais',
    ],
  ])('of %s with %j is refused', (heading, text, problem) => {
    expect(rowOf(heading, text)?.problems).toEqual([
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    ])
  })
})

it('the import reads 5,000 rows', async () => {
  expect(await read({ content: `Nome${'\nAna'.repeat(5000)}` })).toHaveLength(5000)
})

describe('the import refuses a whole file', () => {
  const KNOWN =
    'Na primeira linha, os títulos são: Nome, Sobrenome, E-mail, CPF, Telefone, Pronome, Função, Diocese, Processo, Grupo, Senha, Foto, Confirmar e-mail, Situação'

  it.each([
    ['an unknown heading', 'Nome;Fone\n', `a coluna "Fone" é desconhecida. ${KNOWN}`],
    ['a heading twice', 'Nome;CPF;cpf\n', `a coluna "cpf" está duas vezes. ${KNOWN}`],
    ['no names', 'CPF\n1', `falta a coluna "Nome". ${KNOWN}`],
    ['nothing', '', 'a planilha está vazia'],
    [
      '5,001 rows',
      `Nome${'\nAna'.repeat(5001)}`,
      `a planilha tem mais de 5.000 linhas: divida-a, e ${SAVE}`,
    ],
    [
      '5 MB',
      `Nome\n${'x'.repeat(5_000_000)}`,
      `o arquivo tem mais de 5 MB: divida-o, e ${SAVE}`,
    ],
    [
      'a quotation mark without end',
      'Nome\nAna\n"Eva\n',
      `as aspas da linha 3 do CSV não fecham: ${SAVE}`,
    ],
    ['Windows-1252', Buffer.from('Nome\nTom\xe1\x9a', 'latin1'), NO_TEXT],
    ['UTF-16', Buffer.from('\uFEFFNome\nAna', 'utf16le'), NO_TEXT],
    ['UTF-16 without its mark', Buffer.from('Nome\nAna', 'utf16le'), NO_TEXT],
    ['a picture', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), NO_TEXT],
    ['UTF-8 encoded twice', 'Nome\nJoÃ£o', `"JoÃ£o" está em outra codificação: ${SAVE}`],
    ['a PDF', '%PDF-1.7\n', `o arquivo é um PDF: ${SAVE}`],
    [
      'a ZIP',
      Buffer.from('PK\x05\x06'.padEnd(22, '\0')),
      `o arquivo não é um XLSX legível: ${SAVE}`,
    ],
    [
      'a cut XLSX',
      xlsxOf(ANA).subarray(0, 500),
      `o arquivo não é um XLSX legível: ${SAVE}`,
    ],
    [
      'merged cells',
      xlsxOf(
        ANA,
        `<mergeCells>${'<mergeCell ref="A2:A1048576"/>'.repeat(100_000)}</mergeCells>`,
      ),
      `as células A2:A1048576 estão mescladas: desfaça a mesclagem, e ${SAVE}`,
    ],
    [
      'hidden sheets alone',
      xlsxOf(ANA, '', {
        'xl/workbook.xml': PARTS['xl/workbook.xml'].replace(
          'name=',
          'state="hidden" name=',
        ),
      }),
      'o arquivo não tem planilha visível: reexiba a das pessoas',
    ],
  ])('of %s', async (_, content, message) => {
    await expect(read({ content })).rejects.toThrow(new Error(message))
  })

  it.each([
    ['encrypted.xlsx', `a planilha está protegida por senha: tire a senha, e ${SAVE}`],
    ['libreoffice.ods', `o arquivo é um ODS: ${SAVE}`],
    ['libreoffice.xls', `o arquivo é um XLS: ${SAVE}`],
  ])('such as %s', async (file, message) => {
    await expect(read(file)).rejects.toThrow(new Error(message))
  })

  it.each([
    ['unpacks to more than 30 MB', () => xlsxOf(' '.repeat(40_000_000)), TOO_MUCH],
    [
      'shares a long text among many cells',
      () =>
        xlsxOf(`<row><c t="s"><v>0</v></c></row>`.repeat(4000), '', {
          'xl/sharedStrings.xml': `<sst><si><t>${'ž'.repeat(100_000)}</t></si></sst>`,
        }),
      `o arquivo tem mais de 5 MB: divida-o, e ${SAVE}`,
    ],
    [
      'links all its cells, for which the library would take all memory',
      () =>
        xlsxOf(
          ANA,
          '<hyperlinks><hyperlink ref="A1:XFD1048576" location="x"/></hyperlinks>',
        ),
      TOO_MUCH,
    ],
  ])('that %s', async (_, contentOf, message) => {
    await expect(read({ content: contentOf() })).rejects.toThrow(new Error(message))
  })
})
