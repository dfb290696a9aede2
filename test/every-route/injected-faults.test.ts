import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { elapse, runCron } from '../support/emails.ts'
import {
  call,
  callJson,
  counting,
  interceptedDatabase,
  newLogin,
  tokenFor,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { cases, newRequest } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'
import { IS_OF_WRITE } from '../support/users.ts'
import type { Interceptor } from '#database/client.ts'
import { DatabaseError } from '#database/database-error.ts'
import { keyedHash } from '#security/hashes.ts'

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
  'D1_ERROR: Failed to get session commit token: internal error',
  'D1_ERROR: database is locked: SQLITE_BUSY',
] as const
const MOMENTS = ['before', 'after'] as const
/** A read has no effect. */
const momentsOf = (route: string) =>
  route.startsWith('GET ') ? MOMENTS.slice(0, 1) : MOMENTS
const UNAVAILABLE = { success: false, message: 'Serviço temporariamente indisponível.' }

type Failure = {
  text: string
  moment: (typeof MOMENTS)[number]
  fails: (trip: number) => boolean
}

/** A database that fails some round trips, before or after their effect. */
function faultyDatabase({ text, moment, fails }: Failure) {
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

/** Of a retry. */
const MAX_DELAY_MS = 2000
const delays: number[] = []

// Retries are not delayed, so that the suite need not wait.
beforeEach(() => {
  delays.length = 0
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    run: () => void,
    delay: number,
  ) => {
    if (!(delay <= MAX_DELAY_MS)) return setTimeout(run, delay)
    delays.push(Math.round(delay))
    return setTimeout(run, 0)
  }) as typeof setTimeout)
})

/**
 * The numbers of the round trips of a request that a failure tells apart: before its effect each,
 * after it only those that write. All, those before the response, and those behind it.
 */
async function tripsOf(name: string) {
  const { path, call: options } = await newRequest(name)
  const { binding, count } = counting()
  const writes: boolean[] = []
  const DB = interceptedDatabase(async (trip) => {
    const number = writes.push(false)
    const before = count.rowsWritten
    const result = await trip()
    writes[number - 1] = count.rowsWritten > before
    return result
  }, binding)
  await call(path, { ...options, env: { ...options.env, DB } })
  const trips = writes.map((_, index) => index + 1)
  const answered = logged('info').at(-1)?.round_trips as number

  const at = (moment: Failure['moment']) => {
    const all = trips.filter((trip) => moment === 'before' || writes[trip - 1])
    return {
      all,
      beforeResponse: all.filter((trip) => trip <= answered),
      behindResponse: all.filter((trip) => trip > answered),
    }
  }
  return { before: at('before'), after: at('after') }
}

const count = async (sql: string, ...values: string[]) =>
  (await env.DB.prepare(sql)
    .bind(...values)
    .first<number>('n')) ?? 0

/** The records of writes but those of logins, and all other rows but those of logins. */
async function state() {
  const {
    audit_events: _,
    failed_logins: __,
    known_addresses: ___,
    ...rows
  } = await storedRows()
  const records = await count(
    `select count(*) as n from audit_events where ${IS_OF_WRITE} and action <> 'session.started'`,
  )
  return { rows: JSON.stringify(rows), records }
}

/** Whether a request has written: all of it once and with its records, or nothing. */
async function hasWritten(name: string, before: Awaited<ReturnType<typeof state>>) {
  const after = await state()
  const isWritten = after.rows !== before.rows
  const records =
    cases[name]?.records?.filter((action) => action !== 'session.started') ?? []
  expect(after.records - before.records).toBe(isWritten ? records.length : 0)
  return isWritten
}

describe('DatabaseError', () => {
  it.each(TRANSIENT)('treats "%s" as transient', (message) => {
    expect(new DatabaseError(message)).toMatchObject({
      isUnavailable: true,
      isTransient: true,
    })
  })
  it.each(LASTING)('treats "%s" as unavailable, without a retry', (message) => {
    expect(new DatabaseError(message)).toMatchObject({
      isUnavailable: true,
      isTransient: false,
    })
  })
  it.each([
    'D1_ERROR: no such column: x: SQLITE_ERROR',
    'UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT',
  ])('treats "%s" as an internal error', (message) => {
    expect(new DatabaseError(message)).toMatchObject({
      isUnavailable: false,
      isTransient: false,
    })
  })
})

