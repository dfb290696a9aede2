import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { TOO_MANY } from '../support/failed-logins.ts'
import {
  administratorToken,
  type Call,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  rateLimits,
  tokenFor,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { ipv6Network } from '#http/authentication/client-network.ts'
import { keyedHash } from '#security/hashes.ts'

/** The first half of an IPv6 address, of a network that no other test has. */
const newNetwork = () =>
  crypto.randomUUID().slice(0, 18).replace(/^.{4}/, '2001:').replaceAll('-', ':')

const from = (network: string) => ({ 'CF-Connecting-IP': `${network}::1` })
const post = (path: string, body: object, options: Call = {}) =>
  callJson(path, { body, ...options })
const login = (body: object, options: Call = {}) => post('/auth/login', body, options)

/** Repeats a call until a 429; at most two windows, if a new minute starts. */
async function untilLimited(
  limit: number,
  send: (attempt: number) => ReturnType<typeof callJson>,
) {
  const responses = []
  while (responses.length <= 2 * limit && responses.at(-1)?.status !== 429) {
    responses.push(await send(responses.length))
  }
  return responses
}

/** Uses up a login limit of what some pseudonyms count. */
async function spend(
  limit: RateLimit,
  ...counted: [purpose: string, value: string][]
): Promise<void> {
  const hashes = counted.map(([purpose, value]) =>
    keyedHash(env.JWT_SECRET, purpose, value),
  )
  for (let attempt = 0; attempt <= 2_000; attempt++) {
    if (!(await limit.limit({ key: ['login', ...hashes].join(' ') })).success) return
  }
  throw new Error(`${counted} is not limited`)
}

describe.each([
  ['/auth/login', { password: 'x' }, 401],
  ['/auth/email/resend', {}, 202],
  ['/auth/password/forgot', {}, 202],
])('POST /v1%s', (path, fields, status) => {
  it('lets ten attempts a minute of one identifier from one address through, in any case', async () => {
    const email = newEmail()
    const headers = from(newNetwork())
    const responses = await untilLimited(10, (attempt) =>
      post(
        path,
        { ...fields, email: attempt % 2 ? email : email.toUpperCase() },
        { headers },
      ),
    )
    expect(responses.slice(0, 10).map((response) => response.status)).toEqual(
      Array(10).fill(status),
    )
    const last = responses.at(-1)
    expect([last?.status, last?.body, last?.headers.get('Retry-After')]).toEqual([
      429,
      TOO_MANY,
      '60',
    ])
    const elsewhere = await post(
      path,
      { ...fields, email },
      { headers: from(newNetwork()) },
    )
    expect(elsewhere.status).toBe(status)
  })
})

describe('POST /v1/auth/login', () => {
  it('does not count attempts of a limited identifier against the network', async () => {
    const network = newNetwork()
    const headers = from(network)
    const email = newEmail()
    await spend(
      rateLimits().LOGIN_IDENTIFIER_LIMIT,
      ['identifier', email],
      ['network', ipv6Network(`${network}::1`) ?? ''],
    )
    const statuses: number[] = []
    for (let attempt = 0; attempt < 120; attempt++) {
      statuses.push((await login({ email, password: 'x' }, { headers })).status)
    }
    // if a new minute starts meanwhile, ten pass
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(110)
    expect(
      (await login({ email: 'other@example.org', password: 'x' }, { headers })).status,
    ).toBe(401)
  })

  it('does not count attempts that do not reach the password check', async () => {
    for (let attempt = 0; attempt < 12; attempt++) {
      expect((await login({ email: 'uncounted@example.org' })).status).toBe(422)
    }
    expect((await login({ email: 'uncounted@example.org', password: 'x' })).status).toBe(
      401,
    )
  })

  it('lets a hundred attempts a minute of one network through, without a round trip after that', async () => {
    const site = newNetwork().split(':').slice(0, 3).join(':')
    const headers = (address: string) => ({ 'CF-Connecting-IP': address })
    const body = { email: 'someone@example.org', password: 'x' }
    await spend(rateLimits().LOGIN_NETWORK_LIMIT, [
      'network',
      ipv6Network(`${site}::1`) ?? '',
    ])
    const { binding, count } = counting()
    const limited = await login(body, {
      headers: headers(`${site}::2`),
      env: { DB: binding },
    })
    expect([limited.status, count.roundTrips]).toEqual([429, 0])
    expect((await login(body, { headers: headers(`${site}:7::1`) })).status).toBe(401)
  })
})

describe.each([
  ['/auth/email/resend', '/auth/password/forgot'],
  ['/auth/password/forgot', '/auth/email/resend'],
])('POST /v1%s', (path, other) => {
  it('uses no login attempt, nor an attempt of another kind of link', async () => {
    const { email } = await newLogin()
    const headers = from(newNetwork())
    const responses = await untilLimited(10, () => post(path, { email }, { headers }))
    expect(responses.at(-1)?.status).toBe(429)
    const calls = [
      await login({ email, password: PASSWORD }, { headers }),
      await post(other, { email }, { headers }),
    ]
    expect(calls.map(({ status }) => status)).toEqual([200, 202])
  })
})

describe.each(['/auth/password/reset', '/auth/email/verify'])('POST /v1%s', (path) => {
  it('lets sixty attempts a minute come from one network', async () => {
    const body = { token: 'x', password: PASSWORD }
    const network = newNetwork()
    for (const refused of [{ ...body, password: 'curta' }, { password: PASSWORD }]) {
      expect((await post(path, refused, { headers: from(network) })).status).toBe(422)
    } // which are not counted
    const responses = await untilLimited(60, () =>
      post(path, body, { headers: from(network) }),
    )
    expect(responses.slice(0, 60).map(({ status }) => status)).toEqual(
      Array(60).fill(422),
    )
    const neighbour = { 'CF-Connecting-IP': `${network}:ffff::` }
    const limited = await post(path, body, { headers: neighbour })
    expect([limited.status, limited.body]).toEqual([429, TOO_MANY])
    expect(limited.headers.get('Retry-After')).toBe('60')
    expect((await post(path, body, { headers: from(newNetwork()) })).status).toBe(422)
  })
})

it('PUT /v1/auth/password shares the limit per minute with logins', async () => {
  const user = await newLogin()
  const token = await tokenFor(user)
  const change = { current_password: 'Errada1', password: 'Outra2026' }
  const headers = from(newNetwork())
  const responses = await untilLimited(10, (attempt) =>
    attempt % 2
      ? login({ email: user.email, password: 'Errada1' }, { headers })
      : callJson('/auth/password', { method: 'PUT', token, body: change, headers }),
  )
  expect(responses.slice(0, 10).map(({ status }) => status)).toEqual(
    Array.from({ length: 10 }, (_, index) => (index % 2 ? 401 : 422)),
  )
  expect(responses.at(-1)?.status).toBe(429)
})

describe('a rate limit that cannot be asked', () => {
  const broken = {
    limit: () =>
      Promise.reject(
        new Error('D1_ERROR: database or disk is full: someone@example.org'),
      ),
  }
  const credentials = { email: 'someone@example.org', password: 'x' }
  const newPassword = { token: 'x', password: PASSWORD }

  it.each([
    ['LOGIN_IDENTIFIER_LIMIT', '/auth/login', credentials],
    ['LOGIN_NETWORK_LIMIT', '/auth/login', credentials],
    ['LOGIN_IDENTIFIER_LIMIT', '/auth/email/resend', { email: credentials.email }],
    ['LOGIN_IDENTIFIER_LIMIT', '/auth/password/forgot', { email: credentials.email }],
    ['TOKEN_NETWORK_LIMIT', '/auth/password/reset', newPassword],
    ['TOKEN_NETWORK_LIMIT', '/auth/email/verify', newPassword],
    ['GIT_IMPORT_LIMIT', '/changelogs/sync-from-git', undefined],
  ])('%s makes POST /v1%s a 503, with one line', async (limit, path, body) => {
    const { binding, count } = counting()
    const response = await callJson(path, {
      method: 'POST',
      body,
      headers: from(newNetwork()),
      token: body ? undefined : await administratorToken(),
      env: { [limit]: broken, DB: binding, GIT_REPOSITORY: 'office/service' },
    })

    expect([response.status, response.body]).toEqual([
      503,
      { success: false, message: 'Serviço temporariamente indisponível.' },
    ])
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(count.rowsWritten).toBe(0)
    const request_id = response.headers.get('X-Request-Id')
    const lines = logged('error')
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'rate limit not asked',
        request_id,
        error: 'Error',
      }),
    ])
    expect(JSON.stringify(lines)).not.toContain('someone')
  })

  it('makes PUT /v1/auth/password a 503, and the password stays', async () => {
    const user = await newLogin()
    const body = { current_password: PASSWORD, password: 'Outra2026' }
    const { status } = await callJson('/auth/password', {
      method: 'PUT',
      token: await tokenFor(user),
      body,
      env: { LOGIN_NETWORK_LIMIT: broken },
    })
    expect(status).toBe(503)
    expect(logged('error')).toHaveLength(1)
    expect((await login({ email: user.email, password: PASSWORD })).status).toBe(200)
  })
})
