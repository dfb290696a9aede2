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

/** The text of a request without a body. */
const requestOf = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')
const POST = [
  'POST /v1/auth/login',
  'Host: localhost',
  'Content-Type: application/json',
] as const
const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1])

describe('on the wire', () => {
  it('a body that is announced too large is rejected before it is sent', async () => {
    const response = await exchange([requestOf(...POST, 'Content-Length: 1000000000')])
    expect(statusOf(response)).toBe(413)
    expect(response).toContain('O corpo da requisição é grande demais.')
  })

  it('a token with a line separator is invalid, and not missing', async () => {
    const token = 'Authorization: Bearer \u2028x'
    const response = await exchange([
      requestOf('GET /v1/categories', 'Host: localhost', token),
    ])
    expect(statusOf(response)).toBe(401)
    expect(response).toContain('Token inválido')
  })

  it('a request that is broken off leaves the service available to others', async () => {
    const pieces = [requestOf(...POST, 'Content-Length: 100'), '{"email":']
    await exchange(pieces, { breaksOff: true })
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  })

  it.each([
    ['GET /v1/categories?search=conego', 200],
    ['GET /v1/informers?page=1', 200],
    ['GET /v1/no-such-path', 404],
    ['POST /v1/auth/login', 400],
  ])('%s is answered whatever host it names', async (line, status) => {
    const token = `Authorization: Bearer ${service.token}`
    const response = await exchange([requestOf(line, 'Host: [', token)])
    expect(statusOf(response)).toBe(status)
  })

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
