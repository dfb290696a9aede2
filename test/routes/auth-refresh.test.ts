import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { newApiToken } from '../support/api-tokens.ts'
import {
  callJson,
  counting,
  newLogin,
  PASSWORD,
  tokenFor,
  tokenOfNew,
} from '../support/helper.ts'
import {
  codeOf,
  newFactorOwner,
  passSteps,
  stopClock,
} from '../support/second-factors.ts'
import { issueToken, secondsNow } from '#security/tokens.ts'
import { parseSettings } from '#settings.ts'

const HOUR = 3600

const refresh = (token?: string, options = {}) =>
  callJson('/auth/refresh', { method: 'POST', token, ...options })

const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const claimsOf = (token: string) => decode(token).payload as Record<string, number>

async function logIn({ email }: { email: string }, more: object = {}) {
  const body = { email, password: PASSWORD, ...more }
  return (await callJson('/auth/login', { body })).body.data
}

const INVALID = { success: false, message: 'Token inválido' }

beforeEach(stopClock)

describe('POST /v1/auth/refresh', () => {
  it.each(['informer', 'administrator'] as const)(
    'gives an %s another token of the same session',
    async (role) => {
      const login = await logIn(await newLogin({ role }))
      wait(HOUR - 1)
      const { status, body, headers } = await refresh(login.access_token)
      const { access_token } = body.data
      expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store'])
      expect(body).toEqual({ success: true, data: { ...login, access_token } })

      const [former, next] = [claimsOf(login.access_token), claimsOf(access_token)]
      const { jti, iat = 0 } = next
      expect(next).toEqual({ ...former, jti, iat: secondsNow(), exp: iat + HOUR })
      expect(jti).not.toBe(former.jti)
      expect(former.auth_time).toBe(former.iat)
      expect((await refresh(login.access_token)).status).toBe(200)
      wait(2)
      expect((await refresh(login.access_token)).status).toBe(401)
      expect((await refresh(access_token)).status).toBe(200)
    },
  )

  it('goes on until twelve hours after the password was given', async () => {
    let { access_token } = await logIn(await newLogin())
    const began = secondsNow()
    for (let hours = 1; hours < 12; hours++) {
      wait(HOUR - 10)
      const { body } = await refresh(access_token)
      expect([hours, body.data.expires_in]).toEqual([hours, HOUR])
      access_token = body.data.access_token
    }
    wait(HOUR - 10)
    const { expires_in, access_token: last } = (await refresh(access_token)).body.data
    expect(expires_in).toBe(120)
    expect(claimsOf(last).exp).toBe(began + 12 * HOUR)
    wait(119)
    expect((await refresh(last)).body.data.expires_in).toBe(1)
    wait(1)
    const { status, body, headers } = await refresh(last)
    expect([status, body]).toEqual([401, INVALID])
    expect(headers.get('WWW-Authenticate')).toContain('expired')
  })

  it('goes on as long as SESSION_TTL_SECONDS says now', async () => {
    const token = await tokenOfNew(await newLogin())
    wait(120)
    const lowered = (seconds: number) => ({
      env: { JWT_TTL_SECONDS: '60', SESSION_TTL_SECONDS: String(seconds) },
    })
    expect((await refresh(token, lowered(150))).body.data.expires_in).toBe(30)
    const { status, body } = await refresh(token, lowered(120))
    expect([status, body]).toEqual([401, INVALID])
    expect((await callJson('/auth/me', { token, ...lowered(120) })).status).toBe(200)
    expect(
      (await refresh(token, { env: { JWT_TTL_SECONDS: '90000' } })).body.data,
    ).toEqual(expect.objectContaining({ expires_in: 89_880 }))
  })

  it('rejects tokens that are none of a current session', async () => {
    const user = await newLogin()
    const claims = { ...user, tokenVersion: 1 }
    const { token } = await issueToken(claims, parseSettings(env)) // no auth_time
    for (const refused of [token, 'x', await tokenFor({ ...user, tokenVersion: 2 })]) {
      const { status, body } = await refresh(refused)
      expect([status, body]).toEqual([401, INVALID])
    }
    expect((await refresh()).body.message).toBe('Token não fornecido')
    const program = await newApiToken(['informers:write'])
    const { status, body } = await refresh(program.token)
    expect([status, body.message]).toEqual([403, 'Este token não permite esta ação.'])
  })

  it('tells the user of now', async () => {
    const user = await newLogin()
    const token = await tokenOfNew(user)
    await env.DB.prepare("update users set first_name = 'Nova' where id = ?")
      .bind(user.id)
      .run()
    expect((await refresh(token)).body.data.user.first_name).toBe('Nova')
  })

  it('is neither a login nor recorded, and needs one round trip', async () => {
    const user = await newLogin({ role: 'administrator' })
    const token = await tokenOfNew(user)
    const { binding, count, behind } = counting()
    expect((await refresh(token, { env: { DB: binding } })).status).toBe(200)
    expect([count.roundTrips, count.rowsWritten, behind.roundTrips]).toEqual([1, 0, 0])
  })
})

describe('the claim auth_time', () => {
  it('is of the moment in which a password was given', async () => {
    const { token, email, secret } = await newFactorOwner()
    passSteps(1)
    const { access_token } = await logIn({ email }, { code: codeOf(secret) })
    expect(claimsOf(access_token).auth_time).toBe(secondsNow())
    passSteps(1)
    const disabled = await callJson('/auth/second-factor', {
      method: 'DELETE',
      token,
      body: { current_password: PASSWORD, code: codeOf(secret) },
    })
    expect(claimsOf(disabled.body.data.access_token).auth_time).toBe(secondsNow())
    wait(60)
    const changed = await callJson('/auth/password', {
      method: 'PUT',
      token: disabled.body.data.access_token,
      body: { current_password: PASSWORD, password: 'Outra2026' },
    })
    expect(claimsOf(changed.body.data.access_token).auth_time).toBe(secondsNow())
  })

  it('stays where a code alone is given', async () => {
    const { token, secret } = await newFactorOwner({ isWaiting: true })
    wait(60)
    const { body } = await callJson('/auth/second-factor', {
      method: 'PUT',
      token,
      body: { code: codeOf(secret) },
    })
    expect(claimsOf(body.data.access_token).auth_time).toBe(secondsNow() - 60)
  })
})
