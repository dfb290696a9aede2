import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { spreadsheetOffice } from './spreadsheet-office.ts'

const office = spreadsheetOffice()
const { runExport, importFile } = office

const HEADINGS =
  '\uFEFF"Nome";"Sobrenome";"E-mail";"CPF";"Telefone";"Pronome";"Função";"Diocese";"Processo";"Grupo";"Foto";"Situação"'

/** The emails of an export, in its order. */
async function emailsOf(...options: string[]) {
  const { stdout } = await runExport(...options)
  const [headings, ...lines] = stdout.trimEnd().split('\r\n')
  expect(headings).toBe(HEADINGS)
  return lines.map((line) => line.split(';')[2]?.replaceAll('"', ''))
}

it('informers:export has a row for each pair, without what a program would run, and is taken back', async () => {
  const people = [
    'Nome;Sobrenome;E-mail;CPF;Telefone;Pronome;Função;Diocese;Foto;Processo;Grupo',
    'Zita;Reis;zita@example.org;012.345.670-32;(11) 5555-0100;Dom;Pároco;Diocese de Cruzeiro do Sul;https://example.org/z;BR-2026-002;Grupo 6',
    'Zita;Reis;zita@example.org;;;;;;;BR-2026-001;Grupo 2',
    '"\'=HYPERLINK(""x"")";"\'\'#1";alfa@example.org;;+55 1',
  ].join('\n')
  expect((await importFile(people)).code).toBe(0)

  const { code, stdout, stderr } = await runExport()
  expect([code, stderr]).toEqual([0, ''])
  const [headings, first, ...lines] = stdout.split('\r\n')
  expect(headings).toBe(HEADINGS)
  expect(first).toBe(
    `"'=HYPERLINK(""x"")";"''#1";"alfa@example.org";"";"'+55 1";"";"";"";"";"";"";""`,
  )
  expect(lines.slice(-3)).toEqual([
    ...['"BR-2026-002";"Grupo 6"', '"BR-2026-001";"Grupo 2"'].map(
      (pair) =>
        `"Zita";"Reis";"zita@example.org";"012.345.670-32";"(11) 5555-0100";"Dom";"Pároco";"Diocese de Cruzeiro do Sul (AC)";${pair};"https://example.org/z";"Pendente"`,
    ),
    '',
  ])
  expect(await importFile(stdout)).toEqual({
    code: 0,
    stdout: 'Cadastrados: 0\nJá cadastrados: 5\nRecusados: 0\n',
    stderr: '',
  })
})

describe('informers:export narrows', () => {
  it.each([
    [['--process', 'br-2026-002', '--group', 'grupo 4'], ['ana@example.org']],
    [['--process', 'BR-2026-001', '--status', 'Em andamento'], ['bento@example.org']],
    [['--status', 'Concluído'], ['ana@example.org']],
    [['--group', 'Grupo 5'], ['bento@example.org']],
    [['--group', 'Grupo 5', '--status', 'Concluído'], []],
  ])('to the pairs of %j', async (options, emails) => {
    expect(await emailsOf(...options)).toEqual(emails)
  })

  it.each([
    [['--process', 'X-1'], '"X-1": não foi encontrado'],
    [
      ['--process', 'BR-2026-001', '--group', 'Não há'],
      '"BR-2026-001", "Não há": não foi encontrado',
    ],
    [
      ['--status', 'Feito'],
      /422 .+ deve ser um destes: Pendente, Em andamento, Concluído\./,
    ],
  ])('to nothing by %j, and says so', async (options, message) => {
    const { code, stdout, stderr } = await runExport(...options)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(message)
  })
})

it('informers:export --output writes for its owner alone, and replaces a file with --force alone', async () => {
  const path = join(office.folder, 'export.csv')
  writeFileSync(path, 'of somebody', { mode: 0o644 })
  const { code, stderr } = await runExport('--output', path)
  expect([code, readFileSync(path, 'utf8')]).toEqual([1, 'of somebody'])
  expect(stderr).toBe(
    `Não foi possível exportar: o arquivo ${path} já existe: para substituí-lo, --force\n`,
  )

  expect(await runExport('--output', path, '--force')).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
  expect(readFileSync(path, 'utf8')).toBe((await runExport()).stdout)
  expect(statSync(path).mode & 0o777).toBe(0o600)

  const full = await runExport('--output', '/dev/full', '--force')
  expect(full.stderr).toBe(
    'Não foi possível exportar: o arquivo /dev/full não pode ser escrito (ENOSPC)\n',
  )
})
