import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { elapse, newEmail, runCron } from '../support/emails.ts'
import {
  callFrom,
  ELSEWHERE,
  fail,
  failuresOf,
  HOME,
  logInFrom,
  TOO_MANY,
  WRONG_PASSWORD,
} from '../support/failed-logins.ts'
import { counting, newLogin, PASSWORD, tokenFor } from '../support/helper.ts'
import { giveCpf, storedUser } from '../support/users.ts'

const changePassword = (address: string, token: string, current_password: string) =>
  callFrom(address, '/auth/password', {
    method: 'PUT',
    token,
    body: { current_password, password: 'Outra2026' },
  })

/** A user who has logged in from an address. */
async function newHome(address = HOME): Promise<string> {
  const { email } = await newLogin()
  expect((await logInFrom(address, { email })).status).toBe(200)
  return email
}

const countOf = (responses: { status: number }[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('twenty passwords at once behind forty failures, the last one right', () => {
  /** Sends the attempts from seven addresses, and expects that ten of them are looked at. */
  async function expectTen(
    identifier: string,
    refused: number,
    attempt: (address: string, password: string) => ReturnType<typeof callFrom>,
  ) {
    await fail(identifier, ELSEWHERE, 1, 40)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        attempt(`192.0.2.${index % 7}`, index === 19 ? PASSWORD : WRONG_PASSWORD),
      ),
    )
    expect(countOf(responses)).toEqual({ [refused]: 10, 429: 10 })
    expect(responses.at(-1)?.status).toBe(429)
    expect(await failuresOf(identifier)).toBe(50)
  }

  it.each([
    ['a user', async () => (await newLogin()).email],
    ['nobody', async () => newEmail()],
  ])('are ten at POST /v1/auth/login for %s', async (_, newIdentifier) => {
    const email = await newIdentifier()
    await expectTen(email, 401, (address, password) =>
      logInFrom(address, { email, password }),
    )
  })

  it('are ten at PUT /v1/auth/password', async () => {
    const user = await newLogin()
    const token = await tokenFor(user)
    await expectTen(user.email, 422, (address, password) =>
      changePassword(address, token, password),
    )
    expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
  })
})

describe('a failed login', () => {
  it.each([
    ['a user', async () => (await newLogin()).email],
    ['nobody', async () => newEmail()],
  ])('of %s is counted, and locks out, in one round trip', async (_, newIdentifier) => {
    const email = await newIdentifier()
    const { binding: DB, count } = counting()
    const failed = await logInFrom(HOME, { email, password: WRONG_PASSWORD }, { DB })
    expect([failed.status, count.roundTrips]).toEqual([401, 1])
    expect(await failuresOf(email)).toBe(1)

    await fail(email, ELSEWHERE, 10, 49)
    const { status, body } = await logInFrom(HOME, { email }, { DB })
    expect([status, body, count.roundTrips]).toEqual([429, TOO_MANY, 2])
    expect(await failuresOf(email)).toBe(50) // a 429 is not counted
  })

  it('is forgotten after a login from its address, and no other', async () => {
    const { email } = await newLogin()
    await fail(email, ELSEWHERE, 1, 30)
    await fail(email, HOME, 1, 10)
    expect((await logInFrom(HOME, { email })).status).toBe(200)
    expect(await failuresOf(email)).toBe(30)
  })

  it('is none where the password is right and the email unconfirmed', async () => {
    const { email } = await newLogin({ verification: 'required' })
    await logInFrom(HOME, { email, password: WRONG_PASSWORD })
    expect((await logInFrom(HOME, { email })).status).toBe(403)
    expect(await failuresOf(email)).toBe(1)
  })

  it('is counted at PUT /v1/auth/password by email, else by CPF, else by id', async () => {
    const { id, email, role } = await newLogin()
    const cpf = await giveCpf(id)
    for (const [identifier, lost] of [
      [email, 'email'],
      [cpf, 'cpf'],
      [id, 'phone'],
    ] as const) {
      await changePassword(HOME, await tokenFor({ id, role }), WRONG_PASSWORD)
      expect(await failuresOf(identifier)).toBe(1)
      await env.DB.prepare(`update users set ${lost} = null where id = ?`).bind(id).run()
    }
  })

  it('is stored as hashes, for fifteen minutes', async () => {
    const email = await newHome()
    await logInFrom(ELSEWHERE, { email, password: WRONG_PASSWORD })
    const kept = async () =>
      Promise.all(
        ['failed_logins', 'known_addresses'].map(
          async (table) => (await env.DB.prepare(`select * from ${table}`).all()).results,
        ),
      )
    expect(JSON.stringify(await kept())).not.toMatch(/@|203\.0|198\.51/)
    await elapse(16)
    await runCron()
    expect((await kept()).map(({ length }) => length > 0)).toEqual([false, true])
    await elapse(30 * 24 * 60)
    await runCron()
    expect(await kept()).toEqual([[], []])
  })
})

