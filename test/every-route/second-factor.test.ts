import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import {
  type Call,
  call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { referenceLists } from '../support/resources.ts'
import { newRequest, pathOf, routes } from '../support/routes.ts'
import { codeOf, newFactorOwner } from '../support/second-factors.ts'
import { storedRows } from '../support/stored.ts'

const REQUIRED = { REQUIRE_SECOND_FACTOR: 'true' }
const REFUSED = { success: false, message: 'Ative o segundo fator.' }

const TAKES_A_TOKEN = ['viewer', 'user', 'informer', 'admin']

/** What an administrator without a second factor may do. */
const OPEN = Object.keys(routes).filter((route) => routes[route]?.withoutSecondFactor)
const GUARDED = Object.entries(routes)
  .filter(
    ([, { guard, withoutSecondFactor }]) =>
      !withoutSecondFactor && TAKES_A_TOKEN.includes(guard),
  )
  .map(([route]) => route)

/** A route with the id of nothing. */
function requestOf(route: string, token: string | undefined, more: Call = {}) {
  const { method, path } = pathOf(route, UNKNOWN_ID)
  return call(path, { method, token, env: REQUIRED, ...more })
}

const isWrite = (route: string) => !route.startsWith('GET ')

describe.each(GUARDED)('%s with REQUIRE_SECOND_FACTOR', (route) => {
  it('is 403 for an administrator without one, before the body, and writes nothing', async () => {
    const token = await tokenOfNew(await newUser('administrator'))
    const before = isWrite(route) && (await storedRows())
    const response = await requestOf(route, token, isWrite(route) ? { body: '{' } : {})
    expect([response.status, await response.json()]).toEqual([403, REFUSED])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(isWrite(route) && (await storedRows())).toEqual(before)
  })

  it('is refused to nobody else for that reason', async () => {
    const ended = await newUser('administrator')
    const cases: [token: string, settings: object][] = [
      [await tokenFor({ ...ended, tokenVersion: 7 }), REQUIRED],
      [(await newFactorOwner()).token, REQUIRED],
      [await tokenOfNew(await newUser('informer')), REQUIRED],
      [await tokenOfNew(await newUser('administrator')), {}],
    ]
    const statuses = []
    for (const [token, settings] of cases) {
      const response = await requestOf(route, token, { env: settings })
      statuses.push(response.status)
      expect(await response.text()).not.toContain(REFUSED.message)
    }
    expect(statuses[0]).toBe(401)
    expect(Math.max(...statuses)).toBeLessThan(500)
  })
})

describe.each(OPEN)('%s with REQUIRE_SECOND_FACTOR', (route) => {
  it('is open to an administrator without one', async () => {
    const name = `${route}${route.endsWith('login') ? ' of an administrator' : ''}`
    const { path, call: sent, status } = await newRequest(name)
    if (sent.token && !route.endsWith('second-factor')) {
      const user = await newLogin({ role: 'administrator' })
      sent.token = await tokenFor(user)
      expect(decode(sent.token).payload.role).toBe('administrator')
    }
    const { status: found } = await callJson(path, {
      ...sent,
      env: { ...sent.env, ...REQUIRED },
    })
    expect(found).toBe(status)
  })
})

describe('an administrator without a second factor, with REQUIRE_SECOND_FACTOR', () => {
  it('reads what everybody reads without a token', async () => {
    const token = await tokenOfNew(await newUser('administrator'))
    for (const path of [...referenceLists.map(({ path }) => path), '/health']) {
      expect((await call(path, { token, env: REQUIRED })).status).toBe(200)
    }
    expect((await call('/changelogs', { env: REQUIRED })).status).toBe(200)
  })

  it('is refused also while a secret waits for its first code', async () => {
    const { token } = await newFactorOwner({ isWaiting: true })
    expect((await call('/administrators', { token, env: REQUIRED })).status).toBe(403)
  })

  it('may do everything from the first code on', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const login = await callJson('/auth/login', {
      body: { email: user.email, password: PASSWORD },
      env: REQUIRED,
    })
    const { body } = await callJson('/auth/second-factor', {
      method: 'PUT',
      token: login.body.data.access_token,
      body: { code: codeOf(user.secret) },
      env: REQUIRED,
    })
    const token = body.data.access_token
    expect((await call('/administrators', { token, env: REQUIRED })).status).toBe(200)
  })
})
