import { describe, expect, it } from 'vitest'
import { parseSpreadsheet } from '../../scripts/commands/spreadsheets/file.ts'
import { toRows } from '../../scripts/commands/spreadsheets/rows.ts'

const read = (content: string | Uint8Array) =>
  toRows(parseSpreadsheet(Buffer.from(content)))

/** The lines of a file that are refused, and the texts of the others. */
function outcomesOf(content: string) {
  return read(content).map(({ line, texts, problems }) => [
    line,
    problems.length > 0 ? problems : texts,
  ])
}

describe('the import reads', () => {
  it.each([
    [
      'semicolons and a byte order mark, as Excel writes them',
      '\uFEFF"NOME";E-MAIL;TELEFONE\r\n"Inês ""Nena""";i@x.org;\r\n;;\r\n',
      [[2, { first_name: 'Inês "Nena"', email: 'i@x.org' }]],
    ],
    [
      'commas, as Google writes them',
      'Nome,E-mail\r\n"Prado, viúva",p@x.org',
      [[2, { first_name: 'Prado, viúva', email: 'p@x.org' }]],
    ],
    [
      'tabs, any line ends, and line breaks in a cell, which are one line',
      '\nE-mail\tNome\u200B\r"a@x.org"\t"A\nB"\n\t \r\n\u200B\nb@x.org\tB',
      [
        [3, { email: 'a@x.org', first_name: 'A\nB' }],
        [6, { email: 'b@x.org', first_name: 'B' }],
      ],
    ],
    [
      'cells without a heading, and refuses their row',
      'Nome;;CPF;\nAna;x;1;;y\nEva;;2;;;',
      [
        [2, ['a 2ª célula não tem título', 'a 5ª célula não tem título']],
        [3, { first_name: 'Eva', cpf: '2' }],
      ],
    ],
  ])('%s', (_, content, outcomes) => {
    expect(outcomesOf(content)).toEqual(outcomes)
  })

  it('5,000 rows, and does not count blank ones', () => {
    expect(read(`Nome${'\nAna\n;'.repeat(5000)}`)).toHaveLength(5000)
  })
})

describe('a cell', () => {
  const NEIGHBOURS = { first_name: 'Eva', email: 'e@x.org', diocese: 'D' }

  /** A row with a cell, beside or instead of its neighbours. */
  function rowOf(heading: string, text: string) {
    const row = { Nome: 'Eva', 'E-mail': 'e@x.org', Diocese: 'D', [heading]: text }
    const lines = [Object.keys(row), Object.values(row)]
    return toRows(lines.map((cells, at) => ({ line: at + 1, cells })))[0]
  }

  it.each([
    ['Nome', '\u200B  Jose\u0301\u00A0', { first_name: 'José' }],
    ['Nome', "'=1+1", { first_name: '=1+1' }],
    ['Nome', "'#1", { first_name: '#1' }],
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
    ['Senha', '#Senha\u200B ', { password: '#Senha\u200B ' }],
    ['Senha', "'=Senha", { password: "'=Senha" }],
    ['Situação', '#N/D', {}],
  ])('of %s with %j is read as %j', (heading, text, texts) => {
    const own = rowOf(heading, text)
    expect(own).toMatchObject({ problems: [] })
    expect(own?.texts).toEqual({ ...NEIGHBOURS, ...texts })
  })

  it.each([
    [
      'Nome',
      '#N\n\t\u0007\u2028',
      'Nome "#N[quebra de linha][tabulação][U+0007]": a célula tem um erro',
    ],
    ['Nome', '#NOME?', 'Nome "#NOME?": a célula tem um erro'],
    ['CPF', ' ="01234567032"', 'CPF "="01234567032"": a célula tem uma fórmula'],
    ['Telefone', '########', 'Telefone "########": a célula tem um erro'],
    ['Telefone', '5,51E+12', 'Telefone "5,51E+12": o número perdeu dígitos'],
    ['CPF', '1E10', 'CPF "1E10": o número perdeu dígitos'],
    ['CPF', '1234567032.0', 'CPF "1234567032.0": o número tem casas decimais'],
    [
      'Telefone',
      '1.155.550.100,00',
      'Telefone "1.155.550.100,00": o número tem casas decimais',
    ],
  ])('of %s with %j is refused', (heading, text, problem) => {
    expect(rowOf(heading, text)?.problems).toEqual([problem])
  })
})

