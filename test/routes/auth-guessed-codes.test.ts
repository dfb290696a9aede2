import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { elapse, newEmail, newLinkToken, runCron, sendTo } from '../support/emails.ts'
import { failuresOf } from '../support/failed-logins.ts'
import {
  administratorToken,
  callJson,
  interceptedDatabase,
  PASSWORD,
  tokenFor,
  UNLIMITED,
} from '../support/helper.ts'
import {
  codeOf,
  currentStep,
  newFactorOwner,
  passSteps,
  stopClock,
  wrongCodeOf,
} from '../support/second-factors.ts'
import { storedUser } from '../support/users.ts'

const HOME = '192.0.2.1'
const ELSEWHERE = '198.51.100.7'
const OFFICE = '203.0.113.5'
const NEW = 'Outra2026'
const DAY = 24 * 60

const TOO_MANY = {
  success: false,
  message: 'Muitas tentativas. Tente novamente em instantes.',
}
const NO_CODE = 'Informe o código do segundo fator.'
const GUESSED = 'Alguém usou a sua senha'

type Owner = Awaited<ReturnType<typeof newFactorOwner>>

type Sent = {
  body: object
  address?: string
  method?: string
  token?: string
  env?: object
}

/** Without the limits per minute. */
const send = (path: string, { address = ELSEWHERE, env: bindings, ...options }: Sent) =>
  callJson(path, {
    ...options,
    headers: { 'CF-Connecting-IP': address },
    env: {
      LOGIN_IDENTIFIER_LIMIT: UNLIMITED,
      LOGIN_NETWORK_LIMIT: UNLIMITED,
      ...bindings,
    },
  })

const login = (body: object, address?: string, bindings = {}) =>
  send('/auth/login', {
    body: { password: PASSWORD, ...body },
    ...(address && { address }),
    env: bindings,
  })

async function disable(owner: Owner, code: string, address = ELSEWHERE) {
  const body = { current_password: PASSWORD, code }
  const token = await tokenFor(owner)
  return send('/auth/second-factor', { method: 'DELETE', token, body, address })
}

const enter = (owner: Owner, address?: string, bindings = {}) =>
  login({ email: owner.email, code: codeOf(owner.secret) }, address, bindings)

async function guess(owner: Owner, times = 1, address?: string, bindings = {}) {
  for (let time = 0; time < times; time++) {
    const code = wrongCodeOf(owner.secret)
    const { status } = await login({ email: owner.email, code }, address, bindings)
    expect([time, status]).toEqual([time, 401])
  }
}

const counted = ({ id }: Owner) =>
  env.DB.prepare('select count(*) as n from wrong_codes where user_id = ?')
    .bind(id)
    .first<number>('n')

/** Logs in, and lets the next code be another one. */
async function logInFrom(owner: Owner, address: string) {
  expect((await enter(owner, address)).status).toBe(200)
  passSteps(1)
}

beforeEach(stopClock)

describe('ten wrong codes behind the right password', () => {
  it('lock the account out before a code is looked at, for a day', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 10)
    for (const code of [codeOf(owner.secret), wrongCodeOf(owner.secret), 'no code']) {
      const { status, body, headers } = await login({ email: owner.email, code })
      expect([status, body]).toEqual([429, TOO_MANY])
      const seconds = Number(headers.get('Retry-After'))
      expect(seconds).toBeGreaterThan(86_000)
      expect(seconds).toBeLessThanOrEqual(86_400)
    }
    expect(await counted(owner)).toBe(10)
    expect(await failuresOf(owner.email)).toBe(10) // a 429 says that the password was right
    expect(await storedUser(owner.id)).toMatchObject({ second_factor_step: null })
  })

  it('are those of every route, email and CPF together, from any address', async () => {
    const owner = await newFactorOwner()
    const cpf = '52998224725'
    await env.DB.prepare('update users set cpf = null where cpf = ?').bind(cpf).run()
    await env.DB.prepare('update users set cpf = ? where id = ?')
      .bind(cpf, owner.id)
      .run()
    await logInFrom(owner, HOME) // to be known there is of no help
    const code = wrongCodeOf(owner.secret)
    await guess(owner, 4)
    for (let time = 0; time < 3; time++) {
      expect((await login({ cpf, code }, HOME)).status).toBe(401)
      expect((await disable(owner, code, OFFICE)).body.errors).toEqual({
        code: ['O código é inválido.'],
      })
    }
    for (const address of [HOME, OFFICE, '192.0.2.99']) {
      expect((await enter(owner, address)).status).toBe(429)
      expect((await login({ cpf, code }, address)).status).toBe(429)
      const { status, body, headers } = await disable(
        owner,
        codeOf(owner.secret),
        address,
      )
      expect([status, body]).toEqual([429, TOO_MANY])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(86_000)
    }
    expect(await failuresOf(owner.email)).toBe(7)
    expect((await storedUser(owner.id))?.second_factor_step).toBeLessThan(currentStep())
  })

  it('leave the other answers as they are', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 10)
    const { email } = owner
    expect((await login({ email })).body.message).toBe(NO_CODE)
    const wrong = { email, password: 'Errada2026', code: '123456' }
    expect((await login(wrong)).status).toBe(401)
    const other = await newFactorOwner()
    expect((await enter(other)).status).toBe(200)
  })

  it('are none where the password is wrong', async () => {
    const owner = await newFactorOwner()
    const wrong = { email: owner.email, password: 'Errada2026', code: '123456' }
    for (let time = 0; time < 11; time++) expect((await login(wrong)).status).toBe(401)
    expect((await enter(owner)).status).toBe(200)
  })

  it('are ten of forty at once', async () => {
    const owner = await newFactorOwner()
    const code = wrongCodeOf(owner.secret)
    const { email } = owner
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await login({ email, code }, HOME)).status),
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    expect(await counted(owner)).toBe(10)
  })

  it('are counted until each is a day old', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 2)
    await elapse(DAY - 60)
    await guess(owner, 8)
    const { status, headers } = await enter(owner)
    expect(status).toBe(429)
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(3_500)
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(3_600)
    await elapse(60)
    await guess(owner, 2)
    expect((await enter(owner)).status).toBe(429)
    await runCron()
    expect(await counted(owner)).toBe(10) // the first two count no more
  })

  it('lose none by a right code', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 9)
    await logInFrom(owner, ELSEWHERE)
    expect(await counted(owner)).toBe(9)
    await guess(owner, 1)
    expect((await enter(owner)).status).toBe(429)
  })

  it('count once each if the connection is lost', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 9)
    let trips = 0
    const DB = interceptedDatabase(async (query) => {
      trips += 1
      const result = await query()
      if (trips === 2) throw new Error('D1_ERROR: Network connection lost.')
      return result
    })
    await guess(owner, 1, ELSEWHERE, { DB })
    expect([trips, await counted(owner)]).toEqual([4, 10]) // repeated, then read
    expect((await enter(owner)).status).toBe(429)
  })
})

