import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { elapse, newEmail, newLinkToken, runCron, sendTo } from '../support/emails.ts'
import {
  callFrom,
  ELSEWHERE,
  failuresOf,
  HOME,
  logInFrom,
  TOO_MANY,
  WRONG_PASSWORD,
} from '../support/failed-logins.ts'
import { callJson, PASSWORD, tokenFor } from '../support/helper.ts'
import { send } from '../support/processes.ts'
import {
  codeOf,
  newFactorOwner,
  passSteps,
  stopClock,
  wrongCodeOf,
} from '../support/second-factors.ts'
import { giveCpf, storedUser } from '../support/users.ts'

type Owner = Awaited<ReturnType<typeof newFactorOwner>>

const OFFICE = '192.0.2.5'
const NEW = 'Outra2026'
const DAY = 24 * 60

const NO_CODE = { success: false, message: 'Informe o código do segundo fator.' }

const login = (body: object, bindings = {}) => logInFrom(ELSEWHERE, body, bindings)

/** A login with the right password and code. */
const enter = ({ email, secret }: Pick<Owner, 'email' | 'secret'>, address = ELSEWHERE) =>
  logInFrom(address, { email, code: codeOf(secret) })

async function disable(owner: Owner, code: string, address = ELSEWHERE) {
  const body = { current_password: PASSWORD, code }
  const token = await tokenFor(owner)
  return callFrom(address, '/auth/second-factor', { method: 'DELETE', token, body })
}

/** Logs in with wrong codes, which are answered. */
async function guess({ email, secret }: Pick<Owner, 'email' | 'secret'>, times: number) {
  for (let time = 0; time < times; time++) {
    const { status } = await login({ email, code: wrongCodeOf(secret) })
    expect([time, status]).toEqual([time, 401])
  }
}

const guessesOf = ({ id }: Owner) =>
  env.DB.prepare('select count(*) as n from wrong_codes where user_id = ?')
    .bind(id)
    .first<number>('n')

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
    expect(await guessesOf(owner)).toBe(10)
    expect(await failuresOf(owner.email)).toBe(10) // a 429 says that the password was right
    expect(await storedUser(owner.id)).toMatchObject({ second_factor_step: null })
  })

  it('are those of every route, email and CPF together, from any address', async () => {
    const owner = await newFactorOwner()
    const cpf = await giveCpf(owner.id)
    expect((await enter(owner, HOME)).status).toBe(200) // to be trusted there is of no help
    passSteps(1)
    const code = wrongCodeOf(owner.secret)
    await guess(owner, 4)
    for (let time = 0; time < 3; time++) {
      expect((await logInFrom(HOME, { cpf, code })).status).toBe(401)
      expect((await disable(owner, code, OFFICE)).status).toBe(422)
    }
    for (const address of [HOME, OFFICE]) {
      expect((await enter(owner, address)).status).toBe(429)
      expect((await logInFrom(address, { cpf, code })).status).toBe(429)
      const { status, body, headers } = await disable(
        owner,
        codeOf(owner.secret),
        address,
      )
      expect([status, body]).toEqual([429, TOO_MANY])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(86_000)
    }
    expect(await failuresOf(owner.email)).toBe(7)
  })

  it('leave the other answers, and those of others, as they are', async () => {
    const [owner, other] = [await newFactorOwner(), await newFactorOwner()]
    await guess(owner, 10)
    const { email } = owner
    expect((await login({ email })).body).toEqual(NO_CODE)
    const wrong = { email, password: WRONG_PASSWORD, code: '123456' }
    expect((await login(wrong)).status).toBe(401)
    expect((await enter(other)).status).toBe(200)
  })

  it('are none where the password is wrong', async () => {
    const owner = await newFactorOwner()
    const wrong = { email: owner.email, password: WRONG_PASSWORD, code: '123456' }
    for (let time = 0; time < 11; time++) expect((await login(wrong)).status).toBe(401)
    expect((await enter(owner)).status).toBe(200)
  })

  it('are ten of twenty at once', async () => {
    const owner = await newFactorOwner()
    const sent = { email: owner.email, code: wrongCodeOf(owner.secret) }
    const responses = await Promise.all(Array.from({ length: 20 }, () => login(sent)))
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(10).fill(429)])
    expect(await guessesOf(owner)).toBe(10)
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
    expect(await guessesOf(owner)).toBe(10) // the first two count no more
  })

  it('lose none by a right code', async () => {
    const owner = await newFactorOwner()
    await guess(owner, 9)
    expect((await enter(owner)).status).toBe(200)
    passSteps(1)
    await guess(owner, 1)
    expect((await enter(owner)).status).toBe(429)
  })
})

