import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { demoService } from './demo-service.ts'
import { hashPassword } from '#security/passwords.ts'

const service = demoService()
/** Makes pieces arrive separately. */
const PAUSE_MS = 5

/** Sends pieces one by one, and reads until the response is complete or the connection closed. */
async function exchange(pieces: string[], { breaksOff = false } = {}): Promise<string> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  let response = ''
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.on('data', (chunk) => {
      response += chunk
      if (/\r\n\r\n.*[}\n]$/s.test(response)) resolve()
    })
  })
  socket.on('error', () => undefined) // the server closes while the client still writes
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece)
    await setTimeout(PAUSE_MS)
  }
  if (breaksOff) socket.end()
  await ended
  socket.destroy()
  return response
}

const head = (...headers: string[]) =>
  [
    'POST /v1/auth/login HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1])

describe('on the wire', () => {
  it('a slow, chunked body is read completely', async () => {
    const body = JSON.stringify({ email: 'ana@example.org', password: 'Provisao2026' })
    const chunks = (body.match(/.{1,9}/g) ?? []).map(chunk)
    const pieces = [head('Transfer-Encoding: chunked'), ...chunks, '0\r\n\r\n']
    const response = await exchange(pieces)
    expect(statusOf(response)).toBe(200)
    expect(response).toContain('"token_type":"Bearer"')
  })

  it('a body that is announced too large is rejected before it is sent', async () => {
    const response = await exchange([head('Content-Length: 1000000000')])
    expect(statusOf(response)).toBe(413)
    expect(response).toContain('O corpo da requisição é grande demais.')
  })

  it('a token with a line separator is invalid, and not missing', async () => {
    const lines = ['GET /v1/categories HTTP/1.1', 'Host: localhost']
    const token = 'Authorization: Bearer \u2028x'
    const response = await exchange([[...lines, token, '', ''].join('\r\n')])
    expect(statusOf(response)).toBe(401)
    expect(response).toContain('Token inválido')
  })

  it('a chunked body is read no further than the limit', async () => {
    const piece = chunk(' '.repeat(8 * 1024))
    const response = await exchange([
      head('Transfer-Encoding: chunked'),
      ...Array<string>(40).fill(piece),
    ])
    expect(statusOf(response)).toBe(413)
  })

  it.each([
    ['oversized headers', [head(`X-Long: ${'x'.repeat(200_000)}`)]],
    [
      'an oversized path',
      [
        `GET /v1/categories?search=${'x'.repeat(200_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ],
    ],
    ['no HTTP', ['\u0016\u0003\u0001\u0002\u0000\r\n\r\n']],
    ['a request that is broken off', [head('Content-Length: 100'), '{"email":']],
  ])('%s leave the service available to others', async (_, pieces) => {
    const status = statusOf(await exchange(pieces, { breaksOff: true }))
    expect(Number.isNaN(status) || (status >= 400 && status < 500)).toBe(true)
    const health = await fetch(`${service.baseUrl}/health`)
    expect(health.status).toBe(200)
  })

  const LINES = [
    'GET /v1/health',
    'GET /v1/categories',
    'GET /v1/cover',
    'GET /',
    'POST /v1/auth/login',
  ]

  it.each([
    '[',
    'a b',
    '%zz',
    'a@b',
    'a:99999',
    '..',
    'é',
    'a/b',
    'http://a/',
    '"',
    '\\',
  ])('a malformed host, %s, gets a response of the service', async (host) => {
    for (const line of LINES) {
      const response = await exchange([`${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`], {
        breaksOff: true,
      })
      expect(statusOf(response)).toBeLessThan(500)
      expect(response).toMatch(
        /^(Content-Type: application\/json|Location: \/v1\/docs)\r$/im,
      )
    }
  })

  it.each(['Host:', 'X-No-Host: a'])(
    'workerd itself rejects the header %s',
    async (header) => {
      const response = await exchange([`GET /v1/health HTTP/1.1\r\n${header}\r\n\r\n`], {
        breaksOff: true,
      })
      expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    },
  )

  it('lookups are answered between the hashes of logins that came before them', async () => {
    const email = 'bento@example.org'
    const atFullCost = await hashPassword('another password')
    await service.database
      .prepare('update users set password_hash = ? where email = ?')
      .bind(atFullCost, email)
      .run()
    const answered: string[] = []
    const logIn = async (address: string) => {
      await fetch(`${service.baseUrl}/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address },
        body: JSON.stringify({ email, password: 'Errada2026' }),
      })
      answered.push('login')
    }
    const logins = Array.from({ length: 15 }, (_, n) => logIn(`192.0.2.${n}`))
    await Promise.race(logins)
    while (answered.filter((name) => name === 'login').length < logins.length) {
      await fetch(`${service.baseUrl}/categories`)
      answered.push('lookup')
    }
    await Promise.all(logins)
    expect(answered.join(' ')).toMatch(/login lookup .*login/)
  })

  it('the service logged lines of requests, and nothing of their content', () => {
    expect(service.logs.length).toBeGreaterThan(3)
    expect(service.logs.join('\n')).not.toMatch(/@|Provisao2026|xxx|eyJ/)
  })
})
