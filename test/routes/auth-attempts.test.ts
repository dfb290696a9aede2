import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { ELSEWHERE, fail, failuresOf } from '../support/failed-logins.ts'
import {
  callJson,
  counting,
  failingDatabase,
  interceptedDatabase,
  newLogin,
  PASSWORD,
  resetRateLimits,
  tokenFor,
} from '../support/helper.ts'
import { storedUser } from '../support/users.ts'

const HOME = '203.0.113.9'
const WRONG = 'Errada2026'

const login = (body: object, address = HOME, bindings = {}) =>
  callJson('/auth/login', {
    body,
    headers: { 'CF-Connecting-IP': address },
    env: bindings,
  })

const changePassword = (token: string, current_password: string, address = HOME) =>
  callJson('/auth/password', {
    method: 'PUT',
    token,
    body: { current_password, password: 'Outra2026' },
    headers: { 'CF-Connecting-IP': address },
  })

/** 65 attempts, the last one right, from seven addresses: within all limits a minute. */
const ATTEMPTS = Array.from({ length: 65 }, (_, index) => ({
  password: index === 64 ? PASSWORD : WRONG,
  address: `192.0.2.${index % 7}`,
}))

/** A database whose first round trip has its effect, but loses its answer. */
function losingFirstAnswer(): D1Database {
  let isFirst = true
  return interceptedDatabase(async (query) => {
    const result = await query()
    if (!isFirst) return result
    isFirst = false
    throw new Error('D1_ERROR: Network connection lost.')
  })
}

const countOf = (responses: { status: number }[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('65 passwords at once from seven addresses, the last one right', () => {
  it.each(['email', 'cpf'])('are fifty at POST /v1/auth/login, by %s', async (field) => {
    const { id, email } = await newLogin()
    const cpf = '52998224725'
    await env.DB.prepare('update users set cpf = null where cpf = ?').bind(cpf).run()
    await env.DB.prepare('update users set cpf = ? where id = ?').bind(cpf, id).run()
    const identifier = field === 'email' ? email : cpf

    const responses = await Promise.all(
      ATTEMPTS.map(({ password, address }) =>
        login({ [field]: identifier, password }, address),
      ),
    )
    expect(countOf(responses)).toEqual({ 401: 50, 429: 15 })
    expect(responses.at(-1)?.status).toBe(429)
    expect(await failuresOf(identifier)).toBe(50)
  })

  it('are fifty at POST /v1/auth/login for nobody, too', async () => {
    const email = newEmail()
    const responses = await Promise.all(
      ATTEMPTS.map(({ password, address }) => login({ email, password }, address)),
    )
    expect(countOf(responses)).toEqual({ 401: 50, 429: 15 })
    expect(await failuresOf(email)).toBe(50)
  })

  it('are fifty at PUT /v1/auth/password', async () => {
    const user = await newLogin()
    const token = await tokenFor(user)
    const responses = await Promise.all(
      ATTEMPTS.map(({ password, address }) => changePassword(token, password, address)),
    )
    expect(countOf(responses)).toEqual({ 422: 50, 429: 15 })
    expect(responses.at(-1)?.status).toBe(429)
    expect((await storedUser(user.id))?.token_version).toBe(1)
    expect(await failuresOf(user.email)).toBe(50)
  })
})

describe('an attempt to log in', () => {
  it('is counted in the round trip that reads the user', async () => {
    const { email } = await newLogin()
    const { binding, count } = counting()
    expect((await login({ email, password: WRONG }, HOME, { DB: binding })).status).toBe(
      401,
    )
    expect([count.roundTrips, await failuresOf(email)]).toEqual([1, 1])
  })

  it('is taken back after a login, with the other failures of its address', async () => {
    const { email } = await newLogin()
    await login({ email, password: WRONG }, ELSEWHERE)
    await login({ email, password: WRONG }, HOME)
    expect(await failuresOf(email)).toBe(2)
    expect((await login({ email, password: PASSWORD }, HOME)).status).toBe(200)
    expect(await failuresOf(email)).toBe(1)
  })

  it('is taken back after the 403 of an unconfirmed email, and no other', async () => {
    const { email } = await newLogin({ verification: 'required' })
    await login({ email, password: WRONG })
    expect((await login({ email, password: PASSWORD })).status).toBe(403)
    expect(await failuresOf(email)).toBe(1)
  })

  it('is taken back after the right password of any number of logins', async () => {
    const { email } = await newLogin({ verification: 'required' })
    for (let minute = 0; minute < 6; minute++) {
      resetRateLimits()
      for (let time = 0; time < 10; time++) {
        expect((await login({ email, password: PASSWORD }, ELSEWHERE)).status).toBe(403)
      }
    }
    expect(await failuresOf(email)).toBe(0)
  })

  it('counts once if its round trip is retried', async () => {
    const { email } = await newLogin()
    await fail(email, ELSEWHERE, 1, 49)
    const DB = losingFirstAnswer()
    expect((await login({ email, password: WRONG }, HOME, { DB })).status).toBe(401)
    expect(await failuresOf(email)).toBe(50)
  })

  it('is not answered if it cannot be counted', async () => {
    const { email } = await newLogin()
    const DB = failingDatabase('D1 DB is overloaded.')
    expect((await login({ email, password: PASSWORD }, HOME, { DB })).status).toBe(503)
  })
})

describe('the present password at PUT /v1/auth/password', () => {
  it('counts as a failed login if it is wrong', async () => {
    const user = await newLogin()
    const { status, body } = await changePassword(await tokenFor(user), WRONG)
    expect([status, body.errors]).toEqual([
      422,
      { current_password: ['A senha atual está incorreta.'] },
    ])
    expect(await failuresOf(user.email)).toBe(1)
  })

  it('is taken back if it is right, also where the new one is refused', async () => {
    const user = await newLogin()
    const token = await tokenFor(user)
    const refused = await callJson('/auth/password', {
      method: 'PUT',
      token,
      body: { current_password: PASSWORD, password: 'curta' },
    })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
      422,
      ['password'],
    ])
    expect(await failuresOf(user.email)).toBe(0)
    expect((await changePassword(token, PASSWORD)).status).toBe(200)
    expect(await failuresOf(user.email)).toBe(0)
  })

  it('is counted by the email, by the CPF of who has none, and by the id of who has neither', async () => {
    const cpf = '11144477735'
    const { id } = await newLogin()
    for (const columns of [{ email: newEmail(), cpf }, { cpf }, {}]) {
      const { email = null, cpf = null } = columns
      await env.DB.prepare('update users set email = ?, cpf = ? where id = ?')
        .bind(email, cpf, id)
        .run()
      await changePassword(await tokenFor({ id, role: 'informer' }), WRONG)
      expect(await failuresOf(email ?? cpf ?? id)).toBe(1)
    }
  })
})
