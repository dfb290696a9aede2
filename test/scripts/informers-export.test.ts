import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from './in-process.ts'
import { withServer } from './service-proxy.ts'
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
  ].join('\n')
  expect((await importFile(people)).code).toBe(0)
  await office.call('POST', '/informers', {
    first_name: '=HYPERLINK("x")',
    last_name: "'#1",
    email: 'alfa@example.org',
    phone: '+55 1',
  })

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
    [['--status', 'concluido'], ['ana@example.org']],
    [['--group', 'Grupo 5'], ['bento@example.org']],
    [['--group', 'Grupo 5', '--status', 'Concluído'], []],
  ])('to the pairs of %j', async (options, emails) => {
    expect(await emailsOf(...options)).toEqual(emails)
  })

  it.each([
    [['--process', 'X-1'], '"X-1": não está no serviço'],
    [
      ['--process', 'BR-2026-001', '--group', 'Não há'],
      '"BR-2026-001", "Não há": não está no serviço',
    ],
  ])('to nothing by %j, and says so', async (options, message) => {
    const { code, stdout, stderr } = await runExport(...options)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
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

  const device = await runExport('--output', '/dev/full', '--force')
  expect(device.stderr).toBe('Não foi possível exportar: /dev/full não é um arquivo\n')
})

describe('informers:export --output, where a pipe appears meanwhile,', () => {
  const path = join(office.folder, 'pipe.csv')
  const exportToPipe = (...options: string[]) =>
    withServer(
      office.service.baseUrl,
      async (_, __, forward) => {
        if (!existsSync(path)) execFileSync('mkfifo', [path])
        await forward()
      },
      (baseUrl) =>
        runInProcess('informers-export', [baseUrl, '--output', path, ...options], {
          env: { ACCESS_TOKEN: office.service.token },
        }),
    )

  it('writes nothing', async () => {
    const { code, stderr } = await exportToPipe()
    expect([code, stderr]).toEqual([1, expect.stringContaining('já existe')])
    expect(statSync(path).isFIFO()).toBe(true)
    rmSync(path)
  })

  it('replaces it with --force', async () => {
    expect(await exportToPipe('--force')).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(path).isFile()).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})

it('informers:export prints nothing that moves a terminal, whatever the service says', async () => {
  const [known] = await office.call('GET', '/informers?per_page=1')
  const data = [{ ...known, first_name: '\u001B[2J=1\r\n\u009B1A+1\u0007' }]
  const pagination = { total: 1, has_more_pages: false }
  const { stdout } = await withServer(
    office.service.baseUrl,
    async (_, response) =>
      response.end(JSON.stringify({ success: true, data, pagination })),
    (baseUrl) =>
      runInProcess('informers-export', [baseUrl], {
        env: { ACCESS_TOKEN: office.service.token },
      }),
  )
  expect(stdout).toContain(`\r\n"'=1 +1";`)
  expect(stdout.replaceAll('\r\n', '')).not.toMatch(/\p{Cc}/u)
})

describe('informers:export, while people change between its pages,', () => {
  const path = () => join(office.folder, 'everybody.csv')
  const emails = Array.from({ length: 110 }, (_, at) => `pagina${100 + at}@example.org`)

  beforeAll(async () => {
    const lines = emails.map((email) => `Ada;${email}`)
    expect((await importFile(['Nome;E-mail', ...lines].join('\n'))).code).toBe(0)
  })

  const firstTwo = () => office.call('GET', '/informers?per_page=2')

  /** Exports, and does something before each page is read. */
  function exportWhile(change: (page: number, reading: number) => Promise<unknown>) {
    let reading = 0
    return withServer(
      office.service.baseUrl,
      async ({ url = '' }, _, forward) => {
        const page = Number(new URL(url, 'http://x').searchParams.get('page'))
        if (page === 1) reading += 1
        await change(page, reading)
        await forward()
      },
      (baseUrl) =>
        runInProcess('informers-export', [baseUrl, '--output', path(), '--force'], {
          env: { ACCESS_TOKEN: office.service.token },
        }),
    )
  }

  it('has everybody who stays, whoever is deleted, renamed and created', async () => {
    const [deleted, renamed] = await firstTwo()
    const changes: Record<string, () => Promise<unknown>> = {
      // this reading misses the 101st, although it has as many people as before
      'page 2 of reading 1': async () => {
        await office.call('DELETE', `/informers/${deleted.id}`)
        await office.call('POST', '/informers', { first_name: 'Zulmira' })
      },
      // and this one the next
      'page 2 of reading 2': () =>
        office.call('PATCH', `/informers/${renamed.id}`, { first_name: 'Zuleica' }),
    }
    const result = await exportWhile(async (page, reading) =>
      changes[`page ${page} of reading ${reading}`]?.(),
    )
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' })
    const exported = readFileSync(path(), 'utf8').match(/pagina\d+@example\.org/g)
    expect(exported?.toSorted()).toEqual(
      emails.filter((email) => email !== deleted.email),
    )
  })

  it('writes nothing if every reading misses somebody', async () => {
    rmSync(path(), { force: true })
    const [{ id, first_name }] = await firstTwo()
    const result = await exportWhile((page) =>
      office.call('PATCH', `/informers/${id}`, {
        first_name: page === 1 ? first_name : 'Zulmira',
      }),
    )
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Não foi possível exportar: os cadastros mudam enquanto são lidos; repita o comando\n',
    })
    expect(existsSync(path())).toBe(false)
  })
})
