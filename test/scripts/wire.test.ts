import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../scripts/lib/ports.ts'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

const { stateDir, remove } = temporaryState()
let service: Awaited<ReturnType<typeof startService>>
let port: number

beforeAll(async () => {
  port = await freePort()
  service = await startService({ PORT: String(port), STATE_DIR: stateDir })
})
afterAll(async () => {
  await service.interrupt()
  remove()
})

/** Sends pieces as they are, with pauses between them, and reads until the other side ends or stays silent. */
async function exchange(pieces: string[], pauseMs = 50): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => undefined) // cut off while we still write
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  const deadline = Date.now() + 3000
  while (!/\r\n\r\n.*[}\n]$/s.test(answer) && !socket.closed && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20))
  socket.destroy()
  return answer
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
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

describe('on the wire', () => {
  it('a body that comes slowly and in chunks is read as a whole', async () => {
    const body = JSON.stringify({ email: 'ana@example.org', password: 'Provisao2026' })
    const chunks = (body.match(/.{1,9}/g) ?? []).map(chunk)
    const pieces = [head('Transfer-Encoding: chunked'), ...chunks, '0\r\n\r\n']
    const answer = await exchange(pieces)
    expect(statusOf(answer)).toBe(200)
    expect(answer).toContain('"token_type":"Bearer"')
  })

  it('a body that is announced too large is refused before it is sent', async () => {
    const answer = await exchange([head('Content-Length: 1000000000')])
    expect(statusOf(answer)).toBe(413)
    expect(answer).toContain('O corpo da requisição é grande demais.')
  })

  it('a chunked body is read no further than the limit', async () => {
    const piece = chunk(' '.repeat(8 * 1024))
    const answer = await exchange([head('Transfer-Encoding: chunked'), ...Array<string>(40).fill(piece)], 5)
    expect(statusOf(answer)).toBe(413)
  })

  it.each([
    ['oversized headers', [head(`X-Long: ${'x'.repeat(200_000)}`)]],
    [
      'an oversized path',
      [`GET /v1/categories?search=${'x'.repeat(200_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ],
    ['no HTTP', ['\u0016\u0003\u0001\u0002\u0000\r\n\r\n']],
    ['a request that is broken off', [head('Content-Length: 100'), '{"email":']],
  ])('%s leave the service answering others', async (_, pieces) => {
    const status = statusOf(await exchange(pieces))
    expect(Number.isNaN(status) || (status >= 400 && status < 500)).toBe(true)
    const health = await fetch(`http://127.0.0.1:${port}/v1/health`)
    expect(health.status).toBe(200)
  })

  it('readers at one moment share a page that a write has just made old', async () => {
    const send = (path: string, body: object, token?: string) =>
      fetch(`http://127.0.0.1:${port}/v1${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      })
    const login = await send('/auth/login', { email: 'admin@example.org', password: 'Provisao2026' })
    const { data } = (await login.json()) as { data: { access_token: string } }
    const entry = {
      version: 'v1.0.0',
      date: '2026-01-31',
      title: 'Um',
      description: 'Dois',
      category: 'Melhoria',
    }
    const statuses: number[] = []
    const deadline = Date.now() + 2000
    let asked = 0
    const client = async () => {
      while (Date.now() < deadline) {
        const turn = asked++
        const read = ['categories', `categories?search=${turn}`, 'changelogs'][turn % 4]
        const answer = await (read
          ? fetch(`http://127.0.0.1:${port}/v1/${read}`)
          : send('/changelogs', entry, data.access_token))
        await answer.arrayBuffer()
        statuses.push(answer.status)
      }
    }
    await Promise.all(Array.from({ length: 32 }, client))
    expect(statuses.length).toBeGreaterThan(100)
    expect([...new Set(statuses)].sort()).toEqual([200, 201])
  })

  it('nothing of all that is in what the service printed, but a line for each request', () => {
    const lines = service.said.stdout.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.join('\n')).not.toMatch(/@|Provisao2026|xxx|eyJ/)
  })
})
