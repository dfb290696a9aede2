import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
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
      /^http:.+\/informers\/1\/groups\/2: .+\. O comando pode ser repetido sem risco\.$/,
    )
    expect(requests).toHaveLength(6)
  })

  it('is told in Portuguese', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const message = await messageOf(send({ baseUrl }, 'PUT', '/x'))
    expect(message).toContain(`${baseUrl}/x: a conexão falhou (ECONNREFUSED). `)
  })
})

it('a service that asks for more than a minute ends the run', async () => {
  const { service, requests } = await serve((_, response) =>
    response.writeHead(429, { 'Retry-After': '61' }).end('{"message":"Espere."}'),
  )
  expect(await messageOf(send(service, 'PUT', '/x'))).toMatch(
    /: 429 Espere\. O comando pode ser repetido sem risco\.$/,
  )
  expect(requests).toHaveLength(1)
})

it.each([
  '{"success":true,"data":[{"id":"1"}]}',
  '{"success":false,"data":[]}',
  '<html>',
  '',
])('what is no response of the service is told from one: %s', async (body) => {
  const { service } = await serve((_, response) => response.writeHead(200).end(body))
  expect(await messageOf(readList(service, '/x', item))).toMatch(
    /^http:\S+: não é uma resposta deste serviço\. /,
  )
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
    expect(message).toBe(
      'O endereço do serviço é https://HOST/v1, sem usuário nem senha.',
    )
  })
})
