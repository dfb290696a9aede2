import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, logIn } from '../../scripts/lib/demo.ts'
import { freePort } from '../../scripts/lib/ports.ts'
import { npmRun, startService, temporaryState } from '../../scripts/lib/service-process.ts'
import { runInProcess } from './in-process.ts'

const { stateDir, remove } = temporaryState()
const files = temporaryState()
const temporary = join(files.stateDir, 'tmp')
mkdirSync(temporary)
let service: Awaited<ReturnType<typeof startService>>
let token: string

beforeAll(async () => {
  service = await startService({ STATE_DIR: stateDir })
  token = await logIn(service.baseUrl, 'admin@example.org')
})
afterAll(async () => {
  await service?.kill()
  remove()
  files.remove()
})

function fileOf(content: string | Uint8Array): string {
  const file = join(files.stateDir, 'informers.csv')
  writeFileSync(file, content)
  return file
}

const environment = (accessToken: string) => ({ ACCESS_TOKEN: accessToken, TMPDIR: temporary })

/** Runs the command, with a line of input and an access token. */
const run = (args: string[], { accessToken = token, input = '' } = {}) =>
  runInProcess('informers-import', args, { env: environment(accessToken), input: `${input}\n` })

const importFile = (content: string | Uint8Array, options: string[] = [], baseUrl = service.baseUrl) =>
  run([baseUrl, fileOf(content), ...options])

/** The informers with a text in their name or email. */
async function find(search: string) {
  const response = await fetch(
    `${service.baseUrl}/informers?per_page=100&search=${encodeURIComponent(search)}`,
    {
      headers: { Authorization: `Bearer ${token}` },
    },
  )
  // oxlint-disable-next-line no-explicit-any -- tests check the shape
  return (await response.json()) as { data: any[]; pagination: { total: number } }
}

const CORRECT = 'Correct the others and import the whole file again: no informer is created twice.\n'

/** A proxy to the service that can change how requests to create an informer are handled. */
async function withProxy<Result>(
  interfere: (count: number, response: ServerResponse, forward: () => Promise<void>) => Promise<unknown>,
  work: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  let count = 0
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    const forward = async () => {
      const upstream = await fetch(new URL(request.url ?? '', service.baseUrl), {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).filter(
          ([name]) => !/^(host|connection|content-length)$/.test(name),
        ) as [string, string][],
        ...(body.length > 0 ? { body } : {}),
      })
      if (!response.headersSent && !response.destroyed)
        response.writeHead(upstream.status, { 'Content-Type': 'application/json' })
      response.end(await upstream.text())
    }
    if (request.method !== 'POST') return forward()
    count += 1
    await interfere(count, response, forward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.close()
  }
}

