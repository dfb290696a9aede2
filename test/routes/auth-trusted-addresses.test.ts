import { describe, expect, it } from 'vitest'
import { elapse, newEmail, newLinkToken } from '../support/emails.ts'
import {
  callFrom,
  ELSEWHERE,
  fail,
  failuresOf,
  HOME,
  logInFrom,
  WRONG_PASSWORD,
} from '../support/failed-logins.ts'
import { beforeRoundTrips, newLogin, PASSWORD, tokenFor } from '../support/helper.ts'
import { patch } from '../support/notices.ts'
import { newFactorOwner } from '../support/second-factors.ts'
import { giveCpf } from '../support/users.ts'

const NEW = 'Outra2026'
const DAY = 24 * 60

const newIdentified = async (fields: Parameters<typeof newLogin>[0] = {}) => {
  const user = await newLogin(fields)
  return { ...user, cpf: await giveCpf(user.id) }
}

async function setByLink(
  { id }: { id: string },
  address: string,
  path = '/auth/password/reset',
) {
  const kind = path === '/auth/email/verify' ? 'verification' : 'password_reset'
  const body = { token: await newLinkToken(id, kind), password: NEW }
  expect((await callFrom(address, path, { body })).status).toBe(200)
}

const changePassword = async (
  user: Parameters<typeof tokenFor>[0],
  address: string,
  current_password = PASSWORD,
  password = NEW,
) => {
  const { status } = await callFrom(address, '/auth/password', {
    method: 'PUT',
    token: await tokenFor(user),
    body: { current_password, password },
  })
  expect(status).toBe(200)
}

/** Whether an address still gets to the password, after fifty failures elsewhere. */
async function isTrusted(
  identifier: { email: string } | { cpf: string },
  address = HOME,
): Promise<boolean> {
  const [value = ''] = Object.values(identifier)
  await fail(value, ELSEWHERE, 1)
  const wrong = { ...identifier, password: WRONG_PASSWORD }
  expect((await logInFrom(ELSEWHERE, wrong)).status).toBe(429)
  return (await logInFrom(address, wrong)).status !== 429
}

describe('the address of a login', () => {
  it('is trusted for 30 days after the last one', async () => {
    const { email } = await newLogin()
    for (const day of [30, 30, 30]) {
      expect((await logInFrom(HOME, { email })).status).toBe(200)
      await elapse(day * DAY - 1)
      expect(await isTrusted({ email })).toBe(true)
    }
    await elapse(2)
    expect(await isTrusted({ email })).toBe(false)
  })

  it('is trusted with its whole /64, in any spelling', async () => {
    const { email } = await newLogin()
    await logInFrom('2001:db8:1:2::1', { email })
    expect(await isTrusted({ email }, '2001:0DB8:1:2:ffff:0:0:9')).toBe(true)
    expect(await isTrusted({ email }, '2001:db8:1:3::1')).toBe(false)
  })

  it('is not trusted for another user, after a failure, or while the email is unconfirmed', async () => {
    const [user, other] = [await newLogin(), await newLogin()]
    const waiting = await newLogin({ verification: 'required' })
    await logInFrom(HOME, { email: other.email })
    await logInFrom(HOME, { email: user.email, password: WRONG_PASSWORD })
    expect((await logInFrom(HOME, { email: waiting.email })).status).toBe(403)
    for (const { email } of [user, waiting]) {
      expect(await isTrusted({ email })).toBe(false)
    }
  })
})

