import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { newApiToken } from '../support/api-tokens.ts'
import { heldBody } from '../support/ended-sessions.ts'
import {
  beforeRoundTrips,
  type Call,
  call,
  callJson,
  counting,
} from '../support/helper.ts'
import { cases, newRequest } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'
import type { Scope } from '#domain/api-tokens.ts'

/** Every request that writes with a token. A renewal only reads. */
const WRITES = Object.entries(cases)
  .filter(([name, { guard }]) => !name.startsWith('GET ') && guard !== 'public')
  .filter(([name]) => name !== 'POST /v1/auth/refresh')
  .map(([name, row]) => ({ name, ...row }))

/** A repetition is refused, because the first one deleted something or ended its caller's sessions. */
const ONCE =
  /^DELETE \/v1\/[\w-]+\/\{\w+\}(\/[\w-]+)?( with a code)?$|\/v1\/(auth|api-tokens)\b/

/** Every request that writes nothing if it is repeated. */
const REPEATABLE = WRITES.filter(({ name }) => !ONCE.test(name))

const ENDED = [401, { success: false, message: 'Token inválido' }]

/** All rows but what any request may leave: the use of an API token, and an attempt. */
async function writtenRows() {
  const { api_tokens: _, failed_logins: __, ...rows } = await storedRows()
  return rows
}

/** The token of a request, and how to end it. */
type Credential = { token: string | undefined; end: () => Promise<unknown> }

/** The session of whoever sends a request, which ends. */
async function sessionOf({ token = '' }: Call): Promise<Credential> {
  const statement = env.DB.prepare(
    'update users set token_version = token_version + 1 where id = ?',
  ).bind(decode(token).payload.sub)
  return { token, end: () => statement.run() }
}

/** An API token, which is deleted. */
async function newProgram(scope: Scope): Promise<Credential> {
  const { id, token } = await newApiToken([scope])
  const statement = env.DB.prepare('delete from api_tokens where id = ?').bind(id)
  return { token, end: () => statement.run() }
}

/** The same request, with work before its body is sent, or before a later round trip. */
const delayed = (call: Call, moment: number, work: () => Promise<unknown>): Call =>
  moment === 1
    ? { ...call, body: heldBody(call.body, work) }
    : {
        ...call,
        env: {
          ...call.env,
          DB: beforeRoundTrips((trip) => (trip === moment ? work() : undefined)),
        },
      }

/** The ways to send a request, by what ends. */
const credentialsOf = ([scope]: readonly Scope[]) =>
  Object.entries<(call: Call) => Promise<Credential>>({
    'a session': sessionOf,
    ...(scope && { 'an API token': () => newProgram(scope) }),
  })

describe.each(WRITES)('$name', ({ name, scopes = [], roundTrips }) => {
  it.each(credentialsOf(scopes))(
    'writes nothing if %s ends before the body or any later round trip',
    async (_, credentialOf) => {
      for (let moment = 1; moment <= roundTrips; moment++) {
        const { path, call } = await newRequest(name)
        if (moment === 1 && call.body === undefined) continue

        const { token, end } = await credentialOf(call)
        let before = {}
        const work = async () => {
          await end()
          before = await writtenRows()
        }
        const { status, body } = await callJson(
          path,
          delayed({ ...call, token }, moment, work),
        )
        expect([moment, status, body]).toEqual([moment, ...ENDED])
        expect(await writtenRows()).toEqual(before)
      }
    },
  )
})

describe.each(REPEATABLE)('$name again', ({ name, scopes = [], status = 200 }) => {
  it.each(credentialsOf(scopes))(
    'shows nothing if %s ends before the body or any later round trip',
    async (_, credentialOf) => {
      const { binding: DB, count } = counting()

      for (let moment = 1; moment === 1 || moment <= count.roundTrips; moment++) {
        const { path, call: request } = await newRequest(name)
        const { token, end } = await credentialOf(request)
        const headers = { ...request.headers, 'Idempotency-Key': 'one' }
        const repeated = { ...request, headers, token }
        expect((await call(path, repeated)).status).toBe(status)

        if (moment === 1) {
          const counted = { ...repeated, env: { ...repeated.env, DB } }
          expect((await call(path, counted)).status).toBe(status)
          if (request.body === undefined) continue
        }

        const response = await callJson(path, delayed(repeated, moment, end))
        expect([moment, response.status, response.body]).toEqual([moment, ...ENDED])
      }
    },
  )
})
