import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import page from '../docs/logs.md?raw'
import { mailbox, runCron } from './support/emails.ts'
import { call, failingDatabase, PASSWORD, tokenOf } from './support/helper.ts'
import { logged } from './support/logs.ts'
import { DatabaseError } from '#database/database-error.ts'
import { describeError } from '#log.ts'

const ID = crypto.randomUUID()
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('describeError', () => {
  it('leaves out the message of an error that may hold a value, also from its stack', () => {
    const error = new Error('Failed query: select ?\n    at secret (params)')
    expect(describeError(error)).toEqual({
      error: 'Error',
      message: undefined,
      stack: expect.not.arrayContaining([expect.stringContaining('secret')]),
    })
    expect(describeError(error).stack?.length).toBeGreaterThan(0)
  })

  it.each([
    ['E_DAILY_LIMIT_EXCEEDED', 'E_DAILY_LIMIT_EXCEEDED'],
    ['E_ana@example.org', undefined],
    ['Ana E_MAIL', undefined],
    ['E_MAIL\nAna', undefined],
    [5, undefined],
  ])(
    'takes the code %j only where it has the form of those of Cloudflare',
    (code, logged) => {
      const error = Object.assign(new Error('x'), { code })
      expect(describeError(error).code).toBe(logged)
    },
  )

  it('has the first five frames of the stack, trimmed', () => {
    const error = new Error('x')
    const frames = Array.from(
      { length: 7 },
      (_, index) => `at step${index} (file.ts:${index}:1)`,
    )
    error.stack = [
      'Error: x',
      'not     at the start',
      ...frames.map((frame) => `    ${frame}`),
    ].join('\n')
    expect(describeError(error).stack).toEqual(frames.slice(0, 5))
  })

  it.each([undefined, 'Error: x'])('has no frames where the stack is %s', (stack) => {
    expect(describeError(Object.assign(new Error('x'), { stack }))).toEqual({
      error: 'Error',
      message: undefined,
      stack: undefined,
    })
  })

  it('finds the error of the database in what wraps it', () => {
    const wrapped = new Error('Failed query: select ana@example.org', {
      cause: new DatabaseError('D1_ERROR: x'),
    })
    expect(describeError(wrapped)).toMatchObject({
      error: 'DatabaseError',
      message: 'D1_ERROR: x',
    })
  })

  it.each(['text', null, undefined, 5, { message: 'text' }])(
    'reports only the type of %s, which is no error',
    (thrown) => {
      expect(describeError(thrown)).toEqual({ error: typeof thrown })
    },
  )
})

