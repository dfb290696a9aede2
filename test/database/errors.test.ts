import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DatabaseError, type Interceptor } from '../../src/database/client.ts'
import { hashToken } from '../../src/email/sending.ts'
import {
  administratorToken,
  type Call,
  call,
  callJson,
  interceptedDatabase,
  PASSWORD,
  tokenOf,
} from '../helper.ts'

const TRANSIENT = [
  'D1_ERROR: Network connection lost.',
  'Replica disconnected from primary.',
  'Internal error in D1 DB storage caused object to be reset.',
  'Internal error while starting up D1 DB storage caused object to be reset.',
  'D1 DB reset because its code was updated.',
  'Cannot resolve D1 DB due to transient issue on remote node.',
] as const
const LASTING = [
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1 DB exceeded its memory limit and was reset.',
  'D1 DB exceeded its CPU time limit and was reset.',
] as const
const MOMENTS = ['before', 'after'] as const
const UNAVAILABLE = { success: false, message: 'Serviço temporariamente indisponível.' }

type Fault = { text: string; moment: (typeof MOMENTS)[number]; fails: (trip: number) => boolean }

/** The database, with faults in some of its round trips: before they take effect, or after. */
function faulty({ text, moment, fails }: Fault) {
  const seen = { trips: 0 }
  const around: Interceptor = async (trip) => {
    seen.trips += 1
    const isFault = fails(seen.trips)
    if (isFault && moment === 'before') throw new Error(text)
    const result = await trip()
    if (isFault) throw new Error(text)
    return result
  }
  const DB = interceptedDatabase(around)
  return { DB, seen }
}

/** A request that can be made once, its answer, that of its repetition, and what must hold of the data then. */
type Subject = {
  path: string
  call: Call
  status: number
  /** After a fault that took effect, or that did not; the same as `status` where nothing is said. */
  repeated?: number
  /** How many of what it writes there are: 0 or 1 at any time. */
  written?: () => Promise<number>
}

const count = async (sql: string, ...values: string[]) =>
  (await env.DB.prepare(sql)
    .bind(...values)
    .first<number>('n')) ?? 0

const newHash = () => crypto.randomUUID().replaceAll('-', '')

const ENTRY = {
  version: 'v9.9.9',
  date: '2026-01-31',
  title: 'Um registro',
  description: 'Texto.',
  category: 'Melhoria',
}

async function newEntry(): Promise<string> {
  const id = crypto.randomUUID()
  await env.DB.prepare(
    "insert into changelogs (id, version, date, title, description, category, git_commit_hash) values (?, 'v9.9.9', '2026-01-31', 'Um', 'Dois', 'Melhoria', ?)",
  )
    .bind(id, newHash())
    .run()
  return id
}

/** An informer who has yet to verify an email, and a token that was sent there. */
async function newWaiting() {
  const [id, token] = [crypto.randomUUID(), newHash()]
  const email = `${id}@example.org`
  await env.DB.batch([
    env.DB.prepare(
      "insert into users (id, role_id, first_name, name_folded, initials, email, email_verification_required, password_hash) select ?, id, 'Davi', 'davi', 'D', ?, true, 'some' from roles where slug = 'informer'",
    ).bind(id, email),
    env.DB.prepare(
      "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, 'verification', '9999')",
    ).bind(hashToken(token), id),
  ])
  return { id, email, token }
}

