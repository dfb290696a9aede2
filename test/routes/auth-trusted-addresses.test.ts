import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  newEmail,
  newLinkToken,
  newUnverified,
  sendTo,
  tokenIn,
} from '../support/emails.ts'
import { ELSEWHERE, fail } from '../support/failed-logins.ts'
import {
  administratorToken,
  beforeRoundTrips,
  call,
  callJson,
  PASSWORD,
  UNLIMITED,
} from '../support/helper.ts'
import { newFactorOwner } from '../support/second-factors.ts'

type FactorOwner = Awaited<ReturnType<typeof newFactorOwner>>

const STRANGER = '203.0.113.66'
const ANOTHER = '203.0.113.77'
const CPF = '52998224725'
const NEW = 'Outra2026'

/** Of the CPF, which is the same in all tests. */
const forgetAttempts = () => env.DB.exec('delete from failed_logins')

beforeEach(forgetAttempts)

/** A request from an address, without the limits per minute. */
const post = (path: string, body: object, address: string, bindings = {}) =>
  callJson(path, {
    body,
    headers: { 'CF-Connecting-IP': address },
    env: {
      LOGIN_IDENTIFIER_LIMIT: UNLIMITED,
      LOGIN_NETWORK_LIMIT: UNLIMITED,
      ...bindings,
    },
  })

const login = (identifier: object, address: string, password = NEW) =>
  post('/auth/login', { ...identifier, password }, address)

const patch = async (path: string, body: object) =>
  callJson(path, { method: 'PATCH', token: await administratorToken(), body })

/** A new person with the CPF, which nobody else has any more. */
async function newPerson(role: string, fields: object = {}) {
  await env.DB.prepare('update users set cpf = null where cpf = ?').bind(CPF).run()
  const email = newEmail()
  const { status, body } = await callJson(`/${role}s`, {
    token: await administratorToken(),
    body: { first_name: 'Rita', email, cpf: CPF, ...fields },
  })
  expect(status).toBe(201)
  return { email, path: `/${role}s/${body.data.id}` }
}

async function resetByLink(email: string, address: string): Promise<void> {
  await callJson('/auth/password/forgot', { body: { email } })
  const emails = await sendTo(email)
  const link = emails.find(({ subject }) => subject === 'Redefina sua senha')
  const body = { token: tokenIn(link), password: NEW }
  const { status } = await post('/auth/password/reset', body, address)
  expect(status).toBe(200)
}

/** Whether an address still gets to the password, after fifty failures elsewhere. */
async function isTrusted(
  identifier: { email: string } | { cpf: string },
  address: string,
) {
  const [value = ''] = Object.values(identifier)
  await fail(value, ELSEWHERE, 1)
  expect((await login(identifier, ELSEWHERE)).status).toBe(429)
  return (await login(identifier, address)).status !== 429
}

describe('whoever confirms an email by a link and sets a password', () => {
  it('may log in from there, whatever failed elsewhere before', async () => {
    await env.DB.prepare('update users set cpf = null where cpf = ?').bind(CPF).run()
    const { email, token } = await newUnverified({ cpf: CPF })
    await fail(email, ELSEWHERE, 1)
    await fail(CPF, ELSEWHERE, 1)

    const body = { token, password: NEW }
    const verified = await post('/auth/email/verify', body, ANOTHER)
    expect(verified.status).toBe(200)

    for (const identifier of [{ email }, { cpf: CPF }]) {
      expect((await login(identifier, ANOTHER)).status).toBe(200)
      expect((await login(identifier, ELSEWHERE)).status).toBe(429)
    }
  })

  it('may not, if they set none', async () => {
    const { email, token } = await newUnverified({ password: PASSWORD })
    const verified = await post('/auth/email/verify', { token }, ANOTHER)
    expect(verified.status).toBe(200)
    expect(await isTrusted({ email }, ANOTHER)).toBe(false)
  })

  it('may not, if the link is refused', async () => {
    const { email } = await newUnverified()
    const body = { token: 'unknown', password: NEW }
    const refused = await post('/auth/email/verify', body, ANOTHER)
    expect(refused.status).toBe(422)
    expect(await isTrusted({ email }, ANOTHER)).toBe(false)
  })
})

