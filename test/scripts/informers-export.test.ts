import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { demoService } from './demo-service.ts'

const services = [demoService(), demoService()] as const

/** Runs a command as an office does, with its standard output in a file. */
function run(command: string, file: string, at: 0 | 1 = 0) {
  const { stateDir, baseUrl, token } = services[at]
  const path = join(stateDir, file)
  const line = `npm run ${command.replace('URL', baseUrl)} > ${path}`
  const env = { ...process.env, ACCESS_TOKEN: token }
  const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8', env })
  return { status, stderr, output: readFileSync(path, 'utf8') }
}

const exportTo = (file: string, filters = '', at: 0 | 1 = 0) =>
  run(`informers:export -- URL ${filters}`, file, at).output

function importText(text: string, options = '', at: 0 | 1 = 0) {
  const path = join(services[at].stateDir, 'import.csv')
  writeFileSync(path, text)
  return run(`informers:import -- URL ${path} ${options}`, 'report.txt', at)
}

/** What a spreadsheet program would run, or trip over. */
const ODD = [
  ['=HYPERLINK("x")', '+55 (11) 5555-0105'],
  ["'=1+1", '-1'],
  ["''Zé", '@mario'],
  ['Rosa; "a Linda"', "'"],
]

it('the export is taken back as it was: exported again, it has the same bytes', () => {
  const rows = ODD.map(
    ([name, phone], at) => `"${name?.replaceAll('"', '""')}";"Ímpar";impar${at}@example.org;"${phone}"`,
  )
  const people = [
    'Nome;Sobrenome;E-mail;CPF;Telefone;Função;Diocese;Processo;Grupo;Foto',
    'Zita;Reis;;012.345.670-32;;Pároco;Diocese de Cruzeiro do Sul;BR-2026-002;Grupo 6;https://example.org/z.png',
    'Zita;Reis;;012.345.670-32;;Pároco;Diocese de Cruzeiro do Sul;BR-2026-001;Grupo 2;https://example.org/z.png',
    'Zita;Reis;zita@example.org;;;;;;;',
    'Só;Nome;;;;;;;;',
  ]
  // what is not escaped, the import reads as it is, but for the apostrophe of an escaped formula
  expect(importText(['Nome;Sobrenome;E-mail;Telefone', ...rows].join('\n')).status).toBe(0)
  expect(importText(people.join('\n')).status).toBe(0)
  const first = exportTo('first.csv')
  expect(first.startsWith('\uFEFF"Nome";"Sobrenome";"E-mail";"CPF";')).toBe(true)
  expect(first).toContain(`"'=HYPERLINK(""x"")";"Ímpar";"impar0@example.org";"";"'+55 (11) 5555-0105"`)
  expect(first).toContain(`"'-1"`)
  expect(first).toContain(`"'@mario"`)
  expect(first).toContain('"012.345.670-32"')
  expect(first).toContain('"BR-2026-002";"Grupo 4";"";"Concluído"\r\n')

  expect(importText(first)).toMatchObject({
    status: 0,
    output: expect.stringContaining('Já conhecidos: 10\n'),
  })
  expect(exportTo('again.csv')).toBe(first)

  // elsewhere; the demo users are there already
  expect(importText(first, '', 1)).toMatchObject({
    status: 0,
    output: expect.stringContaining('Cadastrados: 7\n'),
  })
  expect(exportTo('elsewhere.csv', '', 1)).toBe(first)
})

it.each([
  ['--process BR-2026-002 --group "grupo 4"', ['ana@example.org']],
  ['--process "provisao da diocese de vila serena" --status "em andamento"', ['bento@example.org']],
  ['--status Concluído', ['ana@example.org']],
  ['--group "Grupo 5"', ['bento@example.org']],
])('exports only the pairs of %s', (filters, emails) => {
  const [, ...lines] = exportTo('filtered.csv', filters).trimEnd().split('\r\n')
  expect(lines.map((line) => line.split(';')[2]?.replaceAll('"', ''))).toEqual(emails)
})

it.each([
  ['--process X', 'o processo "X" não existe'],
  ['--group "Grupo 9"', 'o grupo "Grupo 9" não existe'],
  ['--status Feito', 'a situação deve ser uma destas: Pendente, Em andamento, Concluído'],
])('rejects %s', (filters, message) => {
  const { status, stderr } = run(`--silent informers:export -- URL ${filters}`, 'none.csv')
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Não foi possível exportar: ${message}\n`)])
})

it('corrects telephones by export, an edit and --update', () => {
  const edited = exportTo('phones.csv').replace(/("bento@example.org";"";)""/, '$1"(11) 5555-0106"')
  expect(importText(edited, '--update').output).toMatch(/linha \d+, Bento Ferreira: alterado: Telefone\n/)
  expect(exportTo('phones.csv')).toBe(edited)
})

it('--template writes the headings of all columns', () => {
  const { output } = run('informers:import -- --template', 'template.csv')
  expect(output).toBe(
    '\uFEFF"Nome";"Sobrenome";"Nome completo";"E-mail";"CPF";"Telefone";"Pronome";"Função";"Diocese";"Processo";"Grupo";"Senha";"Foto";"Confirmar e-mail"\r\n',
  )
})
