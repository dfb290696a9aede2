import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import {
  call,
  callJson,
  counting,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  UNKNOWN_ID,
  UNLIMITED,
} from '../helper.ts'

const ENDED = { success: true, message: 'Sessão encerrada em todos os dispositivos.' }

const logout = (token: string, options = {}) =>
  callJson('/auth/logout', { method: 'POST', token, ...options })
const login = (email: string) =>
  callJson('/auth/login', {
    body: { email, password: PASSWORD },
    env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED },
  })
const versionOf = (id: string) =>
  env.DB.prepare('select token_version from users where id = ?').bind(id).first('token_version')

async function endingsOf(id: string) {
  const { results } = await env.DB.prepare(
    "select * from audit_events where action = 'session.ended' and actor_id = ?1 and subject_id = ?1",
  )
    .bind(id)
    .all()
  return results.length
}

describe('POST /v1/auth/logout', () => {
  it('ends every session of the user, and no others, in two round trips', async () => {
    const user = await newLogin()
    const other = await newLogin()
    const tokens = await Promise.all([user, user, other].map((who) => tokenFor(who)))
    const { binding, count } = counting()
    const { status, body, headers } = await logout(tokens[0] ?? '', { env: { DB: binding } })
    expect([status, body]).toEqual([200, ENDED])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(count.roundTrips).toBe(2)
    const statuses = await Promise.all(tokens.map(async (token) => (await call('/cover', { token })).status))
    expect(statuses).toEqual([401, 401, 404])
    expect(await endingsOf(user.id)).toBe(1)
  })

  it.each(['{', 'null', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`])(
    'ignores the body %.9s',
    async (body) => {
      const user = await newLogin()
      expect((await logout(await tokenFor(user), { body })).body).toEqual(ENDED)
    },
  )

  it.each([
    ['GET', '/cover', 'informer'],
    ['POST', '/changelogs/sync-from-git', 'informer'],
    ['PUT', '/auth/password', 'informer'],
    ['POST', '/auth/logout', 'informer'],
    ['GET', '/audit-events', 'administrator'],
    ['POST', '/informers', 'administrator'],
    ['GET', '/changelogs', 'administrator'],
    ['GET', `/changelogs/${UNKNOWN_ID}`, 'administrator'],
    ['GET', '/changelogs?is_published=false', 'administrator'],
  ] as const)('rejects an ended session on %s /v1%s', async (method, path, role) => {
    const token = await tokenFor(await newUser(role))
    await logout(token)
    const { status, body, headers } = await callJson(path, { method, token })
    expect([status, body]).toEqual([401, { success: false, message: 'Token inválido' }])
    expect(headers.get('WWW-Authenticate')).toMatch(/^Bearer error="invalid_token"/)
  })

  it('ends what was issued before it and not what is issued after, also within the same second', async () => {
    const { id, email } = await newLogin()
    for (let time = 0; time < 3; time++) {
      const before = (await login(email)).body.data.access_token
      expect((await call('/cover', { token: before })).status).toBe(404)
      await logout(before)
      const after = (await login(email)).body.data.access_token
      expect((await call('/cover', { token: before })).status).toBe(401)
      expect((await call('/cover', { token: after })).status).toBe(404)
    }
    expect(await versionOf(id)).toBe(4)
  })

  it('counts a token from before there were versions as of the first', async () => {
    const { id, role } = await newUser('informer')
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: 'informer-provisioning-service', sub: id, role, iat: now, exp: now + 60 }
    const token = await sign(claims, env.JWT_SECRET)
    expect((await call('/cover', { token })).status).toBe(404)
    await logout(await tokenFor({ id, role }))
    expect((await call('/cover', { token })).status).toBe(401)
  })

  it('works with fifty logouts and eight logins at the same moment', async () => {
    const { id, email } = await newLogin()
    const token = (await login(email)).body.data.access_token
    const [logouts, logins] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, () => logout(token))),
      Promise.all(Array.from({ length: 8 }, () => login(email))),
    ])
    for (const { status } of logouts) expect([200, 401]).toContain(status)
    expect(logouts.some(({ status }) => status === 200)).toBe(true)
    expect(logins.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect([await versionOf(id), await endingsOf(id)]).toEqual([2, 1])
    expect((await call('/cover', { token })).status).toBe(401)
    expect((await call('/cover', { token: (await login(email)).body.data.access_token })).status).toBe(404)
  })

  it('changes nothing else of the user', async () => {
    const user = await newLogin()
    const read = () => env.DB.prepare('select * from users where id = ?').bind(user.id).first()
    const before = await read()
    await logout(await tokenFor(user))
    expect(await read()).toEqual({ ...before, token_version: 2 })
  })
})