describe('the import refuses a whole file', () => {
  const KNOWN =
    'Na primeira linha, os títulos são: Nome, Sobrenome, E-mail, CPF, Telefone, Pronome, Função, Diocese, Processo, Grupo, Senha, Foto, Confirmar e-mail, Situação'

  it.each([
    ['an unknown heading', 'Nome;Fone\n', `a coluna "Fone" é desconhecida. ${KNOWN}`],
    ['a heading twice', 'Nome;CPF;cpf\n', `a coluna "cpf" está duas vezes. ${KNOWN}`],
    ['no names', 'CPF\n1', `falta a coluna "Nome". ${KNOWN}`],
    ['nothing', '', 'a planilha está vazia'],
  ])('of %s', (_, content, message) => {
    expect(() => read(content)).toThrow(new Error(message))
  })

  const NO_CSV = 'o arquivo não é um CSV em UTF-8'
  const ofQuotes = (line: number) => `linha ${line}: aspas fora do lugar`

  it.each([
    ['5,001 rows', `Nome${'\nAna'.repeat(5001)}`, 'mais de 5.000 linhas: divida-as'],
    ['5 MB', `Nome\n${'x'.repeat(5_000_000)}`, 'mais de 5 MB: divida o arquivo'],
    ['Windows-1252', Buffer.from('Nome\nTom\xE1s', 'latin1'), NO_CSV],
    ['UTF-16', Buffer.from('Nome\nAna', 'utf16le'), NO_CSV],
    ['a PDF', '%PDF-1.7\n', 'o arquivo é um PDF'],
    ['an XLS', Buffer.from('\xD0\xCF\x11\xE0', 'latin1'), 'o arquivo é um XLS'],
    ['an XLSX', `PK\x03\x04${'x'.repeat(5_000_000)}`, 'o arquivo é um XLSX'],
    [
      'an ODS',
      `PK\x03\x04${'\n'.repeat(26)}mimetypeapplication/vnd.oasis.opendocument.spreadsheet`,
      'o arquivo é um ODS',
    ],
    ['a quotation mark without end', 'Nome\n"A\nna"\n"Eva\nB\n', ofQuotes(3)],
    ['a quotation mark in a cell', 'Nome\nAna\nE "va"\n', ofQuotes(3)],
    ['lost letters', 'Nome;Senha\n\nAna;Seg\uFFFD2026', 'linha 3: letras perdidas (�)'],
    ['UTF-8 encoded twice', 'Nome;Senha\nJosÃ©;Segredo', 'linha 2: acentos trocados'],
    ['a text behind a quotation mark', 'Nome\n"A" na\nEva\n', ofQuotes(2)],
  ])('of %s, in a line that tells no value and fits', (_, content, problem) => {
    const message = `${problem}; salve como CSV UTF-8`
    expect(() => read(content)).toThrow(new Error(message))
    expect(`Não foi possível importar: ${message}`.length).toBeLessThanOrEqual(80)
  })

  it('of UTF-8 encoded twice, but not for what may stand behind a capital letter', () => {
    const bytes = Uint8Array.from({ length: 0xc0 - 0x80 }, (_, at) => 0x80 + at)
    const inWindows1252 = new TextDecoder('windows-1252').decode(bytes)
    const marks = inWindows1252 + Buffer.from(bytes).toString('latin1')
    const texts = new Set(
      [...marks, 'E', ' '].flatMap((mark) => [`Ã${mark}`, `Â${mark}`]),
    )
    const isRefused = (text: string) => {
      try {
        read(`Nome\n${text}`)
        return false
      } catch {
        return true
      }
    }
    expect([...texts].filter((text) => !isRefused(text))).toEqual(
      ['\u00A0', '«', '»', 'E', ' '].flatMap((mark) => [`Ã${mark}`, `Â${mark}`]),
    )
  })
})
