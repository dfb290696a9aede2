import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import {
  ELSEWHERE,
  fail,
  failuresOf,
  HOME,
  logInFrom,
  WRONG_PASSWORD,
} from '../support/failed-logins.ts'
import { beforeRoundTrips, newLogin } from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { send } from '../support/processes.ts'
import {
  codeOf,
  currentStep,
  newFactorOwner,
  passSteps,
  stopClock,
  wrongCodeOf,
} from '../support/second-factors.ts'
import { auditedActions, storedUser } from '../support/users.ts'

type Owner = Awaited<ReturnType<typeof newFactorOwner>>

const WRONG = { success: false, message: 'Credenciais inválidas.' }
const NO_CODE = { success: false, message: 'Informe o código do segundo fator.' }

const login = (body: object, bindings = {}) => logInFrom(ELSEWHERE, body, bindings)

beforeEach(stopClock)

describe('POST /v1/auth/login of an administrator with a second factor', () => {
  it('takes a code beside the password, and changes nothing that is shown', async () => {
    const { id, email, secret } = await newFactorOwner()
    const before = await storedUser(id)
    expect((await login({ email, code: codeOf(secret) })).status).toBe(200)
    const second_factor_step = currentStep()
    expect(await storedUser(id)).toEqual({ ...before, second_factor_step })
    expect(await failuresOf(email)).toBe(0)
  })

  it.each([undefined, null, '   '])(
    'asks for a code where it is %j: neither a failure nor a login',
    async (code) => {
      const { id, email } = await newFactorOwner()
      await fail(email, HOME, 0, 3)
      const { status, body, headers } = await logInFrom(HOME, { email, code })
      expect([status, body]).toEqual([401, NO_CODE])
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
      expect(await failuresOf(email)).toBe(3)
      expect(await auditedActions(id)).toEqual([])
      await fail(email, ELSEWHERE)
      expect((await logInFrom(HOME, { email })).status).toBe(429) // it is not trusted
    },
  )

  it('rejects a code that is no text, before the password is looked at', async () => {
    const { email } = await newFactorOwner()
    const sent = { email, password: WRONG_PASSWORD, code: 123456 }
    const { status, body } = await login(sent)
    const code = ['O campo código deve ser um texto.']
    expect([status, body.errors]).toEqual([422, { code }])
    expect(await failuresOf(email)).toBe(0)
  })

  it.each<[string, (owner: Owner) => object]>([
    [
      'a wrong password and a right code',
      ({ email, secret }) => ({ email, password: WRONG_PASSWORD, code: codeOf(secret) }),
    ],
    ['a wrong code', ({ email, secret }) => ({ email, code: wrongCodeOf(secret) })],
    ['any code of nobody', () => ({ email: newEmail(), code: '123456' })],
  ])('answers %s alike, after as many round trips', async (_, sentOf) => {
    const owner = await newFactorOwner()
    const sent = sentOf(owner) as { email: string }
    const { status, body, headers } = await login(sent)
    expect([status, body]).toEqual([401, WRONG])
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(logged('info').at(-1)).toMatchObject({ round_trips: 2 })
    expect(await failuresOf(sent.email)).toBe(1)
    expect(await storedUser(owner.id)).toMatchObject({ second_factor_step: null })
    expect(await auditedActions(owner.id)).toEqual([])
  })

  it('takes each code once, and none of a step up to the last used one', async () => {
    const { email, secret } = await newFactorOwner()
    const [earlier, code] = [codeOf(secret, currentStep() - 1), codeOf(secret)]
    expect((await login({ email, code })).status).toBe(200)
    for (const used of [code, earlier]) {
      expect((await login({ email, code: used })).body).toEqual(WRONG)
      expect(logged('info').at(-1)).toMatchObject({ round_trips: 2 })
    }
    expect(await failuresOf(email)).toBe(2)
    passSteps(1)
    expect((await login({ email, code })).body).toEqual(WRONG)
    expect((await login({ email, code: codeOf(secret) })).status).toBe(200)
  })

  it('lets one of twenty simultaneous logins with one code in', async () => {
    const { email, secret } = await newFactorOwner()
    const code = codeOf(secret)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => login({ email, code })),
    )
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, ...Array(10).fill(401), ...Array(9).fill(429)])
  })

  it('refuses a code whose factor is disabled on the way', async () => {
    const { id, email, secret } = await newFactorOwner()
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 2) await send('DELETE', `/administrators/${id}/second-factor`)
    })
    expect((await login({ email, code: codeOf(secret) }, { DB })).body).toEqual(WRONG)
    expect(await storedUser(id)).toMatchObject({ second_factor_step: null })
  })

  it('looks at the code before the email that must be confirmed', async () => {
    const { id, email, secret } = await newFactorOwner()
    await env.DB.prepare('update users set email_verification_required = 1 where id = ?')
      .bind(id)
      .run()
    expect((await login({ email })).body).toEqual(NO_CODE)
    expect((await login({ email, code: wrongCodeOf(secret) })).body).toEqual(WRONG)
    const { status, body } = await login({ email, code: codeOf(secret) })
    expect([status, body.message]).toEqual([403, 'Confirme seu email antes de entrar.'])
    expect(await failuresOf(email)).toBe(1)
  })
})

describe('POST /v1/auth/login without a second factor', () => {
  it('does not look at a code', async () => {
    const { email } = await newLogin({ role: 'administrator' })
    expect((await login({ email, code: 'no code' })).status).toBe(200)
  })

  it('does not ask for the code of a secret that waits', async () => {
    const { email } = await newFactorOwner({ isWaiting: true })
    expect((await login({ email })).status).toBe(200)
  })
})
