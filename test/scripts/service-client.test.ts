import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { authenticate } from '../../scripts/commands/service/login.ts'
import { create, readList, send } from '../../scripts/commands/service/service-client.ts'
import { freePort } from '../../scripts/lib/local-run.ts'

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  count: number,
) => unknown

const item = z.object({ id: z.number() })
const CREATED = JSON.stringify({ success: true, data: { id: 1 } })
const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** A server that responds as it likes, and what it was sent. */
async function serve(handle: Handler) {
  const requests: { url: string; headers: IncomingMessage['headers']; body: string }[] =
    []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    request.url = request.url?.replace('/v1', '') ?? ''
    requests.push({ url: request.url, headers: request.headers, body })
    response.setHeader('Content-Type', 'application/json')
    handle(request, response, requests.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const service = { baseUrl: `http://127.0.0.1:${port}/v1`, token: 'token' }
  return { service, requests }
}

const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: Error) => error.message,
  )

describe('a lost connection', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0.01) // short pauses
  })

  it('in the middle of a response, or in a proxy that says so, is followed by the same request', async () => {
    const { service, requests } = await serve((_, response, count) => {
      if (count === 1) return response.writeHead(502).end('<html>')
      response.writeHead(201, { 'Content-Length': CREATED.length })
      response.write(CREATED.slice(0, 9))
      setImmediate(() =>
        count === 2 ? response.socket?.destroy() : response.end(CREATED.slice(9)),
      )
    })
    expect(await create(service, '/informers', { first_name: 'Rui' }, item)).toEqual({
      id: 1,
    })
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)))
    expect(new Set(keys).size).toBe(1)
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
  })

  it('ends the run after six of them, and says that it may be repeated', async () => {
    const { service, requests } = await serve((request) => request.socket.destroy())
    expect(await messageOf(send(service, 'PUT', '/informers/1/groups/2'))).toMatch(
      /^http:.+\/informers\/1\/groups\/2: .+\. O que já foi feito permanece, e .+ sem risco\.$/,
    )
    expect(requests).toHaveLength(6)
  })

  const plainServer = async () => (await serve(() => undefined)).service.baseUrl
  it.each([
    [
      'a closed port',
      async () => `http://127.0.0.1:${await freePort()}`,
      'a conexão foi recusada (ECONNREFUSED)',
    ],
    [
      'a server without TLS',
      async () => (await plainServer()).replace('http:', 'https:'),
      'a conexão segura falhou (ERR_SSL_',
    ],
  ])('to %s is told in Portuguese', async (_, getUrl, problem) => {
    const baseUrl = await getUrl()
    const message = await messageOf(send({ baseUrl }, 'PUT', '/x'))
    expect(message).toContain(`${baseUrl}/x: ${problem}`)
  })
})

it('a service that asks for more than a minute ends the run, and keeps what was done', async () => {
  const { service, requests } = await serve((_, response, count) =>
    count === 2
      ? response.end(CREATED)
      : response.writeHead(429, { 'Retry-After': '61' }).end('{"message":"Espere."}'),
  )
  const refused = () => messageOf(send(service, 'PUT', '/x'))
  expect(await refused()).toMatch(/: 429 Espere\.$/)
  await send(service, 'PUT', '/x')
  expect(await refused()).toMatch(/: 429 Espere\. O que já foi feito permanece, .+\.$/)
  expect(requests).toHaveLength(3)
})

describe('what is read', () => {
  const megabyte = Buffer.alloc(1_000_000)
  const page = { data: [{ id: 1 }], pagination: { total: 1, has_more_pages: true } }

  it.each<[string, Handler]>([
    [
      'responses',
      (_, response) => {
        const sendMore = () => response.write(megabyte, (error) => error || sendMore())
        sendMore()
      },
    ],
    ['lists', (_, response) => response.end(JSON.stringify({ success: true, ...page }))],
  ])('ends, although a service sends %s without one', async (_, handle) => {
    const { service } = await serve(handle)
    expect(await messageOf(readList(service, '/x', item))).toMatch(
      /: não é uma resposta deste serviço\.$/,
    )
  })

  it.each([
    '{"success":true,"data":[{"id":"1"}]}',
    '{"success":false,"data":[]}',
    '{"success":true,"data":[],"pagination":{"has_more_pages":true}}', // would never end
    '<html>',
    '',
  ])('is told from a response of the service: %s', async (body) => {
    const { service } = await serve((_, response) => response.writeHead(200).end(body))
    expect(await messageOf(readList(service, '/x', item))).toMatch(
      /^http:\S+: não é uma resposta deste serviço\.$/,
    )
  })
})