describe('a lockout after fifty failed logins', () => {
  it.each([
    ['50 failures 10 minutes ago', 300],
    ['1 failures 14 minutes ago, 49 failures 4 minutes ago', 60],
    [
      '30 failures 14 minutes ago, 20 failures 10 minutes ago, 30 failures 5 minutes ago',
      300,
    ],
  ])('ends as its Retry-After says: %s', async (failures, seconds) => {
    const { email } = await newLogin()
    for (const [, times, minutesAgo] of failures.matchAll(/(\d+) failures (\d+)/g)) {
      await fail(email, ELSEWHERE, Number(minutesAgo), Number(times))
    }
    const { headers } = await logInFrom(HOME, { email })
    const retryAfter = Number(headers.get('Retry-After'))
    expect(retryAfter).toBeGreaterThan(seconds - 10)
    expect(retryAfter).toBeLessThanOrEqual(seconds)
    await elapse(retryAfter / 60 - 0.2)
    expect((await logInFrom(HOME, { email })).status).toBe(429)
    await elapse(0.2)
    expect((await logInFrom(HOME, { email })).status).toBe(200)
  })

  it('does not concern an address from which the user has logged in', async () => {
    const email = await newHome()
    await fail(email, ELSEWHERE, 1)
    expect((await logInFrom(ELSEWHERE, { email })).status).toBe(429)
    expect((await logInFrom(HOME, { email })).status).toBe(200)
    expect((await logInFrom('192.0.2.1', { email })).status).toBe(429)
  })

  it('comes for each such address after fifty failures of its own', async () => {
    const email = await newHome()
    await logInFrom('192.0.2.1', { email })
    await fail(email, HOME, 1, 49)
    const wrong = { email, password: WRONG_PASSWORD }
    expect((await logInFrom(HOME, wrong)).status).toBe(401)
    expect((await logInFrom(HOME, { email })).status).toBe(429)
    expect((await logInFrom('192.0.2.1', { email })).status).toBe(200)
    expect((await logInFrom(ELSEWHERE, { email })).status).toBe(429)
  })

  it.each([
    ['right', PASSWORD],
    ['wrong', WRONG_PASSWORD],
  ])(
    'keeps PUT /v1/auth/password from telling that a password is %s',
    async (_, current_password) => {
      const user = await newLogin()
      await fail(user.email)
      const { status, body, headers } = await callFrom(HOME, '/auth/password', {
        method: 'PUT',
        token: await tokenFor(user),
        body: { current_password, password: 'Outra2026' },
      })
      expect([status, body]).toEqual([429, TOO_MANY])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(890)
      expect(await failuresOf(user.email)).toBe(50)
      expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
    },
  )

  it('does not concern PUT /v1/auth/password from an address with a login', async () => {
    const user = await newLogin()
    await logInFrom(HOME, { email: user.email })
    await fail(user.email)
    const { status } = await changePassword(HOME, await tokenFor(user), PASSWORD)
    expect(status).toBe(200)
  })
})