describe('the address from which a password is set', () => {
  it.each(['/auth/password/reset', '/auth/email/verify'])(
    'by POST /v1%s is trusted by email and CPF, whatever failed elsewhere before',
    async (path) => {
      const user = await newIdentified({ verification: 'required', hash: null })
      const identifiers = [{ email: user.email }, { cpf: user.cpf }]
      for (const value of [user.email, user.cpf]) await fail(value, ELSEWHERE, 1)
      await setByLink(user, HOME, path)
      for (const identifier of identifiers) {
        const right = { ...identifier, password: NEW }
        expect((await logInFrom(HOME, right)).status).toBe(200)
        expect((await logInFrom(ELSEWHERE, right)).status).toBe(429)
      }
    },
  )

  it('lets an address that logs in by CPF change the password, whoever fails by email', async () => {
    const user = await newIdentified()
    expect((await logInFrom(HOME, { cpf: user.cpf, password: PASSWORD })).status).toBe(
      200,
    )
    await fail(user.email, ELSEWHERE)
    await changePassword(user, HOME)
  })

  it('by PUT /v1/auth/password is trusted', async () => {
    const user = await newLogin()
    await changePassword(user, HOME)
    expect(await isTrusted({ email: user.email })).toBe(true)
  })

  it.each([
    ['POST /v1/auth/password/reset', setByLink],
    ['PUT /v1/auth/password', changePassword],
  ])('by %s is not trusted where a second factor is on', async (_, set) => {
    const owner = await newFactorOwner()
    await set(owner, HOME)
    expect(await failuresOf(owner.email)).toBe(0)
    expect(await isTrusted({ email: owner.email })).toBe(false)
  })

  it('is not trusted if none is set, or if the link is refused', async () => {
    const user = await newLogin({ verification: 'required' })
    const token = await newLinkToken(user.id, 'verification')
    for (const [body, status] of [
      [{ token: 'unknown', password: NEW }, 422],
      [{ token }, 200],
    ] as const) {
      const verified = await callFrom(HOME, '/auth/email/verify', { body })
      expect(verified.status).toBe(status)
    }
    expect(await isTrusted({ email: user.email })).toBe(false)
  })
})

describe('a corrected email', () => {
  it.each(['informer', 'administrator'] as const)(
    'of an %s ends the trust, and leaves the password that the office gave',
    async (role) => {
      const user = await newIdentified({ role })
      const identifiers = [{ email: user.email }, { cpf: user.cpf }]
      for (const identifier of identifiers) {
        expect((await logInFrom(HOME, identifier)).status).toBe(200)
        expect(await isTrusted(identifier)).toBe(true)
      }

      const email = newEmail()
      await patch(user, { email })
      for (const identifier of [...identifiers, { email }]) {
        expect(await isTrusted(identifier)).toBe(false)
      }
      await elapse(15)
      expect((await logInFrom(HOME, { email })).status).toBe(200)
    },
  )

  it('ends the trust in whoever came by a link, also beside is_email_verified', async () => {
    const user = await newIdentified()
    await setByLink(user, HOME)
    const email = newEmail()
    await patch(user, { is_email_verified: true, email })
    for (const identifier of [{ cpf: user.cpf }, { email: user.email }, { email }]) {
      expect(await isTrusted(identifier)).toBe(false)
    }
  })

  it('that is taken away ends the trust', async () => {
    const user = await newIdentified()
    await setByLink(user, HOME)
    await patch(user, { email: null })
    expect(await isTrusted({ cpf: user.cpf })).toBe(false)
  })

  it('is not needed to end the trust in logins by a CPF that is changed', async () => {
    const user = await newIdentified()
    await logInFrom(HOME, { cpf: user.cpf })
    await patch(user, { cpf: null })
    expect(await isTrusted({ cpf: user.cpf })).toBe(false)
  })

  it('leaves the trust and the failures of anybody else', async () => {
    const [other, user] = [await newLogin(), await newIdentified()]
    await logInFrom(HOME, { email: other.email })
    await fail(other.email, ELSEWHERE, 1)
    await patch(user, { email: newEmail() })
    expect((await logInFrom(ELSEWHERE, { email: other.email })).status).toBe(429)
    expect((await logInFrom(HOME, { email: other.email })).status).toBe(200)
  })

  it.each(['email', 'cpf'])(
    'leaves no trust in a login that is answered meanwhile, nor does a new %s',
    async (field) => {
      const { cpf, ...user } = await newIdentified()
      const body = field === 'email' ? { email: newEmail() } : { cpf: '52998224725' }
      const identifier = field === 'email' ? { cpf } : { email: user.email }
      const DB = beforeRoundTrips(async (trip) => {
        if (trip === 2) await patch(user, body) // after the response, it would be trusted
      })
      expect((await logInFrom(HOME, identifier, { DB })).status).toBe(200)
      expect(await isTrusted(identifier)).toBe(false)
    },
  )
})