/** Requests, one of each way to write, and the status of their repetition if it differs. */
const REQUESTS: [name: string, repeated?: number][] = [
  ['GET /v1/cover'],
  ['POST /v1/auth/login with a code', 401], // the code is used
  ['POST /v1/auth/password/forgot'],
  ['POST /v1/auth/email/verify', 422], // the link is used
  ['POST /v1/auth/password/reset', 422],
  ['PUT /v1/auth/password', 401], // the session is ended
  ['POST /v1/informers with an Idempotency-Key'],
  ['PATCH /v1/informers/{informer}'],
  ['DELETE /v1/informers/{informer}', 404],
  ['PUT /v1/informers/{informer}/questionnaires/{questionnaire}'],
  ['DELETE /v1/processes/{process}/informers'],
  ['PATCH /v1/categories/{category}'],
  ['POST /v1/changelogs/publish'],
  ['POST /v1/changelogs/sync-from-git'],
]

/** Requests that go on writing behind their response. */
const BEHIND = [
  'POST /v1/auth/login with a code',
  'POST /v1/auth/password/reset',
  'PUT /v1/auth/password',
]

describe.each(REQUESTS)('%s', (name, repeated) => {
  const isRead = name.startsWith('GET ')
  let trips: Awaited<ReturnType<typeof tripsOf>>
  beforeAll(async () => {
    trips = await tripsOf(name)
  })

  /** Sends a new request to a database that fails. */
  async function send(failure: Failure) {
    const { path, call: options, status } = await newRequest(name)
    const before = await state()
    const { DB, seen } = faultyDatabase(failure)
    const response = await callJson(path, { ...options, env: { ...options.env, DB } })
    return {
      response,
      status,
      seen,
      hasWritten: () => hasWritten(name, before),
      repeat: async () => (await call(path, options)).status,
    }
  }

  it.each(momentsOf(name))(
    'responds as usual when the connection is lost once, %s the effect',
    async (moment) => {
      expect(trips[moment].all).not.toEqual([])
      for (const faultyTrip of trips[moment].all) {
        const fails = (trip: number) => trip === faultyTrip
        const sent = await send({ text: TRANSIENT[0], moment, fails })
        expect([sent.response.status, sent.response.body.success]).toEqual([
          sent.status,
          true,
        ])
        expect(await sent.hasWritten()).toBe(!isRead)
      }
    },
  )

  it.each(momentsOf(name))(
    'is 503 at once when the database is overloaded %s the effect, and can be repeated',
    async (moment) => {
      expect(trips[moment].beforeResponse).not.toEqual([])
      for (const faultyTrip of trips[moment].beforeResponse) {
        const fails = (trip: number) => trip >= faultyTrip
        const { response, status, seen, hasWritten, repeat } = await send({
          text: LASTING[0],
          moment,
          fails,
        })
        expect([response.status, response.body]).toEqual([503, UNAVAILABLE])
        expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
        expect(seen.trips).toBe(faultyTrip)
        const isRepeated = await hasWritten()
        expect(await repeat()).toBe((isRepeated && repeated) || status)
        expect(await hasWritten()).toBe(!isRead)
      }
    },
  )

  it.each(BEHIND.includes(name) ? MOMENTS : [])(
    'responds as usual when the database is overloaded after the response, %s the effect',
    async (moment) => {
      expect(trips[moment].behindResponse).not.toEqual([])
      for (const faultyTrip of trips[moment].behindResponse) {
        const fails = (trip: number) => trip >= faultyTrip
        const { response, status, hasWritten } = await send({
          text: LASTING[0],
          moment,
          fails,
        })
        expect(response.status).toBe(status)
        expect(await hasWritten()).toBe(true)
        expect(logged('error').at(-1)).toMatchObject({
          event: expect.any(String),
          error: 'DatabaseError',
          message: LASTING[0],
        })
      }
    },
  )
})

