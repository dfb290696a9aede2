import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'
import { withServer } from './service-proxy.ts'

const services = [demoService(), demoService()] as const

/** Runs a command as an office does, with its standard output in a file. */
async function npmRunTo(file: string, command: string) {
  const path = join(services[0].stateDir, file)
  const line = `npm run --silent ${command.replace('URL', services[0].baseUrl)} > ${path}`
  await promisify(execFile)('sh', ['-c', line], {
    env: { ...process.env, ACCESS_TOKEN: services[0].token },
  })
  return readFileSync(path, 'utf8')
}

function run(command: string, at: 0 | 1, args: string[]) {
  const { baseUrl, token } = services[at]
  return runInProcess(command, [baseUrl, ...args], { env: { ACCESS_TOKEN: token } })
}
const exportFrom = async (at: 0 | 1, ...filters: string[]) =>
  (await run('informers-export', at, filters)).stdout

function importText(text: string, at: 0 | 1, ...options: string[]) {
  const path = join(services[at].stateDir, 'import.csv')
  writeFileSync(path, text)
  return run('informers-import', at, [path, ...options])
}

/** An export as another service takes it: without ID and instant. */
const withoutOwnColumns = (csv: string) =>
  csv.replace(/^(\uFEFF?)"[^"]*";/gm, '$1').replace(/;"[^"]*"\r$/gm, '\r')

/** What a spreadsheet program would run, or trip over. */
const ODD = [
  ['=HYPERLINK("x")', '+55 (11) 5555-0105'],
  ["'=1+1", '-1'],
  ["''Zé", '@mario'],
  ['Rosa; "a Linda"', "'"],
]

it('the export is taken back as it was: exported again, it has the same bytes, elsewhere the same lines', async () => {
  const rows = ODD.map(
    ([name, phone], at) =>
      `"${name?.replaceAll('"', '""')}";"Ímpar";impar${at}@example.org;"${phone}"`,
  )
  const people = [
    'Nome;Sobrenome;E-mail;CPF;Telefone;Função;Diocese;Processo;Grupo;Foto',
    'Zita;Reis;;012.345.670-32;;Pároco;Diocese de Cruzeiro do Sul;BR-2026-002;Grupo 6;https://example.org/z.png',
    'Zita;Reis;;012.345.670-32;;Pároco;Diocese de Cruzeiro do Sul;BR-2026-001;Grupo 2;https://example.org/z.png',
    'Zita;Reis;zita@example.org;;;;;;;',
    'Só;Nome;;;;;;;;',
  ]
  // what is not escaped, the import reads as it is, but for the apostrophe of an escaped formula
  expect(
    (await importText(['Nome;Sobrenome;E-mail;Telefone', ...rows].join('\n'), 0)).code,
  ).toBe(0)
  expect((await importText(people.join('\n'), 0)).code).toBe(0)
  const first = await npmRunTo('first.csv', 'informers:export -- URL')
  expect(first.startsWith('\uFEFF"ID";"Nome";"Sobrenome";"E-mail";"CPF";')).toBe(true)
  expect(first).toContain(
    `"'=HYPERLINK(""x"")";"Ímpar";"impar0@example.org";"";"'+55 (11) 5555-0105"`,
  )
  expect(first).toContain(`"'-1"`)
  expect(first).toContain(`"'@mario"`)
  expect(first).toContain('"012.345.670-32"')
  expect(first).toMatch(
    /"BR-2026-002";"Grupo 4";"";"Concluído";"\d{4}-[\d-]+T[\d:.]+Z"\r\n/,
  )

  expect(await importText(first, 0)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Já conhecidos: 10\n'),
  })
  expect(await exportFrom(0)).toBe(first)

  // elsewhere; the demo users are there already
  expect(await importText(withoutOwnColumns(first), 1)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Cadastrados: 7\n'),
  })
  const linesOf = (text: string) => withoutOwnColumns(text).split('\r\n').toSorted()
  expect(linesOf(await exportFrom(1))).toEqual(linesOf(first)) // namesakes by other ids
})

it.each([
  [['--process', 'br-2026-002', '--group', 'grupo 4'], ['ana@example.org']],
  [['--process', 'BR-2026-001', '--status', 'em andamento'], ['bento@example.org']],
  [['--status', 'Concluído'], ['ana@example.org']],
  [['--group', 'Grupo 5'], ['bento@example.org']],
])('exports only the pairs of %j', async (filters, emails) => {
  const [, ...lines] = (await exportFrom(0, ...filters)).trimEnd().split('\r\n')
  expect(lines.map((line) => line.split(';')[3]?.replaceAll('"', ''))).toEqual(emails)
})

it('tells that nobody has what a filter asks for, which may be misspelt', async () => {
  const filters = ['--process', 'BR-2026-001', '--status', 'Feito']
  const { code, stdout, stderr } = await run('informers-export', 0, filters)
  expect([code, stderr]).toEqual([0, 'Ninguém foi exportado.\n'])
  expect(stdout).toMatch(/^\uFEFF"ID";.+\r\n$/)
})

it('writes no terminal escapes that a hostile service sends', async () => {
  const { code, stdout } = await withServer(
    services[0].baseUrl,
    async (_, response) => {
      const text = '\u001B]0;X\u0007Ana\u009B31m  Reis'
      const informer = {
        id: 'x',
        first_name: text,
        last_name: text,
        full_name: text,
        email: text,
        cpf: text,
        phone: text,
        img_url: text,
        has_password: true,
        updated_at: text,
        category: null,
        treatment_pronoun: null,
        diocese: null,
        processes_groups: [],
      }
      response.end(JSON.stringify({ success: true, data: [informer] }))
    },
    (baseUrl) =>
      runInProcess('informers-export', [baseUrl], {
        env: { ACCESS_TOKEN: services[0].token },
      }),
  )
  expect(code).toBe(0)
  expect(stdout.replace(/\r\n/g, '')).not.toMatch(/\p{Cc}/u)
  expect(stdout).toContain('"]0;XAna31m  Reis"')
})

it('--template writes the headings of all columns', async () => {
  expect(await npmRunTo('template.csv', 'informers:import -- --template')).toBe(
    '\uFEFF"Nome";"Sobrenome";"E-mail";"CPF";"Telefone";"Pronome";"Função";"Diocese";"Processo";"Grupo";"Senha";"Foto";"Confirmar e-mail"\r\n',
  )
})
