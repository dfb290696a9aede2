import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { xlsx, xlsxOf } from './spreadsheet-files.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

describe('informers:import refuses cells that do not say what they mean', () => {
  it('the errors of programs in a CSV, numbers that lost digits, and lost letters', async () => {
    const errors = ['#N/D', '#VALOR!', '#REF!', '#NOME?', '#DIV/0!', '#N/A', '#NAME?']
    const others = ['#CAMPO!', '#SPILL!', '#DESPEJAR!', '#ERROR!', '#GETTING_DATA']
    const cells = [
      ...errors,
      ...others,
      '5,51199E+12',
      '5.51199E+12',
      '5,51E12',
      '1.199999E10',
      '5e12',
      '########',
      'Jo\uFFFDo',
    ]
    const rows = cells.map((cell) => ['Caio', cell])

    const lines = await office.linesOf(csv(['Nome', 'Telefone'], ...rows))
    const shown = lines.map((line) => /Caio: Telefone: .+ \((.+)\)$/.exec(line)?.[1])
    expect([shown, await office.find('Caio')]).toEqual([cells, []])
  })

  it('CPFs and telephones with decimals, of which the rest may be another’s', async () => {
    const numbers = ['1234567032.0', '1234567032,0', '52998224725,00', '529982247.25']
    const grouped = ['1.234.567.032,0', '1,234,567,032.0']
    const telephones = ['11999990000.0', '11.999.990.000,00', '+551199999,0']
    const rows = [
      ...[...numbers, ...grouped].map((number) => ['Cora', number]),
      ...telephones.map((number) => ['Cora', '', number]),
    ]
    const lines = await office.linesOf(csv(['Nome', 'CPF', 'Telefone'], ...rows))
    const shown = lines.map(
      (line) => /: o número tem casas decimais \((.+)\)$/.exec(line)?.[1],
    )
    expect(shown).toEqual([...numbers, ...grouped, ...telephones])
    expect(await office.find('Cora')).toEqual([])
  })

  it('but no telephone with a point between its digits', async () => {
    const telephones = ['5555.0100', '11.5555.0100', '06.698.83', '11.999.990.000']
    const rows = telephones.map((number, at) => [`Dalva ${at}`, number])
    const lines = await office.linesOf(csv(['Nome', 'Telefone'], ...rows), '--dry-run')
    expect(lines.filter((line) => line.endsWith(': novo'))).toHaveLength(4)
  })

  it('but no password for an error, and shows none that lost letters', async () => {
    const headings = ['Nome', 'E-mail', 'Senha']
    const file = csv(
      headings,
      ['Pia', 'pia.senha@example.org', '#Provisao0!'],
      ['Pio', 'pio.senha@example.org', 'Segredo0\uFFFD'],
    )
    expect(await office.linesOf(file)).toEqual([
      'linha 3, Pio: Senha: letras deste texto se perderam',
    ])
    expect(await office.find('pia.senha@')).toMatchObject([{ has_password: true }])
  })

  const phone = (cell: string) =>
    xlsx([
      ['Nome', 'Telefone'],
      ['Caio', cell],
    ])
  const errorOf = (shown: string) =>
    `linha 2, Caio: Telefone: a célula tem um erro (${shown})`
  it.each([
    [
      'a value that was still fetched',
      phone('<c t="e"><v>#GETTING_DATA</v></c>'),
      errorOf('#GETTING_DATA'),
    ],
    [
      'an error unknown to the library',
      phone('<c t="e"><v>#SPILL!</v></c>'),
      errorOf('#VALOR!'),
    ],
    ['an error in Portuguese', phone('<c t="e"><v>#NOME?</v></c>'), errorOf('#VALOR!')],
    ['a formula that fails', phone('<c t="e"><f>1/0</f></c>'), errorOf('#VALOR!')],
    [
      'a cell without a heading',
      xlsx([['Nome'], ['Dora', '', '<c r="AB2" t="e"><v>#REF!</v></c>']]),
      'linha 2, Dora: AB2: a célula tem um erro (#REF!)',
    ],
    [
      'but no formula whose value is an empty text',
      phone('<c t="str"><f>""</f><v></v></c>'),
      'linha 2, Caio: novo',
    ],
  ])('of a workbook: %s', async (_, file, line) => {
    expect(await office.linesOf(file, '--dry-run')).toEqual([line])
  })
})

