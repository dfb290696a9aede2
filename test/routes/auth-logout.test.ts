import { describe, expect, it } from 'vitest'
import {
  call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOfNew,
  UNKNOWN_ID,
  UNLIMITED,
} from '../support/helper.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const ENDED = { success: true, message: 'Sessão encerrada em todos os dispositivos.' }

const logout = (token: string, options = {}) =>
  callJson('/auth/logout', { method: 'POST', token, ...options })
const login = (email: string) =>
  callJson('/auth/login', {
    body: { email, password: PASSWORD },
    env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED },
  })

describe('POST /v1/auth/logout', () => {
  it('ends every session of the user, and no others', async () => {
    const user = await newLogin()
    const other = await newLogin()
    const tokens = await Promise.all([user, user, other].map((who) => tokenFor(who)))
    const before = await storedUser(user.id)
    const { status, body } = await logout(tokens[0] ?? '')
    expect([status, body]).toEqual([200, ENDED])
    const statuses = await Promise.all(
      tokens.map(async (token) => (await call('/cover', { token })).status),
    )
    expect(statuses).toEqual([401, 401, 404])
    expect(await auditedActions(user.id, user.id)).toEqual(['session.ended'])
    expect(await storedUser(user.id)).toEqual({ ...before, token_version: 2 })
  })

  it.each(['{', 'null', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`])(
    'ignores the body %.9s',
    async (body) => {
      const user = await newLogin()
      expect((await logout(await tokenFor(user), { body })).body).toEqual(ENDED)
    },
  )

  it.each(['/changelogs', `/changelogs/${UNKNOWN_ID}`])(
    'refuses an ended session of an administrator on GET /v1%s',
    async (path) => {
      const token = await tokenOfNew(await newUser('administrator'))
      await logout(token)
      const { status, body } = await callJson(path, { token })
      expect([status, body]).toEqual([401, { success: false, message: 'Token inválido' }])
    },
  )

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
    expect(await storedUser(id)).toMatchObject({ token_version: 4 })
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
    expect(await storedUser(id)).toMatchObject({ token_version: 2 })
    expect(await auditedActions(id, id)).toEqual(['session.ended'])
    expect((await call('/cover', { token })).status).toBe(401)
    expect(
      (await call('/cover', { token: (await login(email)).body.data.access_token }))
        .status,
    ).toBe(404)
  })
})
