import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { onTestFinished } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { ADMINISTRATOR_ID } from './demo-data.ts'
import { expectDocumented } from './documented.ts'
import { noteValues } from './logs.ts'
import { DEMO_PASSWORD_HASH } from './password-cost.ts'
import { type Interceptor, interceptQueries } from '#database/client.ts'
import type { RoleSlug } from '#domain/roles.ts'
import { secondsNow } from '#domain/timestamps.ts'
import app from '#index.ts'
import { issueToken } from '#security/jwt.ts'
import { parseSettings, type Settings } from '#settings.ts'

export const BASE = 'https://service.example/v1'
export const PASSWORD = DEMO_PASSWORD

/** What changes of administrators take beside their fields, of callers without a second factor. */
export const PROOF = { current_password: PASSWORD }

/** The id of nothing. Constant, because titles contain it: random titles cannot be found again. */
export const UNKNOWN_ID = '6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11'

export type Call = {
  method?: string
  token?: string | undefined
  /** Sent as JSON, unless it is text or bytes already. */
  body?: unknown
  headers?: Record<string, string>
  /** Bindings and settings that override the configured ones. */
  env?: Partial<Record<keyof Env | keyof Settings, unknown>>
}

const RATE_LIMITS = [
  'LOGIN_IDENTIFIER_LIMIT',
  'LOGIN_NETWORK_LIMIT',
  'TOKEN_NETWORK_LIMIT',
  'GIT_IMPORT_LIMIT',
] as const
let testId = ''

/** The runtime counts for all files of a worker; each test begins at zero. */
export function resetRateLimits(): void {
  testId = crypto.randomUUID()
}

/** The binding of a rate limit that limits nothing. */
export const UNLIMITED: RateLimit = { limit: async () => ({ success: true }) }

/** The bindings of the rate limits, with keys of the current test. */
export const rateLimits = () =>
  Object.fromEntries(
    RATE_LIMITS.map((name) => [
      name,
      { limit: ({ key }: RateLimitOptions) => env[name].limit({ key: testId + key }) },
    ]),
  ) as Record<(typeof RATE_LIMITS)[number], RateLimit>

/** Databases whose request has its response: what follows runs behind it. */
const answered = new WeakSet<D1Database>()

/** Calls the service as a client would. A body makes it a POST. */
export async function call(
  path: string,
  { method, token, body, headers = {}, env: other = {} }: Call = {},
) {
  const request = new Request(path.startsWith('https:') ? path : BASE + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  })
  noteValues(request, body)
  const context = createExecutionContext()
  const bindings = { ...env, ...rateLimits(), DB: unremembered(), ...other } as Env
  answered.delete(bindings.DB)
  const response = await app.fetch(request, bindings, context)
  answered.add(bindings.DB)
  await waitOnExecutionContext(context)
  await expectDocumented(request, body, response.clone())
  return response
}

const isRaw = (body: unknown): body is BodyInit =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream

/** Calls the service and parses the JSON response. */
export async function callJson(path: string, options?: Call) {
  const response = await call(path, options)
  return {
    status: response.status,
    headers: response.headers,
    // oxlint-disable-next-line no-explicit-any -- tests check the shape
    body: (await response.json()) as any,
  }
}

/**
 * An access token of a user, without the cost of a login; by default of the current version, if the
 * user exists.
 */
export async function tokenFor(caller: {
  id: string
  role: RoleSlug
  tokenVersion?: number
}): Promise<string> {
  const tokenVersion = caller.tokenVersion ?? (await currentVersion(caller.id)) ?? 1
  const claims = { authTime: secondsNow(), ...caller, tokenVersion }
  return (await issueToken(claims, parseSettings(env))).token
}

const currentVersion = (id: string) =>
  env.DB.prepare('select token_version from users where id = ?')
    .bind(id)
    .first<number>('token_version')

/** An access token of a demo user. */
export async function tokenOf(email: string): Promise<string> {
  const user = await env.DB.prepare(
    `select users.id, roles.slug as role, token_version as tokenVersion
     from users join roles on roles.id = role_id where email = ?`,
  )
    .bind(email)
    .first<{ id: string; role: RoleSlug; tokenVersion: number }>()
  if (!user) throw new Error(`no user ${email}`)
  return tokenFor(user)
}

/** An access token of a new user, whose sessions nobody has ended. */
export const tokenOfNew = (user: NewUser) => tokenFor({ ...user, tokenVersion: 1 })