describe('informers:import takes cells for what they say', () => {
  it('merged cells for all their rows', async () => {
    const file = xlsx(
      [
        ['Nome', 'Processo', 'Grupo'],
        ['Fabi', 'BR-2026-001', 'Grupo 2'],
        ['Gina', '<c/>', '<c/>'],
        ['Hugo', '<c/>', '<c/>'],
      ],
      ['B2:B4', 'C2:C3', 'A5:C1048576'],
    )
    expect(await office.linesOf(file)).toEqual([
      'linha 4, Hugo: Grupo: obrigatório com um processo',
    ])
    expect(await office.find('Gina')).toMatchObject([{ group: { name: 'Grupo 2' } }])
    expect(await office.find('Hugo')).toEqual([])
  })

  const NOBODY = 'não é uma pessoa, e fica de fora'
  it.each<[what: string, rows: string[][], lines: string[]]>([
    [
      'a last row that begins with Total for no person',
      [['Ivo', '1'], ['Total: 1']],
      ['linha 2, Ivo: novo', `linha 3, Total: 1: ${NOBODY}`],
    ],
    [
      'also with a sum beside it',
      [
        ['Ivo', '1'],
        ['total', '1.234,00'],
      ],
      ['linha 2, Ivo: novo', `linha 3, total: ${NOBODY}`],
    ],
    ['and tells it with one colon', [['TOTAL:', '1']], [`linha 2, TOTAL: ${NOBODY}`]],
    [
      'but for a person if it says more or is not the last',
      [['Total 1'], ['Total 2', 'de ninguém']],
      ['linha 2, Total 1: novo', 'linha 3, Total 2: novo'],
    ],
    [
      'a row that repeats the headings for no person, wherever it stands',
      [
        ['Nome', 'Telefone'],
        ['Ivo', '1'],
        ['NOME', 'celular'],
        ['Nome', '2'],
        ['Total', '2'],
      ],
      [
        'linha 3, Ivo: novo',
        'linha 5, Nome: novo',
        'linha 2, Nome: repete os títulos, e fica de fora',
        'linha 4, NOME: repete os títulos, e fica de fora',
        `linha 6, Total: ${NOBODY}`,
      ],
    ],
  ])('%s', async (_, rows, lines) => {
    const { code, stdout } = await office.importFile(
      csv(['Nome', 'Celular'], ...rows),
      '--dry-run',
    )
    expect(stdout.match(/^linha .+$/gm)).toEqual(lines)
    expect([code, stdout]).toEqual([0, expect.stringContaining('\nRecusados: 0\n')])
  })

  it('every cell without the spaces around it', async () => {
    const headings = [
      'Nome',
      'E-mail',
      'CPF',
      'Processo',
      'Grupo',
      'Senha',
      'Confirmar e-mail',
    ]
    const cells = ['Jane', 'jane@example.org', '52998224725', 'BR-2026-001', 'Grupo 3']
    const row = [...cells, 'Senha2026', 'não'].map((cell) => ` ${cell} `)
    expect((await office.importFile(csv(headings, row))).code).toBe(0)
    expect(await office.find('jane@')).toMatchObject([
      { first_name: 'Jane', group: { name: 'Grupo 3' }, has_password: true },
    ])
  })

  it('and prints texts as they are, but on one line', async () => {
    const file = csv(['Nome', 'Diocese'], ['Kika', 'Diocese  de\nX\u001b[31m'])
    expect(await office.linesOf(file)).toEqual([
      'linha 2, Kika: Diocese: "Diocese  de X" não foi encontrado',
    ])
  })

  it('a formula that the export has escaped without the apostrophe, however it was saved', async () => {
    const { id } = await office.create({ first_name: 'Nilo', phone: '+55 11 5555-0101' })
    const cells = [id, 'Nilo', "'+55 11 5555-0101"]
    for (const file of [
      csv(['ID', 'Nome', 'Telefone'], cells),
      xlsx([['ID', 'Nome', 'Telefone'], cells]),
    ]) {
      expect(await office.linesOf(file, '--update', '--dry-run')).toEqual([
        'linha 2, Nilo: já conhecido',
      ])
    }
  })
})

it('informers:import refuses a name whose two spellings differ, but for case and accents', async () => {
  const file = csv(
    ['Nome', 'Sobrenome', 'Nome completo'],
    ['Marieta Clara', '', 'Marieta Clara Souza'],
    ['Marieta', 'Souza', 'Marieta Clara Souza'],
    ['', 'Souza', 'Marieta Clara Souza'],
    ['Nóra Lúcia', 'Sá', 'NORA LUCIA SA'],
  )
  const problem = 'Nome completo "Marieta Clara Souza": é outro que Nome e Sobrenome, '
  expect(await office.linesOf(file)).toEqual(
    Array(3).fill(expect.stringContaining(problem)),
  )
  expect(await office.find('Marieta')).toEqual([])
  expect(await office.find('Nóra')).toMatchObject([
    { first_name: 'Nóra Lúcia', last_name: 'Sá' },
  ])
})