const subjects: Record<string, () => Promise<Subject>> = {
  'GET /v1/health': async () => ({ path: '/health', call: {}, status: 200 }),
  'GET /v1/categories': async () => ({ path: '/categories', call: {}, status: 200 }),
  'GET /v1/cover': async () => ({
    path: '/cover',
    call: { token: await tokenOf('ana@example.org') },
    status: 200,
  }),
  'POST /v1/auth/login': async () => ({
    path: '/auth/login',
    call: {
      body: { email: 'ana@example.org', password: PASSWORD },
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
      env: { LOGIN_IDENTIFIER_LIMIT: { limit: async () => ({ success: true }) } },
    },
    status: 200,
  }),
  'POST /v1/auth/email/verify': async () => {
    const { id, token } = await newWaiting()
    return {
      path: '/auth/email/verify',
      call: { body: { token } },
      status: 200,
      repeated: 422, // the token is used
      written: () =>
        count('select count(*) as n from users where id = ? and email_verified_at is not null', id),
    }
  },
  'POST /v1/informers': async () => {
    const email = `${crypto.randomUUID()}@example.org`
    const group = await env.DB.prepare('select id from groups limit 1').first<string>('id')
    return {
      path: '/informers',
      call: { token: await administratorToken(), body: { first_name: 'Davi', email, group_id: group } },
      status: 201,
      repeated: 422, // the email is registered
      written: async () => {
        const informers = await count('select count(*) as n from users where email = ?', email)
        const whole = await count(
          'select count(*) as n from users join informer_groups on informer_id = users.id where email = ?',
          email,
        )
        expect(whole).toBe(informers)
        return informers
      },
    }
  },
  'POST /v1/informers with an Idempotency-Key': async () => {
    const first_name = `Davi ${newHash()}`
    return {
      path: '/informers',
      call: {
        token: await administratorToken(),
        body: { first_name },
        headers: { 'Idempotency-Key': newHash() },
      },
      status: 201,
      written: () => count('select count(*) as n from users where first_name = ?', first_name),
    }
  },
  'GET /v1/changelogs': async () => ({ path: '/changelogs', call: {}, status: 200 }),
  'GET /v1/changelogs of an administrator': async () => ({
    path: '/changelogs',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'GET /v1/changelogs/{id}': async () => ({
    path: `/changelogs/${await newEntry()}`,
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/changelogs': async () => {
    const git_commit_hash = newHash()
    return {
      path: '/changelogs',
      call: { token: await administratorToken(), body: { ...ENTRY, git_commit_hash } },
      status: 201,
      repeated: 422, // the commit is taken
      written: () => count('select count(*) as n from changelogs where git_commit_hash = ?', git_commit_hash),
    }
  },
  'POST /v1/changelogs with an Idempotency-Key': async () => {
    const title = newHash()
    return {
      path: '/changelogs',
      call: {
        token: await administratorToken(),
        body: { ...ENTRY, title },
        headers: { 'Idempotency-Key': 'one' },
      },
      status: 201,
      written: () => count('select count(*) as n from changelogs where title = ?', title),
    }
  },
  'PUT /v1/changelogs/{changelog}': async () => ({
    path: `/changelogs/${await newEntry()}`,
    call: { method: 'PUT', token: await administratorToken(), body: { title: 'Outro' } },
    status: 200,
  }),
  'DELETE /v1/changelogs/{changelog}': async () => {
    const id = await newEntry()
    return {
      path: `/changelogs/${id}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      repeated: 404, // it is deleted
      written: async () => 1 - (await count('select count(*) as n from changelogs where id = ?', id)),
    }
  },
  'POST /v1/changelogs/sync-from-git': async () => {
    const hash = newHash()
    const date = '2026-01-31T12:00:00Z'
    return {
      path: '/changelogs/sync-from-git',
      call: {
        token: await administratorToken(),
        body: { commits: [{ hash, message: 'feat: um recurso', date }] },
      },
      status: 200,
      written: () => count('select count(*) as n from changelogs where git_commit_hash = ?', hash),
    }
  },
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // the shortest delays
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** The round trips of a subject in which a fault can happen. */
async function tripsOf(subject: () => Promise<Subject>): Promise<number[]> {
  const { path, call: options } = await subject()
  const { DB, seen } = faulty({ text: '', moment: 'before', fails: () => false })
  await call(path, { ...options, env: { ...options.env, DB } })
  return Array.from({ length: seen.trips }, (_, index) => index + 1)
}

describe('DatabaseError', () => {
  it.each(TRANSIENT)('takes "%s" for transient', (message) => {
    expect(new DatabaseError(message)).toMatchObject({ isUnavailable: true, isTransient: true })
  })
  it.each(LASTING)('takes "%s" for unavailable, and no retry', (message) => {
    expect(new DatabaseError(message)).toMatchObject({ isUnavailable: true, isTransient: false })
  })
  it.each([
    'D1_ERROR: no such column: x: SQLITE_ERROR',
    'UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT',
  ])('takes "%s" for an error of ours', (message) => {
    expect(new DatabaseError(message)).toMatchObject({ isUnavailable: false, isTransient: false })
  })
})

describe.each(Object.entries(subjects))('%s', (_, subject) => {
  it.each(MOMENTS)('responds as usual when the connection is lost once, %s the effect', async (moment) => {
    for (const faultyTrip of await tripsOf(subject)) {
      const { path, call: options, status, written } = await subject()
      const { DB } = faulty({ text: TRANSIENT[0], moment, fails: (trip) => trip === faultyTrip })
      const response = await callJson(path, { ...options, env: { ...options.env, DB } })
      expect([response.status, response.body.success]).toEqual([status, true])
      if (written) expect(await written()).toBe(1)
    }
  })

  it.each(MOMENTS)(
    'is 503 at once when the database is overloaded %s the effect, and can be repeated',
    async (moment) => {
      for (const faultyTrip of await tripsOf(subject)) {
        const { path, call: options, status, repeated = status, written } = await subject()
        const { DB, seen } = faulty({ text: LASTING[0], moment, fails: (trip) => trip >= faultyTrip })
        const response = await callJson(path, { ...options, env: { ...options.env, DB } })
        expect([response.status, response.body]).toEqual([503, UNAVAILABLE])
        expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
        expect(seen.trips).toBe(faultyTrip)
        const before = await written?.()
        expect(before === undefined || before === 0 || before === 1).toBe(true)
        const again = await callJson(path, options)
        expect(again.status).toBe(before === 1 ? repeated : status)
        if (written) expect(await written()).toBe(1)
      }
    },
  )

  it('is 503 after three attempts while the connection stays lost, and writes nothing', async () => {
    const { path, call: options, written } = await subject()
    const { DB, seen } = faulty({ text: TRANSIENT[0], moment: 'after', fails: () => true })
    const response = await callJson(path, { ...options, env: { ...options.env, DB } })
    expect([response.status, response.body]).toEqual([503, UNAVAILABLE])
    expect(seen.trips).toBe(3)
    if (written) expect(await written()).toBe(0)
  })
})

describe('the delay before a retry', () => {
  it.each([
    [0, [50, 50]],
    [1, [400, 2000]],
  ])('with the random number %s is %j ms', async (random, expected) => {
    vi.mocked(Math.random).mockReturnValue(random)
    const delays: number[] = []
    const setTimer = globalThis.setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delay: number) => {
      delays.push(Math.round(delay))
      return setTimer(run, 0)
    }) as typeof setTimeout)
    const { DB } = faulty({ text: TRANSIENT[0], moment: 'before', fails: () => true })
    expect((await call('/health', { env: { DB } })).status).toBe(503)
    expect(delays).toEqual(expected)
  })
})

describe('POST /v1/auth/email/resend', () => {
  const resend = (email: string, DB: D1Database, emails: string[] = []) =>
    callJson('/auth/email/resend', {
      body: { email },
      env: { DB, EMAIL: { send: async ({ to }: { to: string }) => emails.push(to) } },
    })

  it.each(MOMENTS)(
    'loses no email when the database fails %s the effect: 503 at first, 202 once it is in the outbox',
    async (moment) => {
      const text = LASTING[0]
      for (const faultyTrip of [1, 2, 3, 4]) {
        const { email } = await newWaiting()
        const { DB, seen } = faulty({ text, moment, fails: (trip) => trip >= faultyTrip })
        expect((await resend(email, DB)).status).toBe(faultyTrip === 1 ? 503 : 202)
        expect(seen.trips).toBe(faultyTrip)
        const emails: string[] = []
        expect((await resend(email, env.DB, emails)).status).toBe(202)
        expect(emails).toEqual([email])
      }
    },
  )
})
