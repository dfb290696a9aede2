import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { xlsx } from './spreadsheet-files.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

/** The paths of a file and of a folder that are not there yet. */
const newFile = () => join(office.folder, `${Math.random()}.csv`)
const newFolder = () => join(office.folder, `${Math.random()}`)
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('informers:import --refused', () => {
  it('writes the refused rows as they were, with their reasons, to be corrected', async () => {
    const content = [
      'Nome completo;Celular;CPF;Processo;Grupo',
      `Ada Reis;"'+55 11 5555-0101";529.982.247-26;BR-2026-001;Grupo 1`,
      'Bia Reis;1;;;',
      `"  ""Caio"" d'Ávila";=1+1;#N/D;;`,
      'Dora Reis;;111.444.777-35;BR-2026-001;Grupo 9',
    ].join('\n')
    for (const options of [['--dry-run'], []]) {
      const refused = newFile()
      const { code } = await office.importFile(content, '--refused', refused, ...options)
      expect([code, modeOf(refused)]).toEqual([1, 0o600])
      expect(readFileSync(refused, 'utf8')).toBe(
        [
          '\uFEFF"Nome completo";"Celular";"CPF";"Processo";"Grupo";"Motivo"',
          '"Ada Reis";"\'+55 11 5555-0101";"529.982.247-26";"BR-2026-001";"Grupo 1";"CPF ""529.982.247-26"": O CPF informado é inválido."',
          '"  ""Caio"" d\'Ávila";"\'=1+1";"#N/D";"";"";"CPF: a célula tem um erro (#N/D)"',
          '"Dora Reis";"";"111.444.777-35";"BR-2026-001";"Grupo 9";"Grupo: ""Grupo 9"" não foi encontrado"',
          '',
        ].join('\r\n'),
      )
    }

    const path = newFile()
    await office.importFile(content, '--refused', path)
    const corrected = readFileSync(path, 'utf8')
      .replace('529.982.247-26', '529.982.247-25')
      .replace('#N/D', '')
      .replaceAll('Grupo 9', 'Grupo 2')
    const { code, stdout } = await office.importFile(corrected)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Cadastrados: 3\n')])
    expect(await office.find('Caio')).toMatchObject([{ phone: '=1+1' }])
  })

  it('has one column of reasons, also of what was refused before', async () => {
    const [first, second] = [newFile(), newFile()]
    await office.importFile(csv(['Nome', 'CPF'], ['Eva', '1']), '--refused', first)
    await office.importFile(readFileSync(first), '--refused', second)
    expect(readFileSync(second, 'utf8')).toBe(readFileSync(first, 'utf8'))
  })

  it('is refused again where nobody corrected it: cut rows and formulas without a value too', async () => {
    const cut = newFile()
    await office.importFile(
      'Nome;Sobrenome;E-mail\nFlor;flor@example.org\n',
      '--refused',
      cut,
    )
    const formula = newFile()
    const file = xlsx([
      ['Nome', 'E-mail'],
      ['Gil', '<c><f>A9</f></c>'],
    ])
    await office.importFile(file, '--refused', formula)

    for (const path of [cut, formula]) {
      const { stdout } = await office.importFile(readFileSync(path))
      expect(stdout).toContain('\nRecusados: 1\n')
    }
    expect(await office.find('flor')).toEqual([])
  })

  it('has all rows of a person', async () => {
    const path = newFile()
    const file = csv(
      ['Nome', 'Processo', 'Grupo'],
      ['Hilda Só', 'BR-2026-001', 'Grupo 1'],
      ['Ivo Só'],
      ['Hilda Só', 'BR-2026-001', 'Grupo 8'],
    )
    await office.importFile(file, '--refused', path, '--dry-run')
    expect(readFileSync(path, 'utf8').match(/Hilda Só/g)).toHaveLength(2)
  })

  it('writes no file where none was refused', async () => {
    const path = newFile()
    await office.importFile(csv(['Nome'], ['Jó']), '--refused', path)
    expect(existsSync(path)).toBe(false)
  })

  it('refuses a file that exists, or that cannot be written, before anything is sent', async () => {
    const path = newFile()
    writeFileSync(path, 'of somebody')
    const file = csv(['Nome', 'CPF'], ['Kim', '1'], ['Lia Nova', ''])
    const messages: [path: string, message: string][] = [
      [path, `o arquivo ${path} já existe`],
      ['/dev/null/x.csv', 'o arquivo /dev/null/x.csv não pode ser escrito (EEXIST)'],
    ]
    for (const [refused, message] of messages) {
      const { code, stdout, stderr } = await office.importFile(file, '--refused', refused)
      expect(stderr).toBe(`Não foi possível importar: ${message}\n`)
      expect([code, stdout]).toEqual([1, ''])
    }
    expect(readFileSync(path, 'utf8')).toBe('of somebody')
    expect(await office.find('Lia Nova')).toEqual([])
  })
})