describe('the log', () => {
  it.each([
    ['GET', '/categories?page=x', undefined, '/v1/categories', 422, 0],
    ['HEAD', '/health', undefined, '/v1/health', 200, 1],
    ['GET', '/cover', 'ana@example.org', '/v1/cover', 200, 1],
    ['GET', '/cover', undefined, '/v1/cover', 401, 0],
    ['GET', `/changelogs/${ID}`, undefined, '/v1/changelogs/:changelog', 404, 1],
    [
      'DELETE',
      `/changelogs/${ID}`,
      'admin@example.org',
      '/v1/changelogs/:changelog',
      404,
      2,
    ],
    ['GET', '/ana@example.org', undefined, null, 404, 0],
    ['PATCH', '/cover', undefined, null, 405, 0],
  ])(
    'has one line for %s %s',
    async (method, path, email, route, status, round_trips) => {
      const started = Date.now()
      const response = await call(path, {
        method,
        token: email && (await tokenOf(email)),
      })
      expect(logged('info')).toEqual([
        {
          level: 'info',
          request_id: UUID,
          method,
          route,
          status,
          duration_ms: expect.toSatisfy((ms: number) => ms >= 0 && ms < started),
          round_trips,
        },
      ])
      expect(logged('info')[0]?.request_id).toBe(response.headers.get('X-Request-Id'))
    },
  )

  it.each([
    [
      'a request',
      (VERSION: WorkerVersionMetadata) => call('/cover', { env: { VERSION } }),
    ],
    ['the cron trigger', (VERSION: WorkerVersionMetadata) => runCron({ VERSION })],
  ])('says once which version has come up, at the first run of %s', async (_, run) => {
    const id = crypto.randomUUID()
    const version = { id, tag: 'dddbfef', timestamp: '2026-11-23T09:00:00Z' }
    const line = { level: 'info', event: 'version started', version: id, tag: 'dddbfef' }
    await run(version)
    expect(logged('info')[0]).toEqual(line)
    await run(version)
    expect(logged('info').filter(({ event }) => event)).toEqual([line])
  })

  it.each([
    ['GET', '/categories?search=conego', {}, 200],
    ['HEAD', '/categories', {}, 200],
    ['GET', '/changelogs', {}, 200],
    ['GET', '/docs/styles.css', {}, 200],
    ['GET', '/categories', { 'If-None-Match': '*' }, 304],
  ])(
    'has no line for %s %s, which caches may answer: %j',
    async (method, path, headers, status) => {
      const response = await call(path, { method, headers })
      expect(response.status).toBe(status)
      expect(response.headers.get('X-Request-Id')).toBeNull()
      expect(logged('info')).toEqual([])
    },
  )

  it.each([
    ['D1_ERROR: no such column: x: SQLITE_ERROR', 'unexpected error'],
    ['D1_ERROR: D1 DB is overloaded. Too many requests queued.', 'database unavailable'],
  ])(
    'reports %s under the id of its request, and nothing that was sent',
    async (message, event) => {
      const response = await call('/auth/login', {
        body: { email: 'ana@example.org', password: PASSWORD },
        env: { DB: failingDatabase(message) },
      })
      const id = response.headers.get('X-Request-Id')
      expect(
        [...logged('error'), ...logged('info')].map((line) => line.request_id),
      ).toEqual([id, id])
      expect(logged('error')[0]).toMatchObject({
        event,
        error: 'DatabaseError',
        message,
      })
    },
  )

  /** A query of docs/logs.md: its filters, and the fields by which it groups. */
  function readQuery(row: string) {
    const [, name = '', filters = '', groups = ''] = row.split(/ *\| */)
    const FILTER = /`(\w+)` (equals|starts with|greater) `([^`]+)`/g
    const conditions = [...filters.matchAll(FILTER)].map(
      ([, field = '', operator, value = '']) =>
        (line: Record<string, unknown>) => {
          const logged = line[field]
          if (operator === 'greater') return Number(logged) > Number(value)
          if (operator === 'equals') return String(logged) === value
          return String(logged).startsWith(value)
        },
    )
    const fields = [...groups.matchAll(/`(\w+)`/g)].map(([, field = '']) => field)
    return { name, conditions, fields }
  }

  it('has a line for each query of docs/logs.md, with the fields by which it groups', async () => {
    const queries = page.match(/^\| [a-z ]+ \| `.+$/gm)?.map(readQuery) ?? []
    expect(queries).toHaveLength(9)
    const body = { email: 'ana@example.org', password: 'Errada2026' }
    await call('/cover', { env: { JWT_SECRET: 'short' } })
    await call('/auth/login', { body, env: { DB: failingDatabase('D1_ERROR: x') } })
    await call('/health', {
      env: { DB: failingDatabase('D1_ERROR: D1 DB is overloaded.') },
    })
    await call('/auth/login', { body })
    const exceeded: RateLimit = { limit: async () => ({ success: false }) }
    await call('/auth/login', { body, env: { LOGIN_NETWORK_LIMIT: exceeded } })
    await env.DB.exec(
      "insert into email_outbox (email, kind, attempts) values ('bento@example.org', 'password_reset', 99)",
    )
    const VERSION = { id: crypto.randomUUID(), tag: 'dddbfef', timestamp: '' }
    await runCron({ EMAIL: mailbox(1, 'E_DAILY_LIMIT_EXCEEDED').EMAIL, VERSION })
    let seconds = 0
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (seconds += 3) * 1000)
    await call('/health')
    clock.mockRestore()

    const lines = (['info', 'warn', 'error'] as const).flatMap(logged)
    const missed = queries.filter(
      ({ conditions, fields }) =>
        conditions.length === 0 ||
        !lines.some(
          (line) =>
            conditions.every((holds) => holds(line)) &&
            fields.every((field) => field in line),
        ),
    )
    expect(missed.map(({ name }) => name)).toEqual([])
  })
})