describe.each([
  ['POST /v1/auth/login', 401],
  ['PUT /v1/auth/password', 422],
])('%s with a wrong password', (route, status) => {
  it.each(MOMENTS)(
    'counts one failure when the connection is lost once, %s the effect',
    async (moment) => {
      for (const faultyTrip of [1, 2]) {
        const user = await newLogin()
        const identifier = keyedHash(env.JWT_SECRET, 'identifier', user.email)
        await env.DB.prepare(
          "insert into failed_logins (id, identifier, address) select value || ?1, ?1, '' from json_each(?2)",
        )
          .bind(identifier, JSON.stringify([...Array(49).keys()]))
          .run()
        const { DB } = faultyDatabase({
          text: TRANSIENT[0],
          moment,
          fails: (trip) => trip === faultyTrip,
        })
        const [method = '', path = ''] = route.split(' /v1')
        const body = {
          email: user.email,
          current_password: 'Errada1',
          password: 'Errada1',
        }
        const token = await tokenFor(user)
        expect((await call(path, { method, token, body, env: { DB } })).status).toBe(
          status,
        )
        expect(
          await count(
            'select count(*) as n from failed_logins where identifier = ?',
            identifier,
          ),
        ).toBe(50)
      }
    },
  )
})

describe('the delay before a retry', () => {
  it.each([
    [0, [50, 50]],
    [1, [400, 2000]],
  ])('with the random number %s is %j ms', async (random, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const { DB } = faultyDatabase({
      text: TRANSIENT[0],
      moment: 'before',
      fails: () => true,
    })
    const { status, body } = await callJson('/health', { env: { DB } })
    expect([status, body]).toEqual([503, UNAVAILABLE])
    expect(delays).toEqual(expected) // between three attempts
  })
})

it.each([
  [4950, 2],
  [4951, 1],
])(
  'no attempt starts later than five seconds: after one of %i ms there are %i',
  async (duration, attempts) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.spyOn(Math, 'random').mockReturnValue(0) // a delay of 50 ms
    let trips = 0
    const DB = interceptedDatabase(async () => {
      trips += 1
      vi.setSystemTime(Date.now() + duration)
      throw new Error(TRANSIENT[0])
    })
    expect((await call('/health', { env: { DB } })).status).toBe(503)
    expect(trips).toBe(attempts)
  },
)

describe('the cron trigger', () => {
  /** The round trips up to the one that deletes an email that was sent. */
  const CRON_TRIPS = [1, 2, 3, 4, 5, 6]

  /** Runs it with failing round trips, and again when an email that is left is due. */
  async function sendTwice(
    text: string,
    moment: Failure['moment'],
    fails: Failure['fails'],
  ) {
    const { email } = await newLogin()
    await call('/auth/password/forgot', { body: { email } })
    const sent: string[] = []
    const EMAIL = { send: async ({ to }: { to: string }) => sent.push(to) }
    const { DB } = faultyDatabase({ text, moment, fails })
    await runCron({ DB, EMAIL })
    await elapse(7)
    await runCron({ EMAIL })
    return sent.filter((to) => to === email).length
  }

  it.each(MOMENTS)(
    'sends one email when the connection is lost once, %s the effect',
    async (moment) => {
      for (const faultyTrip of CRON_TRIPS) {
        expect(await sendTwice(TRANSIENT[0], moment, (trip) => trip === faultyTrip)).toBe(
          1,
        )
      }
    },
  )

  it.each(MOMENTS)(
    'loses no email when the database is overloaded %s the effect',
    async (moment) => {
      for (const faultyTrip of CRON_TRIPS) {
        const isSentBefore = faultyTrip === CRON_TRIPS.length && moment === 'before'
        const sent = await sendTwice(LASTING[0], moment, (trip) => trip >= faultyTrip)
        expect(sent).toBe(isSentBefore ? 2 : 1)
      }
    },
  )
})