it('a wrong code is told to the owner at the third, once a day', async () => {
  const owner = await newFactorOwner()
  const told = async () => (await sendTo(owner.email)).map(({ subject }) => subject)
  const GUESSED = 'Alguém usou a sua senha'

  await guess(owner, 2)
  expect(await told()).toEqual([])
  await guess(owner, 1)
  expect(await told()).toEqual([GUESSED])
  await elapse(6)
  await guess(owner, 4)
  expect(await told()).toEqual([])
  await elapse(DAY - 7)
  await guess(owner, 1)
  expect(await told()).toEqual([])
  await elapse(1)
  await guess(owner, 3)
  expect(await told()).toEqual([GUESSED])
})

type Change = (user: Owner) => Promise<{ status: number }>

const patch =
  (body: object): Change =>
  ({ id }) =>
    send('PATCH', `/administrators/${id}`, body)

const NEW_PASSWORDS: [string, Change][] = [
  [
    'a new password',
    ({ token }) => {
      const body = { current_password: PASSWORD, password: NEW }
      return callJson('/auth/password', { method: 'PUT', token, body })
    },
  ],
  [
    'a password by a link',
    async ({ id }) => {
      const body = { token: await newLinkToken(id), password: NEW }
      return callJson('/auth/password/reset', { body })
    },
  ],
  ['a password of another administrator', patch({ password: NEW })],
  ['the end of the password', patch({ password: null })],
]

const enable = async ({ id, role, secret }: Owner) =>
  callJson('/auth/second-factor', {
    method: 'PUT',
    token: await tokenFor({ id, role }),
    body: { code: codeOf(secret) },
  })

it.each<[string, number, Change]>([
  ...NEW_PASSWORDS.map(([title, change]) => [title, 0, change] as [string, 0, Change]),
  ['a new email', 1, (user) => patch({ email: newEmail() })(user)],
])(
  '%s leaves a second factor, voids a secret that waits, and leaves %i wrong codes',
  async (_, left, change) => {
    const [owner, other] = [await newFactorOwner(), await newFactorOwner()]
    const waiting = await newFactorOwner({ isWaiting: true })
    const otherWaiting = await newFactorOwner({ isWaiting: true })
    for (const user of [owner, other]) await guess(user, 1)
    for (const user of [owner, waiting]) expect((await change(user)).status).toBe(200)

    expect([await guessesOf(owner), await guessesOf(other)]).toEqual([left, 1])
    expect(await storedUser(owner.id)).toMatchObject({
      second_factor_secret: owner.sealed,
      second_factor_enabled_at: expect.any(String),
    })
    expect(await storedUser(waiting.id)).toMatchObject({ second_factor_secret: null })
    const { status, body } = await enable(waiting)
    expect([status, body.errors]).toEqual([422, { code: ['O código é inválido.'] }])
    expect((await enable(otherWaiting)).status).toBe(200)
  },
)

it('another change of the person leaves a secret that waits', async () => {
  const user = await newFactorOwner({ isWaiting: true })
  const change = patch({ phone: '1', email: user.email })
  expect((await change(user)).status).toBe(200)
  expect((await enable(user)).status).toBe(200)
})

it.each<[string, Change]>([
  ['the end of the factor', (owner) => disable(owner, codeOf(owner.secret))],
  [
    'the end of the factor by another administrator',
    ({ id }) => send('DELETE', `/administrators/${id}/second-factor`),
  ],
  ['a deletion', ({ id }) => send('DELETE', `/administrators/${id}`)],
])('%s forgets wrong codes', async (_, end) => {
  const [owner, other] = [await newFactorOwner(), await newFactorOwner()]
  for (const user of [owner, other]) await guess(user, 1)
  expect((await end(owner)).status).toBe(200)
  expect([await guessesOf(owner), await guessesOf(other)]).toEqual([0, 1])
})