describe.each(['informer', 'administrator'])('a corrected email of an %s', (role) => {
  it.each([{}, { is_email_verified: true }])(
    'takes the trust in whoever came in by a link, beside %j',
    async (correction) => {
      const { email, path } = await newPerson(role)
      await resetByLink(email, STRANGER)
      expect(await isTrusted({ cpf: CPF }, STRANGER)).toBe(true)
      expect(await isTrusted({ email }, STRANGER)).toBe(true)

      const body = { ...correction, email: newEmail() }
      expect((await patch(path, body)).status).toBe(200)
      expect(await isTrusted({ cpf: CPF }, STRANGER)).toBe(false)
      expect(await isTrusted({ email }, STRANGER)).toBe(false)
      expect(await isTrusted({ email: body.email }, STRANGER)).toBe(false)
    },
  )

  it('takes the trust in whoever logged in, but no password that was given', async () => {
    const { email, path } = await newPerson(role, { password: PASSWORD })
    for (const identifier of [{ email }, { cpf: CPF }]) {
      expect((await login(identifier, STRANGER, PASSWORD)).status).toBe(200)
      expect(await isTrusted(identifier, STRANGER)).toBe(true)
    }

    expect((await patch(path, { email: newEmail() })).status).toBe(200)
    for (const identifier of [{ email }, { cpf: CPF }]) {
      expect(await isTrusted(identifier, STRANGER)).toBe(false)
    }
    await forgetAttempts()
    expect((await login({ cpf: CPF }, ANOTHER, PASSWORD)).status).toBe(200)
  })

  it('leaves the trust and the failures of anybody else', async () => {
    const { email } = await newPerson(role, { password: PASSWORD })
    expect((await login({ email }, STRANGER, PASSWORD)).status).toBe(200)
    await fail(email, ELSEWHERE, 1)

    const { path } = await newPerson(role)
    expect((await patch(path, { email: newEmail() })).status).toBe(200)
    expect((await login({ email }, ELSEWHERE, PASSWORD)).status).toBe(429)
    expect((await login({ email }, STRANGER, PASSWORD)).status).toBe(200)
  })

  it('takes a password that was set by a link, or changed by who came in with it', async () => {
    for (const changes of [0, 1]) {
      const { email, path } = await newPerson(role)
      await resetByLink(email, STRANGER)
      const { data } = (await login({ email }, STRANGER)).body
      const current = changes === 0 ? NEW : 'Terceira2026'
      const changed = await call('/auth/password', {
        method: 'PUT',
        token: data.access_token,
        body: { current_password: NEW, password: current },
      })
      expect(changed.status).toBe(200)
      expect((await login({ cpf: CPF }, ANOTHER, current)).status).toBe(200)

      expect((await patch(path, { email: newEmail() })).status).toBe(200)
      expect((await login({ cpf: CPF }, ANOTHER, current)).status).toBe(401)
    }
  })

  it('leaves no trust in a login that was answered while it was corrected', async () => {
    const { email, path } = await newPerson(role, { password: PASSWORD })
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return // after the response, the address would be trusted
      expect((await patch(path, { email: newEmail() })).status).toBe(200)
    })
    const body = { cpf: CPF, password: PASSWORD }
    expect((await post('/auth/login', body, STRANGER, { DB })).status).toBe(200)
    expect(await isTrusted({ cpf: CPF }, STRANGER)).toBe(false)
    expect(await isTrusted({ email }, STRANGER)).toBe(false)
  })
})

it('an informer whose email is taken away leaves no trusted address', async () => {
  const { email, path } = await newPerson('informer')
  await resetByLink(email, STRANGER)
  expect((await patch(path, { email: null })).status).toBe(200)
  expect(await isTrusted({ cpf: CPF }, STRANGER)).toBe(false)
})

it.each<[string, (owner: FactorOwner) => Promise<{ status: number }>]>([
  [
    'set by a link',
    async ({ id }) => {
      const body = { token: await newLinkToken(id), password: NEW }
      return post('/auth/password/reset', body, STRANGER)
    },
  ],
  [
    'changed',
    ({ token }) =>
      callJson('/auth/password', {
        method: 'PUT',
        token,
        body: { current_password: PASSWORD, password: NEW },
        headers: { 'CF-Connecting-IP': STRANGER },
      }),
  ],
])(
  'a password that is %s trusts no address where a second factor is on',
  async (_, set) => {
    const owner = await newFactorOwner()
    expect((await set(owner)).status).toBe(200)
    expect(await isTrusted({ email: owner.email }, STRANGER)).toBe(false)
  },
)