it('informers:import tells a CPF that got zeros, and no other', async () => {
  const cpfs = ['529.982.247-2X', '111.444.777–35', '52998224725,00', "'52998224725"]
  const thousands = '1.234.567.032'
  const lostThree = '51288117'
  const rows = [...cpfs, thousands, lostThree, '1234567032'].map((cpf, at) => [
    `Olga ${at}`,
    cpf,
  ])
  const lines = await office.linesOf(csv(['Nome', 'CPF'], ...rows), '--dry-run')
  const told = (text: string) => lines.filter((line) => line.includes(text)).map(numberOf)
  expect([told('completado com zeros'), told('novo')]).toEqual([[8], [3, 8]])
})

/** The number of the row that a line is about. */
const numberOf = (line: string) => Number(/^linha (\d+),/.exec(line)?.[1])

describe('informers:import counts rows as spreadsheet programs do', () => {
  it('in a CSV with line breaks in cells, and blank lines', async () => {
    const file = 'Nome;Telefone\n\n"Pia";"1\n2\n3"\nRaul;#N/D\n'
    expect(await office.linesOf(file)).toEqual([
      expect.stringMatching(/^linha 3, Pia: /),
      expect.stringMatching(/^linha 4, Raul: /),
    ])
  })

  it('in an XLSX that leaves blank rows out', async () => {
    const rows = '<row r="3"><c t="inlineStr"><is><t>Nome</t></is></c></row>'
    const cell = '<c r="A7" t="e"><v>#REF!</v></c>'
    const file = xlsxOf(`${rows}<row r="7">${cell}</row>`)
    expect(await office.linesOf(file)).toEqual([expect.stringMatching(/^linha 7, /)])
  })

  it.each([
    ['Nome;Telefone\nRita;"1\n2"\n"Sol\nTom;3\n', 'na linha 3: aspas sem fim'],
    [
      'Nome;Telefone\nRita;"1\n2"\n"Sol\nTom;"3"\n',
      'na linha 3: aspas sem fim, ou fora do lugar',
    ],
    ['Nome,E-mail\nAna "Nana" Sá,x@example.org\n', 'na linha 2: aspas fora do lugar'],
  ])('and tells where a quotation mark begins: %j', async (file, problem) => {
    const { code, stdout, stderr } = await office.importFile(file)
    expect(stderr).toBe(`Não foi possível importar: o CSV é inválido ${problem}\n`)
    expect([code, stdout]).toEqual([1, ''])
  })
})

it('informers:import tells names that may have lost letters in Windows-1252', async () => {
  const file = Buffer.from('Nome;Telefone\n\xc9 ?ukasz;1?\nJos\xe9;?\n', 'latin1')
  const [first, second] = await office.linesOf(file, '--dry-run')
  expect(first).toMatch(
    /^linha 2, É \?ukasz: Nome "É \?ukasz": o "\?" pode ser uma letra perdida/,
  )
  expect(second).toBe('linha 2, É ?ukasz: novo')

  const utf8 = await office.linesOf('Nome\nŽ ?ukasz\n', '--dry-run')
  expect(utf8).toEqual(['linha 2, Ž ?ukasz: novo'])
})

describe('informers:import reads the first visible sheet of a workbook', () => {
  const read = (name: string) => readFileSync(`test/scripts/spreadsheets/${name}`)
  const others = 'Outras planilhas do arquivo, que não foram lidas (--sheet): Outra\n'
  const refused = [
    'linha 6, Erro: CPF: a célula tem um erro (#N/A)',
    'linha 7, Data: Telefone: a célula tem uma data',
  ]

  it('as openpyxl writes it, which calculates no formula', async () => {
    const { stdout } = await office.importFile(read('openpyxl.xlsx'))
    expect(stdout.startsWith(others)).toBe(true)
    expect(stdout.match(/^linha .+$/gm)).toEqual([
      'linha 3, Fabi Planilha: CPF "8765432126" completado com zeros: 08765432126',
      'linha 5, Fórmula: Telefone: a célula tem uma fórmula sem valor',
      ...refused,
    ])
    const merged = { process: { protocol: 'BR-2026-001' } }
    expect(await office.find('Planilha')).toMatchObject([
      { full_name: 'Fabi Planilha', phone: '5511999887766', ...merged },
      { full_name: 'Gina Planilha', phone: '+55 11', ...merged },
    ])
  })

  it('as an old Excel has it (XLS)', async () => {
    const { stdout } = await office.importFile(read('libreoffice.xls'), '--dry-run')
    expect(stdout.startsWith(others)).toBe(true)
    const lines = stdout.match(/^linha \d+, .+$/gm)
    expect(lines).toEqual(expect.arrayContaining(refused))
    expect(lines).toEqual(expect.arrayContaining(['linha 5, Fórmula: novo']))
  })

  it('and no hidden one', async () => {
    const file = read('openpyxl.xlsx')
    const { code, stderr } = await office.importFile(file, '--sheet', 'Oculta')
    expect(stderr).toBe(
      'Não foi possível importar: não há planilha "Oculta" no arquivo\n',
    )
    expect(code).toBe(1)
  })
})
