import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { RoleSlug } from '../src/domain/roles.ts'
import app from '../src/index.ts'
import { issueToken } from '../src/security/tokens.ts'
import { parseSettings, type Settings } from '../src/settings.ts'
import { expectDocumented } from './documented.ts'
import { notePersonal } from './logs.ts'

export const BASE = 'https://service.example/v1'
export const PASSWORD = 'Provisao2026'

export type Call = {
  method?: string
  token?: string | undefined
  /** Sent as JSON, unless it is text or bytes already. */
  body?: unknown
  headers?: Record<string, string>
  /** Bindings and settings in the place of the configured ones. */
  env?: Partial<Record<keyof Env | keyof Settings, unknown>>
}

/** Calls the service as a client would. A body makes it a POST. */
export async function call(path: string, { method, token, body, headers = {}, env: other = {} }: Call = {}) {
  const request = new Request(path.startsWith('https:') ? path : BASE + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  })
  notePersonal(body, request.headers)
  const context = createExecutionContext()
  const response = await app.fetch(request, { ...env, DB: unremembered(), ...other } as Env, context)
  await waitOnExecutionContext(context)
  await expectDocumented(request, body, response.clone())
  return response
}

const isRaw = (body: unknown): body is BodyInit =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream

/** Calls and reads the JSON of the answer. */
export async function callJson(path: string, options?: Call) {
  const response = await call(path, options)
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

/** An access token of a user, without the cost of a login. */
export function tokenFor(caller: { id: string; role: RoleSlug; tokenVersion?: number }): Promise<string> {
  return issueToken({ tokenVersion: 1, ...caller }, parseSettings(env))
}

/** An access token of a demo user. */
export async function tokenOf(email: string): Promise<string> {
  const user = await env.DB.prepare(
    'select users.id, roles.slug as role from users join roles on roles.id = role_id where email = ?',
  )
    .bind(email)
    .first<{ id: string; role: RoleSlug }>()
  if (!user) throw new Error(`no user ${email}`)
  return tokenFor(user)
}

export const administratorToken = () => tokenOf('admin@example.org')

/** An administrator of this test's own, to delete or demote. */
export async function newUser(
  role: RoleSlug,
  id: string = crypto.randomUUID(),
): Promise<{ id: string; role: RoleSlug }> {
  await env.DB.prepare(
    "insert into users (id, role_id, first_name, name_folded, initials) select ?, id, 'Teste', 'teste', 'T' from roles where slug = ?",
  )
    .bind(id, role)
    .run()
  return { id, role }
}

/** A D1 binding that counts its round trips and the rows they read, in sessions as without. */
export function counting(database: D1Database = env.DB) {
  const count = { roundTrips: 0, rowsRead: 0, sessions: [] as string[] }
  const inner = new Map<D1PreparedStatement, D1PreparedStatement>()
  const trip = (results: D1Result[]) => {
    count.roundTrips += 1
    count.rowsRead += results.reduce((rows, { meta }) => rows + meta.rows_read, 0)
  }
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      run: async () => {
        const result = await statement.run()
        trip([result])
        return result
      },
      all: async () => {
        const result = await statement.all()
        trip([result])
        return result
      },
      // raw itself tells no rows read
      raw: async () => {
        const result = await statement.all<Record<string, unknown>>()
        trip([result])
        return result.results.map((row) => Object.values(row))
      },
    } as unknown as D1PreparedStatement
    inner.set(wrapped, statement)
    return wrapped
  }
  const bindingOf = (target: D1Database | D1DatabaseSession) => ({
    prepare: (sql: string) => wrap(target.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await target.batch(statements.map((statement) => inner.get(statement) ?? statement))
      trip(results)
      return results
    },
  })
  const binding = {
    ...bindingOf(database),
    withSession: (constraint: string) => {
      count.sessions.push(constraint)
      const session = database.withSession(constraint)
      return { ...bindingOf(session), getBookmark: () => session.getBookmark() }
    },
  } as unknown as D1Database
  return { binding, count }
}

/** The database itself, as a binding of its own: what an isolate remembers of one is nothing to another. */
const unremembered = (): D1Database =>
  ({ withSession: (constraint: string) => env.DB.withSession(constraint) }) as D1Database

/** A D1 binding of which every round trip fails with a text. */
export function failingDatabase(message: string): D1Database {
  const fail = async () => {
    throw new Error(message)
  }
  const statement = { bind: () => statement, run: fail, all: fail, raw: fail }
  const session = { prepare: () => statement, batch: fail, getBookmark: () => null }
  return { withSession: () => session } as unknown as D1Database
}
