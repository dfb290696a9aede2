import { describe, expect, it } from 'vitest'
import { readSpreadsheet } from '../../scripts/commands/spreadsheets/reading/file.ts'
import { toTable } from '../../scripts/commands/spreadsheets/reading/table.ts'
import { excel95 } from './spreadsheet-files.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()
const bytes = (text: string) => Buffer.from(text, 'latin1')
const WRONG = 'está em outra codificação: salve a planilha como XLSX ou como CSV UTF-8'

/** The names of a file. */
async function namesOf(content: string | Uint8Array) {
  const table = toTable(await readSpreadsheet(office.fileOf(content)))
  return table.rows.map(({ texts }) => texts.first_name)
}

describe('informers:import refuses a CSV of another encoding', () => {
  it.each([
    ['a Mac', 'Jos\x8e S\x87 Ara\x9cjo', 'JosŽ S‡ Araœjo'],
    ['a Mac, where only the circumflex shows', 'Ant\x99nio', 'Ant™nio'],
    ['a Mac, where a dash stands between small letters', 'Ant\x97nio', 'Ant—nio'],
    ['MS-DOS', 'Jo\xc6o Sim\xe4es', 'JoÆo Simäes'],
    ['MS-DOS, in capitals', 'JOS\x90', 'JOS\x90'],
  ])('of %s', async (_, name, shown) => {
    await expect(namesOf(bytes(`Nome\nAna\n${name}\n`))).rejects.toThrow(
      `a célula A3 ("${shown}") ${WRONG}`,
    )
  })

  it.each(['Fun\x8d\x8bo', 'Fun\x87\xc6o'])('by its headings', async (heading) => {
    await expect(namesOf(bytes(`Nome;${heading}\nAna;\n`))).rejects.toThrow(
      /a célula B1 .+XLSX/,
    )
  })

  it.each([
    'Jo\xe3o D\x92\xc1vila',
    '\x93Nena\x94 \x96 2\xaa',
    'MARIA CONCEI\xc7\xc3O',
    'Ja\xfa \xb4\xba\xb0',
    '\x93IRM\xc3\x94',
  ])('but no name of Windows: %s', async (name) => {
    expect(await namesOf(bytes(`Nome\n${name}\n`))).toHaveLength(1)
  })

  it('that is UTF-8 elsewhere', async () => {
    const file = Buffer.concat([Buffer.from('Nome\nJoão\n'), bytes('Jos\xe9\n')])
    await expect(namesOf(file)).rejects.toThrow(`a célula A2 ("JoÃ£o") ${WRONG}`)
  })

  it('but no signs in a password or a telephone', async () => {
    const file = bytes('Nome;Senha;Telefone\nJo\xe3o;\xa3Senha\x802026;1 \xb7 2\n')
    expect(await namesOf(file)).toEqual(['João'])
  })
})

describe('informers:import refuses UTF-8 that was encoded twice', () => {
  it.each(['JoÃ£o', 'JOSÃ‰', 'Ã‚ngela', 'JOÃ“O', 'NoÃ«l', 'LuÃ\u00ADs'])(
    '%s',
    async (name) => {
      await expect(namesOf(`Nome\n${name}\n`)).rejects.toThrow(`("${name}") ${WRONG}`)
    },
  )

  it.each(['“IRMÃ”', 'IRMÃ\u00A0Maria', '2ª IRMÃª', 'Ângela', "IRMÃ'S", 'Žofia'])(
    'but not %s',
    async (name) => expect(await namesOf(`Nome\n${name}\n`)).toEqual([name]),
  )
})

describe('informers:import reads the one code page of an XLS of Excel 95', () => {
  it('if it is that of Windows', async () => {
    expect(await namesOf(excel95('D\x92\xc1vila Jo\xe3o'))).toEqual(['D’Ávila João'])
  })

  it('and refuses that of MS-DOS', async () => {
    await expect(namesOf(excel95('Jo\xc6o Sim\xe4es 12'))).rejects.toThrow(
      `a célula A2 ("JoÆo Simäes 12") ${WRONG}`,
    )
  })
})

it('informers:import refuses the whole file before it sends anything', async () => {
  const file = csv(['Nome'], ['Zenaide'], ['JoÃ£o'])
  const { code, stdout, stderr } = await office.importFile(file)
  expect(stderr).toBe(`Não foi possível importar: a célula A3 ("JoÃ£o") ${WRONG}\n`)
  expect([code, stdout, await office.find('Zenaide')]).toEqual([1, '', []])
})
