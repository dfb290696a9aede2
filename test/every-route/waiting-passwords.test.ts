import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { documentedPaths } from '../support/documented.ts'
import { newEmail } from '../support/emails.ts'
import {
  beforeRoundTrips,
  call,
  callJson,
  PASSWORD,
  UNLIMITED,
} from '../support/helper.ts'
import { newRequest, routes, type TestRequest } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'

const MAX_WAITING = 20

/** Every route that hashes or compares a password. */
const WITH_PASSWORD = Object.keys(routes).filter((route) => {
  const [method = '', path = ''] = route.split(' /v1')
  const body = documentedPaths[path]?.[method.toLowerCase()]?.requestBody
  const { properties = {} } = body?.content['application/json'].schema ?? {}
  return 'password' in properties || 'current_password' in properties
})

/** Begins logins, and holds them at their first round trip. */
async function holdLogins(count: number) {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const { promise: areHeld, resolve: allHeld } = Promise.withResolvers<void>()
  let held = 0
  const hold = () => {
    held += 1
    if (held === count) allHeld()
    return isReleased
  }
  const logins = Array.from({ length: count }, () =>
    call('/auth/login', {
      body: { email: newEmail(), password: PASSWORD },
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
      env: { DB: beforeRoundTrips(hold), LOGIN_NETWORK_LIMIT: UNLIMITED },
    }),
  )
  await areHeld
  return async () => {
    release()
    const responses = await Promise.all(logins)
    return responses.map(({ status }) => status)
  }
}

describe('while twenty passwords wait for their hash', () => {
  it('every route with one is 503, and counts and writes nothing', async () => {
    const requests: Record<string, TestRequest> = {}
    for (const name of WITH_PASSWORD) requests[name] = await newRequest(name)
    const limits: string[] = []
    const counting = { limit: async ({ key }: RateLimitOptions) => limits.push(key) }
    const env = {
      LOGIN_IDENTIFIER_LIMIT: counting,
      LOGIN_NETWORK_LIMIT: counting,
      TOKEN_NETWORK_LIMIT: counting,
    }
    const endLogins = await holdLogins(MAX_WAITING)
    const before = await storedRows()
    for (const [name, { path, call: request }] of Object.entries(requests)) {
      const body = { password: 'Outra2026', ...(request.body as object) }
      const refused = await callJson(path, { ...request, body, env })
      expect([name, refused.status, refused.body]).toEqual([
        name,
        503,
        { success: false, message: 'Serviço temporariamente indisponível.' },
      ])
      expect(refused.headers.get('Retry-After')).toBe('5')
    }
    expect([limits, await storedRows()]).toEqual([[], before])

    expect(await endLogins()).toEqual(Array(MAX_WAITING).fill(401))
    for (const { path, call: request } of Object.values(requests)) {
      expect((await call(path, request)).status).not.toBe(503)
    }
  })

  it('everything else is answered', async () => {
    const endLogins = await holdLogins(MAX_WAITING)
    const { path, call: request } = await newRequest('POST /v1/informers')

    expect((await call('/categories')).status).toBe(200)
    expect((await call(path, request)).status).toBe(201)
    await endLogins()
  })

  it('those whose client has gone are not counted for ever', async () => {
    const endLogins = await holdLogins(MAX_WAITING)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { path, call: request } = await newRequest('POST /v1/auth/login')

    expect((await call(path, request)).status).toBe(200)
    await endLogins()
  })

  it('the twentieth is compared', async () => {
    const endLogins = await holdLogins(MAX_WAITING - 1)
    const { path, call: request } = await newRequest('POST /v1/auth/login')

    expect((await call(path, request)).status).toBe(200)
    await endLogins()
  })
})
