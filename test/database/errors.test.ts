import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DatabaseError, type Interceptor } from '../../src/database/client.ts'
import type { EmailKind } from '../../src/database/schema.ts'
import { hashToken } from '../../src/email/sending.ts'
import { keyedHash } from '../../src/security/keyed-hash.ts'
import { hashPassword } from '../../src/security/passwords.ts'
import { elapse, runCron } from '../emails.ts'
import {
  administratorToken,
  type Call,
  call,
  callJson,
  interceptedDatabase,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOf,
} from '../helper.ts'
import { logged } from '../logs.ts'

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

type Failure = { text: string; moment: (typeof MOMENTS)[number]; fails: (trip: number) => boolean }

/** A database that fails some round trips, before or after their effect. */
function failingDatabase({ text, moment, fails }: Failure) {
  const seen = { trips: 0 }
  const around: Interceptor = async (trip) => {
    seen.trips += 1
    const isFailure = fails(seen.trips)
    if (isFailure && moment === 'before') throw new Error(text)
    const result = await trip()
    if (isFailure) throw new Error(text)
    return result
  }
  const DB = interceptedDatabase(around)
  return { DB, seen }
}

/** A request, the statuses of its first and repeated response, and the expected rows. */
type Subject = {
  path: string
  call: Call
  status: number
  /** The status of the repeated request; `status` by default. */
  repeated?: number
  /** The number of written rows: 0 or 1 at any time. */
  written?: () => Promise<number>
  /** The number of its audit records. */
  recorded?: () => Promise<number>
}

const count = async (sql: string, ...values: string[]) =>
  (await env.DB.prepare(sql)
    .bind(...values)
    .first<number>('n')) ?? 0

/** Shared by all users of this file. */
const PASSWORD_HASH = hashPassword(PASSWORD)

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

async function newInformer(): Promise<string> {
  const { body } = await callJson('/informers', {
    token: await administratorToken(),
    body: { first_name: 'Davi', email: `${crypto.randomUUID()}@example.org` },
  })
  return body.data.id
}

const idOf = async (table: string) =>
  (await env.DB.prepare(`select id from ${table} limit 1`).first<string>('id')) ?? ''

/** An informer, and a questionnaire of their group. */
async function newAssociated() {
  const [id, questionnaire] = [await newInformer(), await idOf('questionnaires')]
  await env.DB.prepare(
    'insert into informer_groups (informer_id, group_id) select ?, group_id from questionnaires where id = ?',
  )
    .bind(id, questionnaire)
    .run()
  return { id, questionnaire }
}

const countEvents = (action: string, subjectId: string) =>
  count('select count(*) as n from audit_events where action = ? and subject_id = ?', action, subjectId)

/** An informer with an unverified email, and the token of its verification link. */
async function newWaiting(kind: EmailKind = 'verification') {
  const { id, email } = await newLogin({ verification: 'required', hash: await PASSWORD_HASH })
  const token = newHash()
  await env.DB.prepare(
    "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, ?, '9999')",
  )
    .bind(hashToken(token), id, kind)
    .run()
  return { id, email, token, ...sessionsOf(id) }
}

/** How often the sessions of a user were ended, and how often this was recorded. */
const sessionsOf = (id: string) => ({
  written: () => count('select token_version - 1 as n from users where id = ?', id),
  recorded: () => recordsOf(id),
})

const recordsOf = (actorId: string) =>
  count('select count(*) as n from audit_events where actor_id = ?', actorId)

