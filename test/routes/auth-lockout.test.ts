import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { elapse, newEmail, runCron, sendTo, tokenIn } from '../support/emails.ts'
import { ELSEWHERE, fail, failuresOf } from '../support/failed-logins.ts'
import {
  callJson,
  counting,
  newLogin,
  PASSWORD,
  resetRateLimits,
  UNLIMITED,
} from '../support/helper.ts'

const HOME = '203.0.113.9'
const TOO_MANY = {
  success: false,
  message: 'Muitas tentativas. Tente novamente em instantes.',
}

/** A login from an address, without the limits per minute. */
const login = (email: string, address: string, password = PASSWORD, other = {}) =>
  callJson('/auth/login', {
    body: { email, password },
    headers: { 'CF-Connecting-IP': address },
    env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED, LOGIN_NETWORK_LIMIT: UNLIMITED, ...other },
  })

/** A user with a login from one address. */
async function newHome(address = HOME) {
  const { email } = await newLogin()
  expect((await login(email, address)).status).toBe(200)
  return email
}

describe('POST /v1/auth/login after many failures, counted in the database', () => {
  it.each(['known', 'unknown'])(
    'locks a %s identifier out, in one round trip',
    async (who) => {
      const email = who === 'known' ? (await newLogin()).email : newEmail()
      await fail(email, ELSEWHERE, 10)
      const { binding, count } = counting()
      const { status, body } = await login(email, HOME, PASSWORD, { DB: binding })
      expect([status, body, count.roundTrips]).toEqual([429, TOO_MANY, 1])
      expect(await failuresOf(email)).toBe(50)
    },
  )

  it.each([
    ['50 failures 10 minutes ago', 300],
    ['1 failures 14 minutes ago, 49 failures 4 minutes ago', 60],
    [
      '30 failures 14 minutes ago, 20 failures 10 minutes ago, 30 failures 5 minutes ago',
      300,
    ],
  ])(
    'sends a Retry-After after which it is not locked out any more: %s',
    async (failures, seconds) => {
      const { email } = await newLogin()
      for (const [, times, minutesAgo] of failures.matchAll(/(\d+) failures (\d+)/g)) {
        await fail(email, ELSEWHERE, Number(minutesAgo), Number(times))
      }
      const { headers } = await login(email, HOME)
      const retryAfter = Number(headers.get('Retry-After'))
      expect(retryAfter).toBeGreaterThan(seconds - 10)
      expect(retryAfter).toBeLessThanOrEqual(seconds)
      await elapse(retryAfter / 60 - 0.2)
      expect((await login(email, HOME)).status).toBe(429)
      await elapse(0.2)
      expect((await login(email, HOME)).status).toBe(200)
    },
  )

  it('does not lock out an address from which it has logged in', async () => {
    const email = await newHome()
    await fail(email, ELSEWHERE, 1)
    expect((await login(email, ELSEWHERE)).status).toBe(429)
    expect((await login(email, HOME)).status).toBe(200)
    expect((await login(email, '192.0.2.1')).status).toBe(429)
  })

  it('allows each such address fifty failures', async () => {
    const email = await newHome()
    await login(email, '192.0.2.1')
    await fail(email, HOME, 1, 49)
    expect((await login(email, HOME, 'Errada1')).status).toBe(401)
    expect((await login(email, HOME)).status).toBe(429)
    expect((await login(email, '192.0.2.1')).status).toBe(200)
    expect((await login(email, ELSEWHERE)).status).toBe(429)
  })

  it('remembers an address for 30 days', async () => {
    const email = await newHome()
    await elapse(30 * 24 * 60 - 1)
    await fail(email, ELSEWHERE, 1)
    expect((await login(email, HOME)).status).toBe(200)
    await elapse(30 * 24 * 60 + 1)
    await fail(email, ELSEWHERE, 1)
    expect((await login(email, HOME)).status).toBe(429)
  })

  it('remembers no address after a login of another user, a failed login, or a login before verification', async () => {
    const waiting = await newLogin({ verification: 'required' })
    expect((await login(waiting.email, HOME)).status).toBe(403)
    const { email } = await newLogin()
    expect((await login(email, HOME, 'Errada1')).status).toBe(401)
    await newHome()
    for (const who of [waiting.email, email]) {
      await fail(who, ELSEWHERE, 1)
      expect((await login(who, HOME)).status).toBe(429)
    }
  })

  it('counts an IPv6 address by its /64, in any spelling', async () => {
    const email = await newHome('2001:db8:1:2::1')
    await fail(email, ELSEWHERE, 1)
    expect((await login(email, '2001:0DB8:1:2:ffff:0:0:9')).status).toBe(200)
    expect((await login(email, '2001:db8:1:3::1')).status).toBe(429)
  })

  it('counts failures of known and unknown identifiers equally, in one round trip', async () => {
    for (const email of [(await newLogin()).email, newEmail()]) {
      const { binding, count } = counting()
      expect((await login(email, HOME, 'Errada1', { DB: binding })).status).toBe(401)
      expect([count.roundTrips, await failuresOf(email)]).toEqual([1, 1])
    }
  })

  it('counts fifty of many at once, and no more', async () => {
    const email = newEmail()
    await fail(email, ELSEWHERE, 1, 45)
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        login(email, `192.0.2.${index}`, 'Errada1'),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(401),
      ...Array(7).fill(429),
    ])
    for (const { status, headers } of responses) {
      if (status === 429) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(800)
    }
    expect(await failuresOf(email)).toBe(50)
  })

  it('lets the right password in from the usual address under any attack from elsewhere: 5 of 5', async () => {
    const email = await newHome()
    await fail(email, ELSEWHERE, 0, 45)
    const attempt = (address: string, password: string) =>
      callJson('/auth/login', {
        body: { email, password },
        headers: { 'CF-Connecting-IP': address },
      })
    const statuses: number[] = []
    for (let minute = 0; minute < 5; minute++) {
      resetRateLimits()
      for (let guess = 0; guess < 12; guess++) {
        await attempt(`192.0.2.${minute}`, `Errada${guess}`)
      }
      statuses.push((await attempt(HOME, PASSWORD)).status)
    }
    expect(statuses).toEqual(Array(5).fill(200))
    expect((await attempt('192.0.2.200', PASSWORD)).status).toBe(429)
  })

  it('lets in who has just set a new password by a link, whatever failed elsewhere', async () => {
    const { id, email } = await newLogin()
    await env.DB.prepare("update users set cpf = '86288366757' where id = ?")
      .bind(id)
      .run()
    for (const identifier of [email, '86288366757']) await fail(identifier, ELSEWHERE, 1)
    await callJson('/auth/password/forgot', { body: { email } })
    const body = { token: tokenIn((await sendTo(email))[0]), password: 'Outra2026' }
    const headers = { 'CF-Connecting-IP': HOME }
    expect((await login(email, HOME, 'Outra2026')).status).toBe(429)
    expect((await callJson('/auth/password/reset', { body, headers })).status).toBe(200)
    expect((await login(email, HOME, 'Outra2026')).status).toBe(200)
    const byCpf = { cpf: '86288366757', password: 'Outra2026' }
    expect((await callJson('/auth/login', { body: byCpf, headers })).status).toBe(200)
    expect((await login(email, ELSEWHERE, 'Outra2026')).status).toBe(429)
  })

  it('clears the failures of the address from which a login succeeds, and no others', async () => {
    const { email } = await newLogin()
    await fail(email, HOME, 1, 10)
    await fail(email, ELSEWHERE, 1, 30)
    expect((await login(email, HOME)).status).toBe(200)
    expect(await failuresOf(email)).toBe(30)
  })

  it('stores only hashes, and no expired failures', async () => {
    const email = await newHome()
    await login(email, ELSEWHERE, 'Errada1')
    const kept = async () =>
      Promise.all(
        ['failed_logins', 'known_addresses'].map(
          async (table) => (await env.DB.prepare(`select * from ${table}`).all()).results,
        ),
      )
    expect(JSON.stringify(await kept())).not.toMatch(/@|203\.0|198\.51|2001:/)
    await elapse(16)
    await runCron()
    expect((await kept()).map(({ length }) => length > 0)).toEqual([false, true])
    await elapse(30 * 24 * 60)
    await runCron()
    expect(await kept()).toEqual([[], []])
  })
})