/** Types a line at the prompts of a terminal while work runs. */
async function atTerminal<Result>(
  line: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => terminal,
  })
  const { stdin } = process
  const silent = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  Object.defineProperty(process, 'stdin', { value: terminal, configurable: true })
  setImmediate(() => terminal.write(`${line}\r`))
  try {
    return await work()
  } finally {
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
    silent.mockRestore()
  }
}

describe('a session that ends', () => {
  const LOGIN = { login: 'a@example.org', insecure: false }

  /** Takes only the token of the last login. */
  const serveSessions = () => {
    let logins = 0
    return serve((request, response) => {
      if (request.url === '/auth/login') {
        logins += 1
        return response.end(
          JSON.stringify({ success: true, data: { access_token: `token${logins}` } }),
        )
      }
      const isValid =
        logins > 1 && request.headers.authorization === `Bearer token${logins}`
      response.writeHead(isValid ? 200 : 401)
      response.end(
        isValid ? '{"success":true}' : '{"success":false,"message":"Token inválido"}',
      )
    })
  }

  it('is followed by another with the same password, once for all calls', async () => {
    const { service, requests } = await serveSessions()
    const session = await atTerminal('Senha2026', () =>
      authenticate(service.baseUrl, LOGIN, []),
    )
    await Promise.all(['/a', '/b', '/c'].map((path) => send(session, 'PUT', path)))
    const logins = requests.filter(({ url }) => url === '/auth/login')
    const body = JSON.stringify({ email: 'a@example.org', password: 'Senha2026' })
    expect(logins.map((login) => login.body)).toEqual([body, body])
    expect(requests.filter(({ url }) => url === '/a')).toHaveLength(2)
  })

  it('ends the run where the password was changed meanwhile', async () => {
    let logins = 0
    const { service } = await serve(({ url }, response) => {
      logins += url === '/auth/login' ? 1 : 0
      const isFirst = url === '/auth/login' && logins === 1
      response.writeHead(isFirst ? 200 : 401)
      response.end(
        isFirst ? '{"success":true,"data":{"access_token":"t"}}' : '{"message":"Não."}',
      )
    })
    const session = await atTerminal('Senha2026', () =>
      authenticate(service.baseUrl, LOGIN, []),
    )
    expect(await messageOf(send(session, 'PUT', '/a'))).toMatch(
      /\/auth\/login: 401 Não\.$/,
    )
    expect(logins).toBe(2)
  })

  it('ends the run where the token came from the environment', async () => {
    vi.stubEnv('ACCESS_TOKEN', 'token')
    const { service, requests } = await serveSessions()
    const session = await authenticate(service.baseUrl, { insecure: false }, [])
    expect(await messageOf(send(session, 'PUT', '/a'))).toBe(
      [
        `${service.baseUrl}/a: 401 Token inválido.`,
        'A sessão terminou, ou o token é inválido. Entre de novo.',
      ].join(' '),
    )
    expect(requests).toHaveLength(1)
  })
})

it('a message of the service is one line, whatever is in it', async () => {
  const content = { message: 'x', errors: { 'a\nb': ['c\r\nd\u2028e\u001B[31mf'] } }
  const { service } = await serve((_, response) =>
    response.writeHead(422).end(JSON.stringify(content)),
  )
  expect(await messageOf(send(service, 'PUT', '/x'))).toMatch(/: 422 a b: c d ef$/)
})

describe('a secret is in no message', () => {
  const authenticateAt = (url: string) =>
    messageOf(authenticate(url, { insecure: true }, []))

  it('about an ACCESS_TOKEN that is none', async () => {
    vi.stubEnv('ACCESS_TOKEN', 'segredo\nsegredo')
    const message = await authenticateAt('https://service.example/v1')
    expect(message).toBe('ACCESS_TOKEN não é um token de acesso.')
  })

  it.each([
    'https://user:segredo@service.example/v1',
    'https://user:se/gredo@service.example/v1',
    'user:segredo@service.example',
  ])('about an address like %s', async (url) => {
    vi.stubEnv('ACCESS_TOKEN', 'token')
    const message = await authenticateAt(url)
    expect(message).toBe('O endereço não pode ter nome de usuário nem senha.')
  })
})