/** An administrator with a count of its audit records. */
async function newActor() {
  const user = await newUser('administrator')
  return { token: await tokenFor(user), recorded: () => recordsOf(user.id) }
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
  'POST /v1/auth/password/reset': async () => {
    const { token, written, recorded } = await newWaiting('password_reset')
    return {
      path: '/auth/password/reset',
      call: { body: { token, password: 'Outra2026' } },
      status: 200,
      repeated: 422, // the token is used
      written,
      recorded,
    }
  },
  'PUT /v1/auth/password': async () => {
    const user = await newLogin({ hash: await PASSWORD_HASH })
    return {
      path: '/auth/password',
      call: {
        method: 'PUT',
        token: await tokenFor(user),
        body: { current_password: PASSWORD, password: 'Outra2026' },
      },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'POST /v1/auth/logout': async () => {
    const user = await newUser('informer')
    return {
      path: '/auth/logout',
      call: { method: 'POST', token: await tokenFor(user) },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'GET /v1/audit-events': async () => ({
    path: '/audit-events',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/informers': async () => {
    const { token, recorded } = await newActor()
    const email = `${crypto.randomUUID()}@example.org`
    const group = await env.DB.prepare('select id from groups limit 1').first<string>('id')
    return {
      path: '/informers',
      call: { token, body: { first_name: 'Davi', email, group_id: group } },
      status: 201,
      repeated: 422, // the email is registered
      recorded,
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
    const { token, recorded } = await newActor()
    const first_name = `Davi ${newHash()}`
    return {
      path: '/informers',
      call: {
        token,
        body: { first_name },
        headers: { 'Idempotency-Key': newHash() },
      },
      status: 201,
      recorded,
      written: () => count('select count(*) as n from users where first_name = ?', first_name),
    }
  },
  'GET /v1/informers': async () => ({
    path: '/informers?search=a',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'GET /v1/informers/{informer}': async () => ({
    path: `/informers/${await newInformer()}`,
    call: { token: await administratorToken() },
    status: 200,
  }),
  'PATCH /v1/informers/{informer}': async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}`,
      call: { method: 'PATCH', token: await administratorToken(), body: { first_name: 'Ana', cpf: null } },
      status: 200,
      written: async () => {
        const changed = await count("select count(*) as n from users where id = ? and initials = 'A'", id)
        expect(await countEvents('informer.updated', id)).toBe(changed)
        return changed
      },
    }
  },
  'DELETE /v1/informers/{informer}': async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      repeated: 404, // the person is deleted
      written: async () => {
        const deleted = 1 - (await count('select count(*) as n from users where id = ?', id))
        expect(await countEvents('informer.deleted', id)).toBe(deleted)
        return deleted
      },
    }
  },
  'PUT /v1/informers/{informer}/groups/{group}': async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}/groups/${await idOf('groups')}`,
      call: { method: 'PUT', token: await administratorToken() },
      status: 200,
      written: async () => {
        const associated = await count('select count(*) as n from informer_groups where informer_id = ?', id)
        expect(await countEvents('group.associated', id)).toBe(associated)
        return associated
      },
    }
  },
  'DELETE /v1/informers/{informer}/groups/{group}': async () => {
    const id = await newInformer()
    const group = await idOf('groups')
    await env.DB.prepare('insert into informer_groups (informer_id, group_id) values (?, ?)')
      .bind(id, group)
      .run()
    return {
      path: `/informers/${id}/groups/${group}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      written: async () => {
        const ended = 1 - (await count('select count(*) as n from informer_groups where informer_id = ?', id))
        expect(await countEvents('group.dissociated', id)).toBe(ended)
        return ended
      },
    }
  },
  'PUT /v1/informers/{informer}/questionnaires/{questionnaire}': async () => {
    const { id, questionnaire } = await newAssociated()
    return {
      path: `/informers/${id}/questionnaires/${questionnaire}`,
      call: { method: 'PUT', token: await administratorToken() },
      status: 200,
      written: async () => {
        const completed = await count(
          'select count(*) as n from informer_completions where informer_id = ?',
          id,
        )
        expect(await countEvents('questionnaire.completed', id)).toBe(completed)
        return completed
      },
    }
  },
  'DELETE /v1/informers/{informer}/questionnaires/{questionnaire}': async () => {
    const { id, questionnaire } = await newAssociated()
    await env.DB.prepare('insert into informer_completions (informer_id, questionnaire_id) values (?, ?)')
      .bind(id, questionnaire)
      .run()
    return {
      path: `/informers/${id}/questionnaires/${questionnaire}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      written: async () => {
        const left = await count('select count(*) as n from informer_completions where informer_id = ?', id)
        expect(await countEvents('questionnaire.reopened', id)).toBe(1 - left)
        return 1 - left
      },
    }
  },
  'GET /v1/processes': async () => ({
    path: '/processes',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/changelogs/publish': async () => {
    const id = await newEntry()
    return {
      path: '/changelogs/publish',
      call: { token: await administratorToken(), body: { ids: [id] } },
      status: 200,
      written: async () => {
        const published = await count(
          'select count(*) as n from changelogs where id = ? and is_published',
          id,
        )
        expect(await countEvents('changelog.updated', id)).toBe(published)
        return published
      },
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
    const { token, recorded } = await newActor()
    const git_commit_hash = newHash()
    return {
      path: '/changelogs',
      call: { token, body: { ...ENTRY, git_commit_hash } },
      status: 201,
      repeated: 422, // the commit is taken
      recorded,
      written: () => count('select count(*) as n from changelogs where git_commit_hash = ?', git_commit_hash),
    }
  },
  'POST /v1/changelogs with an Idempotency-Key': async () => {
    const { token, recorded } = await newActor()
    const title = newHash()
    return {
      path: '/changelogs',
      call: {
        token,
        body: { ...ENTRY, title },
        headers: { 'Idempotency-Key': 'one' },
      },
      status: 201,
      recorded,
      written: () => count('select count(*) as n from changelogs where title = ?', title),
    }
  },
  'PUT /v1/changelogs/{changelog}': async () => {
    const { token, recorded } = await newActor()
    const id = await newEntry()
    return {
      path: `/changelogs/${id}`,
      call: { method: 'PUT', token, body: { title: 'Outro' } },
      status: 200,
      recorded,
      written: () => count("select count(*) as n from changelogs where id = ? and title = 'Outro'", id),
    }
  },
  'DELETE /v1/changelogs/{changelog}': async () => {
    const { token, recorded } = await newActor()
    const id = await newEntry()
    return {
      path: `/changelogs/${id}`,
      call: { method: 'DELETE', token },
      status: 200,
      repeated: 404, // it is deleted
      recorded,
      written: async () => 1 - (await count('select count(*) as n from changelogs where id = ?', id)),
    }
  },
  'POST /v1/changelogs/sync-from-git': async () => {
    const { token, recorded } = await newActor()
    const hash = newHash()
    const date = '2026-01-31T12:00:00Z'
    return {
      path: '/changelogs/sync-from-git',
      call: {
        token,
        body: { commits: [{ hash, message: 'feat: um recurso', date }] },
      },
      status: 200,
      recorded,
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

/** The numbers of round trips of a subject: in total, and before the response. */
async function tripsOf(subject: () => Promise<Subject>) {
  const { path, call: options } = await subject()
  const { DB, seen } = failingDatabase({ text: '', moment: 'before', fails: () => false })
  await call(path, { ...options, env: { ...options.env, DB } })
  const all = Array.from({ length: seen.trips }, (_, index) => index + 1)
  const beforeResponse = all.slice(0, logged('info').at(-1)?.round_trips as number)
  return { all, beforeResponse, behindResponse: all.slice(beforeResponse.length) }
}

/** The writes of a subject and its audit records are stored together or not at all. */
async function expectWhole({ written, recorded }: Subject): Promise<number | undefined> {
  const count = await written?.()
  expect([undefined, 0, 1]).toContain(count)
  if (recorded) expect(await recorded()).toBe(count)
  return count
}

describe('DatabaseError', () => {
  it.each(TRANSIENT)('treats "%s" as transient', (message) => {
    expect(new DatabaseError(message)).toMatchObject({ isUnavailable: true, isTransient: true })
  })
  it.each(LASTING)('treats "%s" as unavailable, without a retry', (message) => {
    expect(new DatabaseError(message)).toMatchObject({ isUnavailable: true, isTransient: false })
  })
  it.each([
    'D1_ERROR: no such column: x: SQLITE_ERROR',
    'UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT',
  ])('treats "%s" as an internal error', (message) => {
    expect(new DatabaseError(message)).toMatchObject({ isUnavailable: false, isTransient: false })
  })
})

describe.each(Object.entries(subjects))('%s', (_, newSubject) => {
  it.each(MOMENTS)('responds as usual when the connection is lost once, %s the effect', async (moment) => {
    for (const faultyTrip of (await tripsOf(newSubject)).all) {
      const subject = await newSubject()
      const { path, call: options, status, written } = subject
      const { DB } = failingDatabase({ text: TRANSIENT[0], moment, fails: (trip) => trip === faultyTrip })
      const response = await callJson(path, { ...options, env: { ...options.env, DB } })
      expect([response.status, response.body.success]).toEqual([status, true])
      expect(await expectWhole(subject)).toBe(written && 1)
    }
  })

  it.each(MOMENTS)(
    'is 503 at once when the database is overloaded %s the effect, and can be repeated',
    async (moment) => {
      for (const faultyTrip of (await tripsOf(newSubject)).beforeResponse) {
        const subject = await newSubject()
        const { path, call: options, status, repeated = status, written } = subject
        const { DB, seen } = failingDatabase({
          text: LASTING[0],
          moment,
          fails: (trip) => trip >= faultyTrip,
        })
        const response = await callJson(path, { ...options, env: { ...options.env, DB } })
        expect([response.status, response.body]).toEqual([503, UNAVAILABLE])
        expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
        expect(seen.trips).toBe(faultyTrip)
        const before = await expectWhole(subject)
        const again = await callJson(path, options)
        expect(again.status).toBe(before === 1 ? repeated : status)
        if (written) expect(await written()).toBe(1)
      }
    },
  )

  it.each(MOMENTS)(
    'responds as usual when the database is overloaded behind the response, %s the effect',
    async (moment) => {
      for (const faultyTrip of (await tripsOf(newSubject)).behindResponse) {
        const subject = await newSubject()
        const { path, call: options, status } = subject
        const { DB } = failingDatabase({ text: LASTING[0], moment, fails: (trip) => trip >= faultyTrip })
        expect((await call(path, { ...options, env: { ...options.env, DB } })).status).toBe(status)
        expect(await expectWhole(subject)).not.toBe(0)
        expect(logged('error').at(-1)).toMatchObject({
          event: expect.any(String),
          error: 'DatabaseError',
          message: LASTING[0],
        })
      }
    },
  )

  it('is 503 after three attempts while the connection stays lost, and writes nothing', async () => {
    const subject = await newSubject()
    const { path, call: options, written } = subject
    const { DB, seen } = failingDatabase({ text: TRANSIENT[0], moment: 'after', fails: () => true })
    const response = await callJson(path, { ...options, env: { ...options.env, DB } })
    expect([response.status, response.body]).toEqual([503, UNAVAILABLE])
    expect(seen.trips).toBe(3)
    expect(await expectWhole(subject)).toBe(written && 0)
  })
})

describe.each([
  ['POST /v1/auth/login', 401],
  ['PUT /v1/auth/password', 422],
])('%s with a wrong password', (route, status) => {
  it.each(MOMENTS)('counts one failure when the connection is lost once, %s the effect', async (moment) => {
    for (const failures of [0, 49])
      for (const faultyTrip of [1, 2]) {
        const user = await newLogin({ hash: await PASSWORD_HASH })
        const identifier = keyedHash(env, 'identifier', user.email)
        await env.DB.prepare(
          "insert into failed_logins (id, identifier, address) select value || ?1, ?1, '' from json_each(?2)",
        )
          .bind(identifier, JSON.stringify([...Array(failures).keys()]))
          .run()
        const { DB } = failingDatabase({ text: TRANSIENT[0], moment, fails: (trip) => trip === faultyTrip })
        const [method = '', path = ''] = route.split(' /v1')
        const body = { email: user.email, current_password: 'Errada1', password: 'Errada1' }
        const token = await tokenFor(user)
        expect((await call(path, { method, token, body, env: { DB } })).status).toBe(status)
        expect(await count('select count(*) as n from failed_logins where identifier = ?', identifier)).toBe(
          failures + 1,
        )
      }
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
    const { DB } = failingDatabase({ text: TRANSIENT[0], moment: 'before', fails: () => true })
    expect((await call('/health', { env: { DB } })).status).toBe(503)
    expect(delays).toEqual(expected)
  })
})

describe.each(['/auth/email/resend', '/auth/password/forgot'])('POST /v1%s', (path) => {
  const request = (email: string, DB: D1Database, emails: string[] = []) =>
    callJson(path, {
      body: { email },
      env: { DB, EMAIL: { send: async ({ to }: { to: string }) => emails.push(to) } },
    })

  it.each(MOMENTS)(
    'loses no email when the database fails %s the effect: 503 at first, 202 once it is in the outbox',
    async (moment) => {
      const text = LASTING[0]
      for (const faultyTrip of [1, 2, 3, 4]) {
        const { email } = await newWaiting()
        const { DB, seen } = failingDatabase({ text, moment, fails: (trip) => trip >= faultyTrip })
        expect((await request(email, DB)).status).toBe(faultyTrip === 1 ? 503 : 202)
        expect(seen.trips).toBe(faultyTrip)
        const emails: string[] = []
        expect((await request(email, env.DB, emails)).status).toBe(202)
        expect(emails).toEqual([email])
      }
    },
  )

  it.each(MOMENTS)('sends one email when the connection is lost once, %s the effect', async (moment) => {
    for (const faultyTrip of [1, 2, 3, 4]) {
      const { email } = await newWaiting()
      const { DB } = failingDatabase({ text: TRANSIENT[0], moment, fails: (trip) => trip === faultyTrip })
      const emails: string[] = []
      const EMAIL = { send: async ({ to }: { to: string }) => emails.push(to) }
      expect((await request(email, DB, emails)).status).toBe(202)
      await elapse(5)
      await runCron({ EMAIL })
      expect(emails).toEqual([email])
    }
  })
})