describe('informers:export --output', () => {
  it('writes what it would print, for its owner alone', async () => {
    const path = newFile()
    expect(await office.runExport('--output', path)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(readFileSync(path, 'utf8')).toBe((await office.runExport()).stdout)
    expect(modeOf(path)).toBe(0o600)
  })

  it('makes the folder of the file', async () => {
    const folder = newFolder()
    const path = join(folder, '2026', 'informers.csv')
    expect((await office.runExport('--output', path)).code).toBe(0)
    expect([modeOf(folder), modeOf(dirname(path)), modeOf(path)]).toEqual([
      0o700, 0o700, 0o600,
    ])
  })

  it('replaces a file with --force alone, and its mode', async () => {
    const path = newFile()
    writeFileSync(path, 'of somebody', { mode: 0o644 })
    const { code, stderr } = await office.runExport('--output', path)
    expect([code, readFileSync(path, 'utf8')]).toEqual([1, 'of somebody'])
    expect(stderr).toBe(
      `Não foi possível exportar: o arquivo ${path} já existe: para substituí-lo, --force\n`,
    )

    expect((await office.runExport('--output', path, '--force')).code).toBe(0)
    expect(readFileSync(path, 'utf8')).toContain('"ID";"Nome"')
    expect(modeOf(path)).toBe(0o600)
  })

  it.each([
    ['--output', '/dev/full', '--force'],
    ['--output', '/dev/null/x.csv'],
  ])('says in a line that %s %s cannot be written', async (...options) => {
    const { code, stderr } = await office.runExport(...options)
    const reason = options.includes('--force') ? 'ENOSPC' : 'EEXIST'
    expect(stderr).toBe(
      `Não foi possível exportar: o arquivo ${options[1]} não pode ser escrito (${reason})\n`,
    )
    expect(code).toBe(1)
  })
})

it('informers:export says in a line that standard output is full', async () => {
  const line = `'${process.execPath}' scripts/commands/informers-export.ts ${office.service.baseUrl} > /dev/full`
  const { code, stderr } = await office.shell(line)
  expect(stderr).toBe(
    'Não foi possível exportar: a saída não pode ser escrita (ENOSPC)\n',
  )
  expect(code).toBe(1)
})

describe('on a full disk, no cut-off file is left', () => {
  /** Runs a command where no file may become larger than a few KB, which everybody may try. */
  const runWithoutSpace = (command: string) =>
    office.shell(`ulimit -f 4; exec '${process.execPath}' scripts/commands/${command}`)

  it.each(['', ' --force'])('by informers:export --output%s', async (force) => {
    await office.create({
      first_name: 'Longa',
      img_url: `https://x.y/${'x'.repeat(2000)}`,
    })
    const folder = newFolder()
    const path = join(folder, 'informers.csv')
    const { code, stderr } = await runWithoutSpace(
      `informers-export.ts ${office.service.baseUrl} --output ${path}${force}`,
    )
    expect(stderr).toBe(
      `Não foi possível exportar: o arquivo ${path} não pode ser escrito (EFBIG)\n`,
    )
    expect([code, readdirSync(folder)]).toEqual([1, []])
  })

  it('by informers:import --refused', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => [`Longa ${at}`, '1'])
    const file = office.fileOf(csv(['Nome', 'CPF'], ...rows))
    const folder = newFolder()
    const path = join(folder, 'refused.csv')
    const { code, stderr } = await runWithoutSpace(
      `informers-import.ts ${office.service.baseUrl} ${file} --refused ${path}`,
    )
    expect(stderr).toBe(
      `Não foi possível importar: o arquivo ${path} não pode ser escrito (EFBIG)\n`,
    )
    expect([code, readdirSync(folder)]).toEqual([1, []])
  })
})
