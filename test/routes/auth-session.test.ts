import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  call,
  callJson,
  newLogin,
  newUser,
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
import { storedUser } from '../support/users.ts'
import { secondsNow } from '#domain/timestamps.ts'
import { issueToken } from '#security/jwt.ts'
import { parseSettings } from '#settings.ts'

const HOUR = 3600
const INVALID = { success: false, message: 'Token inválido' }

const refresh = (token: string, options = {}) =>
  callJson('/auth/refresh', { method: 'POST', token, ...options })
const logOut = (token: string, options = {}) =>
  callJson('/auth/logout', { method: 'POST', token, ...options })
const readMe = (token: string) => callJson('/auth/me', { token })

const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const claimsOf = (token: string) => decode(token).payload as Record<string, number>

async function logIn({ email }: { email: string }, more: object = {}) {
  const body = { email, password: PASSWORD, ...more }
  return (await callJson('/auth/login', { body })).body.data
}

beforeEach(stopClock)

describe('GET /v1/auth/me', () => {
  it.each(['informer', 'administrator'] as const)(
    'tells an %s what the login told, and an administrator of the second factor',
    async (role) => {
      const { access_token, user } = await logIn(await newLogin({ role }))
      const { status, body, headers } = await readMe(access_token)
      const own = role === 'administrator' ? { has_second_factor: false } : {}
      expect([status, body]).toEqual([200, { success: true, data: { ...user, ...own } }])
      expect(headers.get('ETag')).toBeNull()
    },
  )

  it('tells an administrator that the second factor is enabled', async () => {
    const { token } = await newFactorOwner()
    expect((await readMe(token)).body.data).toMatchObject({ has_second_factor: true })
  })
})

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
      wait(2)
      expect((await refresh(login.access_token)).status).toBe(401)
      expect((await refresh(access_token)).status).toBe(200)
    },
  )

  it('ends with the session: SESSION_TTL_SECONDS after the password was given', async () => {
    const token = await tokenOfNew(await newLogin())
    wait(120)
    const lasting = (seconds: number) => ({
      env: { JWT_TTL_SECONDS: '60', SESSION_TTL_SECONDS: String(seconds) },
    })
    expect((await refresh(token, lasting(150))).body.data.expires_in).toBe(30)
    expect((await refresh(token, lasting(121))).body.data.expires_in).toBe(1)
    const { status, body, headers } = await refresh(token, lasting(120))
    expect([status, body]).toEqual([401, INVALID])
    expect(headers.get('WWW-Authenticate')).toContain('expired')
    expect((await callJson('/auth/me', { token, ...lasting(120) })).status).toBe(200)
  })

  it('refuses a token that does not say when the password was given', async () => {
    const claims = { ...(await newLogin()), tokenVersion: 1 }
    const { token } = await issueToken(claims, parseSettings(env))
    const { status, body, headers } = await refresh(token)
    expect([status, body]).toEqual([401, INVALID])
    expect(headers.get('WWW-Authenticate')).toContain('invalid')
  })

  it('tells the user of now', async () => {
    const user = await newLogin()
    const token = await tokenOfNew(user)
    await env.DB.prepare("update users set first_name = 'Nova' where id = ?")
      .bind(user.id)
      .run()
    expect((await refresh(token)).body.data.user.first_name).toBe('Nova')
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

describe('POST /v1/auth/logout', () => {
  const cover = async (token: string) => (await call('/cover', { token })).status

  it('ends every session of the user, none of another, and none that begins in the same second', async () => {
    const [user, other] = [await newLogin(), await newLogin()]
    const tokens = [await tokenFor(user), (await logIn(user)).access_token]
    const tokenOfOther = await tokenFor(other)
    const before = await storedUser(user.id)
    const { status, body } = await logOut(tokens[0])
    expect([status, body]).toEqual([
      200,
      { success: true, message: 'Sessão encerrada em todos os dispositivos.' },
    ])
    expect(await storedUser(user.id)).toEqual({ ...before, token_version: 2 })
    for (const token of tokens) expect(await cover(token)).toBe(401)
    for (const token of [tokenOfOther, (await logIn(user)).access_token]) {
      expect(await cover(token)).toBe(404) // of no group
    }
  })

  it('ignores a body', async () => {
    const token = await tokenOfNew(await newLogin())
    expect((await logOut(token, { body: '{' })).status).toBe(200)
  })

  it('ends what GET /v1/changelogs shows to an administrator', async () => {
    const token = await tokenOfNew(await newUser('administrator'))
    await logOut(token)
    const { status, body } = await callJson('/changelogs', { token })
    expect([status, body]).toEqual([401, INVALID])
  })
})