/** An access token of the administrator of the demo data, whose sessions no test ends. */
export const administratorToken = () =>
  tokenOfNew({ id: ADMINISTRATOR_ID, role: 'administrator' })

/** Runs a statement when the test has ended, also if it fails. */
export function runAfterTest(sql: string, ...values: unknown[]): void {
  onTestFinished(async () => {
    await env.DB.prepare(sql)
      .bind(...values)
      .run()
  })
}

type NewUser = { id: string; role: RoleSlug }

/** A new user, to delete or demote, with further columns. */
export async function newUser(
  role: RoleSlug,
  id = crypto.randomUUID() as string,
  more: object = {},
): Promise<NewUser> {
  const row = { id, first_name: 'Teste', name_folded: 'teste', initials: 'T', ...more }
  const columns = Object.keys(row)
  await env.DB.prepare(
    `insert into users (role_id, ${columns}) select id${', ?'.repeat(columns.length)} from roles where slug = '${role}'`,
  )
    .bind(...Object.values(row))
    .run()
  return { id, role }
}

/**
 * A new user with an email and a password, so that login limits are not shared with other tests.
 */
export async function newLogin(
  fields: {
    role?: RoleSlug
    verification?: 'required' | 'done'
    hash?: string | null
  } = {},
) {
  const id = crypto.randomUUID()
  const email = `${id}@example.org`
  const user = await newUser(fields.role ?? 'informer', id, {
    email,
    password_hash: fields.hash === undefined ? DEMO_PASSWORD_HASH : fields.hash,
    email_verification_required: fields.verification ? 1 : 0,
    email_verified_at:
      fields.verification === 'done' ? '2026-01-01T00:00:00.000000Z' : null,
  })
  return { ...user, email }
}

/** The database with an interceptor around every round trip, in sessions as without. */
export function interceptedDatabase(
  intercept: Interceptor,
  database: D1Database = env.DB,
): D1Database {
  return {
    ...interceptQueries(database, intercept),
    withSession: (constraint: string) => {
      const session = database.withSession(constraint)
      return {
        ...interceptQueries(session, intercept),
        getBookmark: () => session.getBookmark(),
      }
    },
  } as D1Database
}

/**
 * A database that counts its round trips, the rows they read and write, and how its sessions begin;
 * and apart from these what runs behind the response.
 */
export function counting() {
  const count = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, sessions: [] as string[] }
  const behind = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 }
  const current = () => (answered.has(binding) ? behind : count)
  const read = ({ meta }: D1Result) => {
    current().rowsRead += meta.rows_read
    current().rowsWritten += meta.rows_written
  }
  const intercepted = interceptedDatabase(async (query) => {
    current().roundTrips += 1
    const result = await query()
    for (const one of [result].flat()) if ((one as D1Result)?.meta) read(one as D1Result)
    return result
  }, reportingRaw(read))
  const binding = {
    ...intercepted,
    withSession: (constraint: string) => {
      count.sessions.push(constraint)
      return intercepted.withSession(constraint)
    },
  } as D1Database
  return { binding, count, behind }
}

/** The database, with `raw` replaced by `all`, because `raw` does not report the rows read. */
function reportingRaw(report: (result: D1Result) => void): D1Database {
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, key) {
        if (key === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        if (key !== 'raw') {
          return Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key)
        }
        return async () => {
          const result = await target.all<Record<string, unknown>>()
          report(result)
          return result.results.map((row) => Object.values(row))
        }
      },
    })
  const client = (target: D1Database | D1DatabaseSession) => ({
    prepare: (sql: string) => wrap(target.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => target.batch(statements),
  })
  return {
    ...client(env.DB),
    withSession: (constraint: string) => {
      const session = env.DB.withSession(constraint)
      return { ...client(session), getBookmark: () => session.getBookmark() }
    },
  } as D1Database
}

/** The database as a new binding, because caches are kept per binding. */
const unremembered = () => interceptedDatabase((query) => query())

/** The database, with work before each round trip. The first has the number 1. */
export function beforeRoundTrips(work: (trip: number) => unknown): D1Database {
  let trips = 0
  return interceptedDatabase(async (query) => {
    trips += 1
    await work(trips)
    return query()
  })
}

/** A database that fails round trips, by default all, with a message. */
export const failingDatabase = (
  message: string,
  fails = (_trip: number) => true,
): D1Database =>
  beforeRoundTrips((trip) => {
    if (fails(trip)) throw new Error(message)
  })