describe('wrong codes', () => {
  const asAnother = async (method: string, path: string, body?: object) =>
    callJson(path, { method, token: await administratorToken(), ...(body && { body }) })

  it.each<[string, (owner: Owner) => Promise<{ status: number }>]>([
    [
      'a new password',
      ({ token }) =>
        callJson('/auth/password', {
          method: 'PUT',
          token,
          body: { current_password: PASSWORD, password: NEW },
        }),
    ],
    [
      'a password by a link',
      async ({ id }) =>
        callJson('/auth/password/reset', {
          body: { token: await newLinkToken(id), password: NEW },
        }),
    ],
    [
      'a password of another administrator',
      ({ id }) => asAnother('PATCH', `/administrators/${id}`, { password: NEW }),
    ],
    [
      'the end of the password',
      ({ id }) => asAnother('PATCH', `/administrators/${id}`, { password: null }),
    ],
    [
      'the end of the factor by another administrator',
      ({ id }) => asAnother('DELETE', `/administrators/${id}/second-factor`),
    ],
    ['the end of the factor', (owner) => disable(owner, codeOf(owner.secret))],
    ['a deletion', ({ id }) => asAnother('DELETE', `/administrators/${id}`)],
  ])('are forgotten by %s', async (_, end) => {
    const [owner, other] = [await newFactorOwner(), await newFactorOwner()]
    await guess(other, 1)
    await guess(owner, 9)
    expect((await end(owner)).status).toBe(200)
    expect([await counted(owner), await counted(other)]).toEqual([0, 1])
  })

  it('are not forgotten by a new email', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 10)
    const email = newEmail()
    const changed = await asAnother('PATCH', `/administrators/${owner.id}`, { email })
    expect(changed.status).toBe(200)
    expect((await enter({ ...owner, email })).status).toBe(429)
  })
})

describe('the owner of a password that somebody uses', () => {
  const told = async ({ email }: { email: string }) =>
    (await sendTo(email)).map(({ subject }) => subject).toSorted()

  it('is told at the third wrong code, once a day', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 2)
    expect(await told(owner)).toEqual([])
    await guess(owner, 1)
    expect(await told(owner)).toEqual([GUESSED])
    await elapse(6)
    await guess(owner, 4)
    expect(await told(owner)).toEqual([])
    await elapse(DAY - 7)
    await guess(owner, 1)
    expect(await told(owner)).toEqual([])
    await elapse(1)
    await guess(owner, 3)
    expect(await told(owner)).toEqual([GUESSED])
  })

  it('is told of those of all routes and addresses', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 1, HOME)
    await disable(owner, wrongCodeOf(owner.secret))
    expect(await told(owner)).toEqual([])
    await guess(owner, 1)
    expect(await told(owner)).toEqual([GUESSED])
  })

  it('is not told of two wrong codes and a right one, nor of ten wrong passwords', async () => {
    const owner = await newFactorOwner()
    const wrong = { email: owner.email, password: 'Errada2026', code: '123456' }
    for (let time = 0; time < 10; time++) await login(wrong)
    await guess(owner, 2)
    await enter(owner)
    expect(await told(owner)).toEqual([])
  })

  it('is told at the address of now', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 2)
    const email = newEmail()
    const token = await administratorToken()
    await callJson(`/administrators/${owner.id}`, {
      method: 'PATCH',
      token,
      body: { email },
    })
    await guess({ ...owner, email }, 1)
    expect(await told({ email })).toEqual([GUESSED, 'O seu email foi alterado'])
  })
})