describe('npm run informers:import', () => {
  it('creates the informers of a spreadsheet, and none twice', async () => {
    const csv = [
      'first_name;last_name;email;CPF;phone;password;require_email_verification;treatment_pronoun;category;diocese;process;group;img_url',
      'Joana;"d\'Arc Pereira";Joana@example.org;529.982.247-25;"(11) 5555-0000";Senha2026;não;dom;BISPO DIOCESANO;Diocese de Cruzeiro do Sul;BR-2026-001;grupo 3;https://example.org/joana.png',
      ';;;;;;;;;;;;',
      'Marta;Reis;marta@example.org;;;;VERDADEIRO;;;;Provisão da Arquidiocese de Porto Claro;Grupo 1;',
      'Sem;Contato;;;;;;;;;;;',
      '',
    ].join('\r\n')
    const done = { code: 0, stdout: '3 of 3 rows are registered.\n', stderr: '' }
    expect(await importFile(`\uFEFF${csv}`)).toEqual(done)
    const { data } = await find('joana')
    expect(data).toMatchObject([
      {
        full_name: "Joana d'Arc Pereira",
        email: 'joana@example.org',
        cpf: '52998224725',
        phone: '(11) 5555-0000',
        img_url: 'https://example.org/joana.png',
        treatment_pronoun: { name: 'Dom' },
        category: { name: 'Bispo Diocesano' },
        diocese: { name: 'Diocese de Cruzeiro do Sul' },
        process: { protocol: 'BR-2026-001' },
        group: { name: 'Grupo 3' },
      },
    ])
    expect((await find('marta')).data).toMatchObject([
      { process: { protocol: 'BR-2026-002' }, group: { name: 'Grupo 1' }, category: null },
    ])
    const login = (body: object) =>
      fetch(`${service.baseUrl}/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await login({ cpf: '52998224725', password: 'Senha2026' })).status).toBe(200)

    expect(readdirSync(temporary)).toEqual([])
    expect(service.output.stdout + service.output.stderr).not.toMatch(/joana|52998224725|Senha2026/i)

    expect(await importFile(csv)).toEqual(done)
    const columns = csv.replaceAll(';', ',')
    expect(await importFile(columns)).toEqual(done)
    for (const name of ['joana', 'marta', 'sem contato']) expect((await find(name)).pagination.total).toBe(1)
  })

  it('reports rejected rows by line with the messages of the service, and creates the rest', async () => {
    const csv = [
      'first_name,last_name,email,cpf,category,diocese,process,group,require_email_verification,password',
      'Ana,Outra,ana@example.org,11144477735,,,,,,',
      '"Rui\nAlves",,rui@example.org,,,,,,,',
      ',,sem-nome@example.org,11144477736,Bispo,Diocese de X,BR-2026-001,Grupo 9,,',
      'Noé,,noe@example.org,,,,BR-9,Grupo 1,,',
      'Davi,,davi@example.org,,,,BR-2026-001,,talvez,curta',
      'Léa,,lea@example.org,,,,,Grupo 1,sim,',
      'Tito,Certo,tito@example.org,,,,,,,',
      'Tito,Certo,TITO@example.org,,,,,,,',
      'Um,a mais,x@example.org,,,,,,,,sobra',
      'Um a menos,x@example.org',
      'Gil,,,,,,,,,',
      'Gil,,,,,,,,,',
      'Íris,,,,,,,,sim,',
    ].join('\n')
    const problems = [
      'line 3: first_name: O campo nome contém caracteres inválidos.',
      'line 5: category: "Bispo" was not found',
      'line 5: diocese: "Diocese de X" was not found',
      'line 5: group: "Grupo 9" was not found',
      'line 5: first_name: O campo nome é obrigatório.',
      'line 5: cpf: O CPF informado é inválido.',
      'line 6: process: "BR-9" was not found',
      'line 7: group: required with a process',
      'line 7: password: A senha deve ter pelo menos 6 caracteres.',
      'line 7: password: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
      'line 7: require_email_verification: O campo verificação de email deve ser verdadeiro ou falso.',
      'line 8: process: required with a group',
      'line 10: the same email as on line 9',
      'line 11: 11 cells, but the first row has 10',
      'line 12: 2 cells, but the first row has 10',
      'line 14: the same row as on line 13',
      'line 15: email: O email é obrigatório quando a verificação de email é exigida.',
    ]
    const dryRun = await importFile(csv, ['--dry-run'])
    expect(dryRun.stdout.split('\n')).toEqual([
      ...problems,
      '3 of 13 rows can be imported; nothing was sent.',
      ...CORRECT.split('\n'),
    ])
    expect([dryRun.code, (await find('tito')).pagination.total]).toEqual([1, 0])

    const { code, stdout } = await importFile(csv)
    expect(stdout.split('\n')).toEqual([
      'line 2: email: Este email já está cadastrado no sistema.',
      ...problems,
      '2 of 13 rows are registered.',
      ...CORRECT.split('\n'),
    ])
    expect([code, (await find('tito')).pagination.total, (await find('gil')).pagination.total]).toEqual([
      1, 1, 1,
    ])
  })

  it('creates no informer twice after an interruption', async () => {
    const csv = `first_name,last_name,email\n${Array.from({ length: 60 }, (_, at) => `Pessoa${at},Interrompida,pessoa${at}@example.org`).join('\n')}`
    let child: ChildProcess | undefined
    await withProxy(
      async (count, response, forward) => {
        if (count < 20) return forward()
        child?.kill('SIGKILL')
        await forward() // created, but the response is lost
        response.destroy()
      },
      async (baseUrl) => {
        const env = { ...process.env, ...environment(token) }
        child = spawn(process.execPath, ['scripts/informers-import.ts', baseUrl, fileOf(csv)], { env })
        expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
      },
    )
    // the last one may still be in progress
    expect((await find('interrompida')).pagination.total).toBeGreaterThanOrEqual(19)
    expect(await importFile(csv)).toMatchObject({ code: 0, stdout: '60 of 60 rows are registered.\n' })
    expect((await find('interrompida')).pagination.total).toBe(60)
  })

  it('creates no informer twice after a lost response', async () => {
    const csv =
      'first_name,email\nPerdida,perdida1@example.org\nPerdida,perdida2@example.org\nPerdida,perdida3@example.org\n'
    const lost = await withProxy(
      async (count, response, forward) => {
        if (count === 2) {
          response.socket?.destroy()
          await forward()
        } else await forward()
      },
      (baseUrl) => importFile(csv, [], baseUrl),
    )
    expect(lost.stdout).toBe(`1 of 3 rows are registered.\n${CORRECT}`)
    expect(lost.stderr).toMatch(/^Cannot import: http.+\/v1\/informers: .+\n$/)
    expect(await importFile(csv)).toMatchObject({ code: 0, stdout: '3 of 3 rows are registered.\n' })
    expect((await find('perdida')).pagination.total).toBe(3)
  })

  it('retries as the service requests, but not forever', async () => {
    const csv = 'first_name,email\nPaciente,paciente@example.org\n'
    const busy = (failures: number, seconds: number) =>
      withProxy(
        async (count, response, forward) => {
          if (count > failures) return forward()
          response.writeHead(count % 2 ? 503 : 429, { 'Retry-After': seconds })
          response.end('{"success":false,"message":"Serviço temporariamente indisponível."}')
        },
        (baseUrl) => importFile(csv, [], baseUrl),
      )
    for (const [failures, seconds] of [
      [6, 0],
      [1, 61],
    ] as const) {
      const { code, stderr } = await busy(failures, seconds)
      expect(stderr).toMatch(
        /^Cannot import: http.+\/v1\/informers: (429|503) Serviço temporariamente indisponível\.\n$/,
      )
      expect(code).toBe(1)
    }
    expect(await busy(5, 0)).toMatchObject({ code: 0, stdout: '1 of 1 rows are registered.\n' })
  })

  it('prompts for the password of --login', async () => {
    const args = [
      service.baseUrl,
      fileOf('first_name,email\nRosa,rosa@example.org\n'),
      '--login',
      'admin@example.org',
    ]
    const logInWith = (input: string) => run(args, { accessToken: '', input })
    expect(await logInWith(DEMO_PASSWORD)).toEqual({
      code: 0,
      stdout: '1 of 1 rows are registered.\n',
      stderr: '',
    })
    expect(await logInWith('Errada2026')).toEqual({
      code: 1,
      stdout: '',
      stderr: `Cannot import: ${service.baseUrl}/auth/login: 401 Credenciais inválidas.\n`,
    })
  })

  it.each([
    ['', 'the file is empty'],
    [
      'first_name,nome,email,email\nA,B,C,D\n',
      'column "nome" is unknown; column "email" is repeated. The columns are first_name, last_name, email, cpf, phone, img_url, password, require_email_verification, treatment_pronoun, category, diocese, process, group',
    ],
    ['email\nx@example.org\n', /^column "first_name" is missing\. The columns are /],
    [Buffer.from('first_name\nJosé\n', 'latin1'), 'the file is not UTF-8; save it as "CSV UTF-8"'],
    ['first_name,email\nAna,ok@example.org\n"Ana,x@example.org\n', /^Quote Not Closed: .+ line 3$/],
  ])('rejects a file such as %j', async (content, message) => {
    const { code, stdout, stderr } = await importFile(content)
    expect(stderr).toMatch(/^Cannot import: .+\n$/)
    expect(stderr.slice('Cannot import: '.length, -1)).toMatch(message)
    expect([code, stdout]).toEqual([1, ''])
  })

  it.each([
    [
      'a token that is none',
      [],
      { accessToken: 'x' },
      /^Cannot import: http.+\/v1\/processes\?.+: 401 Token inválido\n$/,
    ],
    ['no token', [], { accessToken: '' }, /^Missing: --login EMAIL, or ACCESS_TOKEN .+\nUsage: /],
  ])('reports %s', async (_, options, caller, message) => {
    const { code, stdout, stderr } = await run(
      [service.baseUrl, fileOf('first_name\nA\n'), ...options],
      caller,
    )
    expect(stderr).toMatch(message)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('reports a missing file and an unavailable service', async () => {
    const { stderr } = await run([service.baseUrl, '/nowhere.csv'])
    expect(stderr).toMatch(/^Cannot import: ENOENT: /)
    const nowhere = await importFile('first_name\nA\n', [], `http://127.0.0.1:${await freePort()}/v1`)
    expect(nowhere.stderr).toMatch(/^Cannot import: http.+\/v1\/processes\?.+: connect ECONNREFUSED .+\n$/)
  })

  it('reports a user that is not an administrator', async () => {
    const accessToken = await logIn(service.baseUrl, 'ana@example.org')
    const { stderr } = await run([service.baseUrl, fileOf('first_name\nA\n')], { accessToken })
    expect(stderr).toMatch(
      /^Cannot import: http.+\/v1\/processes\?.+: 403 Acesso restrito a administradores\.\n$/,
    )
  })

  it('shows its progress on a terminal, and asks for the password without showing it', async () => {
    const file = fileOf('first_name,email\nAna,barra1@example.org\nEva,barra2@example.org\n')
    const command = `stty cols 80; ${process.execPath} scripts/informers-import.ts ${service.baseUrl} ${file} --login admin@example.org`
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'])
    let screen = ''
    child.stdout.on('data', (chunk) => {
      if (!screen.includes('Password') && String(chunk).includes('Password'))
        setTimeout(() => child.stdin.write(`${DEMO_PASSWORD}\r`), 100)
      screen += chunk
    })
    const [code] = await once(child, 'close')
    expect(screen).toContain('2 of 2')
    expect(screen).not.toContain(DEMO_PASSWORD)
    expect(code).toBe(0)
  })

  it.each([
    [
      'a redirect',
      'http://127.0.0.1:PORT/v1',
      /redirects to https:\/\/elsewhere\.example\/, which is not followed\.\n$/,
    ],
    ['a list without end', 'http://127.0.0.1:PORT/endless', /processes: the list does not end\.\n$/],
    [
      'clear text',
      'http://service.example/v1',
      /^Cannot import: http:.+ is not encrypted\. Use https:, or --insecure /,
    ],
  ])('sends no password or token into %s', async (_, address, message) => {
    let calls = 0
    const server = createServer((request, response) => {
      calls += 1
      if (request.url?.startsWith('/v1'))
        return response.writeHead(307, { Location: 'https://elsewhere.example/' }).end()
      const page = { success: true, data: [], pagination: { has_more_pages: true } }
      return response.end(JSON.stringify(page))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const baseUrl = address.replace('PORT', String((server.address() as AddressInfo).port))
    const { code, stderr } = await importFile('first_name\nA\n', [], baseUrl)
    server.close()
    expect(stderr).toMatch(message)
    expect([code, calls]).toEqual([1, address.includes('PORT') ? 1 : 0])
  })

  it('prints its usage', async () => {
    const { code, stdout } = await npmRun('informers:import', ['--help']).ended
    expect(stdout).toMatch(
      /^Usage: npm run informers:import -- BASE_URL FILE\.csv \[--login EMAIL\] \[--dry-run\]\n/,
    )
    expect(code).toBe(0)
  })
})
