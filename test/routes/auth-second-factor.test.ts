import { decodeBase32IgnorePadding } from '@oslojs/encoding'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { elapse, newEmail, newLinkToken } from '../support/emails.ts'
import { tokenOfYesterday } from '../support/ended-sessions.ts'
import { fail, failuresOf } from '../support/failed-logins.ts'
import {
  administratorToken,
  beforeRoundTrips,
  type Call,
  call,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  tokenFor,
  tokenOfNew,
  UNLIMITED,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import {
  codeOf,
  currentStep,
  newFactorOwner,
  passSteps,
  stopClock,
  wrongCodeOf,
} from '../support/second-factors.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const PATH = '/auth/second-factor'
const WRONG_PASSWORD = { current_password: ['A senha atual está incorreta.'] }
const WRONG_CODE = { code: ['O código é inválido.'] }
const TOO_MANY = {
  success: false,
  message: 'Muitas tentativas. Tente novamente em instantes.',
}
const ALREADY = { success: false, message: 'O segundo fator já está ativo.' }
const NOT_ENABLED = { success: false, message: 'O segundo fator não está ativo.' }

const send =
  (method: string) =>
  (token: string, body: unknown, options: Call = {}) =>
    callJson(PATH, { method, token, body, ...options })

const ask = send('POST')
const enable = send('PUT')
const disable = send('DELETE')

const newAdministrator = async () => {
  const user = await newLogin({ role: 'administrator' })
  return { ...user, token: await tokenOfNew(user) }
}

const isOpen = async (token: string) =>
  (await call('/administrators', { token })).status === 200

const login = (email: string, code?: string) =>
  callJson('/auth/login', { body: { email, password: PASSWORD, code } })

beforeEach(stopClock)

describe('POST /v1/auth/second-factor', () => {
  it('gives a secret and its URI, changes nothing yet, and takes three round trips before the response', async () => {
    const user = await newAdministrator()
    const before = await storedUser(user.id)
    const { binding, count, behind } = counting()
    const EMAIL_FROM = 'Cúria Metropolitana <nao-responda@example.org>'
    const { status, body, headers } = await ask(
      user.token,
      { current_password: PASSWORD },
      { env: { DB: binding, EMAIL_FROM } },
    )
    expect(status).toBe(200)
    expect(headers.get('Cache-Control')).toBe('no-store')
    const { secret } = body.data
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    const issuer = 'C%C3%BAria%20Metropolitana'
    const account = encodeURIComponent(user.email)
    expect(body).toEqual({
      success: true,
      data: {
        secret,
        otpauth_uri: `otpauth://totp/${issuer}:${account}?secret=${secret}&issuer=${issuer}`,
      },
    })
    expect(logged('info').at(-1)).toMatchObject({ round_trips: 3 })
    expect([count.roundTrips, behind.roundTrips]).toEqual([3, 1])
    const { second_factor_secret, ...others } = (await storedUser(user.id)) ?? {}
    expect(String(second_factor_secret)).not.toContain(secret)
    const NONE = { second_factor_secret: null, second_factor_created_at: null }
    expect(before).toEqual({ ...others, ...NONE })
    expect(await auditedActions(user.id)).toEqual([])
    expect(await failuresOf(user.email)).toBe(0)
    expect(await isOpen(user.token)).toBe(true)
    expect((await login(user.email)).status).toBe(200)
  })

  it.each([
    ['Informantes', 'nao-responda@example.org'],
    ['Informantes', undefined],
    ['Informantes', '":" <nao-responda@example.org>'],
    ['Diocese%20SP', 'Diocese: SP <nao-responda@example.org>'],
  ])('calls the service %s where EMAIL_FROM is %s', async (issuer, EMAIL_FROM) => {
    const { token } = await newAdministrator()
    const options = { env: { EMAIL_FROM } }
    const { body } = await ask(token, { current_password: PASSWORD }, options)
    const [, label, query] =
      /^otpauth:\/\/totp\/(.+):[^:]+(&.+)$/.exec(body.data.otpauth_uri) ?? []
    expect([label, query]).toEqual([issuer, `&issuer=${issuer}`])
  })

  it('makes the former secret void', async () => {
    const { token } = await newAdministrator()
    const secrets: Uint8Array[] = []
    for (let time = 0; time < 2; time++) {
      const { body } = await ask(token, { current_password: PASSWORD })
      secrets.push(decodeBase32IgnorePadding(body.data.secret))
    }
    const [former, latter] = secrets as [Uint8Array, Uint8Array]
    expect((await enable(token, { code: codeOf(former) })).status).toBe(422)
    expect((await enable(token, { code: codeOf(latter) })).status).toBe(200)
  })

  it.each([
    [59, 200],
    [60, 422],
  ])(
    'makes one that waits for %i minutes: then a code is %i',
    async (minutes, status) => {
      const { token } = await newAdministrator()
      const { body } = await ask(token, { current_password: PASSWORD })
      await elapse(minutes)
      const code = codeOf(decodeBase32IgnorePadding(body.data.secret))
      const enabled = await enable(token, { code })
      expect(enabled.status).toBe(status)
      if (status === 422) expect(enabled.body.errors).toEqual(WRONG_CODE)
    },
  )

  it('is 409 where one is on, after the 422 of a wrong password', async () => {
    const user = await newFactorOwner()
    const wrong = await ask(user.token, { current_password: 'Errada2026' })
    expect([wrong.status, wrong.body.errors]).toEqual([422, WRONG_PASSWORD])
    expect(await failuresOf(user.email)).toBe(1)

    const { status, body } = await ask(user.token, { current_password: PASSWORD })
    expect([status, body]).toEqual([409, ALREADY])
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
    expect(await failuresOf(user.email)).toBe(1)
  })

  it('is 409 where one is enabled on the way', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 3) return
      await env.DB.prepare(
        "update users set second_factor_enabled_at = 'now' where id = ?",
      )
        .bind(user.id)
        .run()
    })
    const { status, body } = await ask(
      user.token,
      { current_password: PASSWORD },
      { env: { DB } },
    )
    expect([status, body]).toEqual([409, ALREADY])
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
  })

  it('keeps the secret that waits where the token expires on the way', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const token = await tokenOfYesterday(user)
    const DB = beforeRoundTrips((trip) => {
      if (trip === 3) vi.useRealTimers()
    })
    const { status } = await ask(token, { current_password: PASSWORD }, { env: { DB } })
    expect(status).toBe(401)
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
  })

  it('takes no Idempotency-Key: each secret is another one', async () => {
    const { token } = await newAdministrator()
    const options = { headers: { 'Idempotency-Key': crypto.randomUUID() } }
    const [first, second] = [
      await ask(token, { current_password: PASSWORD }, options),
      await ask(token, { current_password: PASSWORD }, options),
    ]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body.data.secret).not.toBe(second.body.data.secret)
  })

  it.each([
    [{}, 'O campo senha atual é obrigatório.'],
    [{ current_password: null }, 'O campo senha atual é obrigatório.'],
    [{ current_password: '' }, 'O campo senha atual é obrigatório.'],
    [{ current_password: 1 }, 'O campo senha atual deve ser um texto.'],
  ])('rejects %j', async (sent, message) => {
    const { status, body } = await ask((await newAdministrator()).token, sent)
    expect([status, body.errors]).toEqual([422, { current_password: [message] }])
  })
})

describe('PUT /v1/auth/second-factor', () => {
  it('enables a secret by its first code, and gives a new token in the place of every other', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const code = codeOf(user.secret)
    const { status, body } = await enable(user.token, { code })
    expect(status).toBe(200)
    expect(await failuresOf(user.email)).toBe(0)
    expect(await isOpen(user.token)).toBe(false)
    expect(await isOpen(body.data.access_token)).toBe(true)
    expect(await auditedActions(user.id, user.id)).toEqual(['second_factor.enabled'])

    passSteps(1)
    const fromLogin = await login(user.email, codeOf(user.secret))
    expect(body).toEqual({
      success: true,
      message: 'Segundo fator ativado.',
      data: { ...fromLogin.body.data, access_token: expect.any(String) },
    })
  })

  it.each(['spaced', 'one step early', 'one step late'])(
    'takes a code that is %s',
    async (how) => {
      const { token, secret } = await newFactorOwner({ isWaiting: true })
      const steps = { 'one step early': 1, 'one step late': -1 }[how] ?? 0
      const digits = codeOf(secret, currentStep() + steps)
      const code =
        how === 'spaced' ? ` ${digits.slice(0, 3)} ${digits.slice(3)}\u00a0` : digits
      expect((await enable(token, { code })).status).toBe(200)
    },
  )

  it('uses its code up: it is none for a login', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const code = codeOf(user.secret)
    await enable(user.token, { code })
    expect((await login(user.email, code)).status).toBe(401)
  })

  it('refuses a wrong code, which counts as a failed login', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const { status, body } = await enable(user.token, { code: wrongCodeOf(user.secret) })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await failuresOf(user.email)).toBe(1)
    expect(await storedUser(user.id)).toMatchObject({ second_factor_enabled_at: null })
    expect(await auditedActions(user.id)).toEqual([])
  })

  it.each([2, -2])('refuses a code that is %i steps away', async (steps) => {
    const { token, secret } = await newFactorOwner({ isWaiting: true })
    const code = codeOf(secret, currentStep() + steps)
    expect((await enable(token, { code })).body.errors).toEqual(WRONG_CODE)
  })

  it('refuses every code where no secret waits', async () => {
    const { token } = await newAdministrator()
    expect((await enable(token, { code: '123456' })).body.errors).toEqual(WRONG_CODE)
  })

  it('refuses a right code where the factor is on already, and does not use it up', async () => {
    const user = await newFactorOwner()
    const code = codeOf(user.secret)
    expect((await enable(user.token, { code })).body.errors).toEqual(WRONG_CODE)
    expect((await login(user.email, code)).status).toBe(200)
  })

  it('refuses the code of a secret that was replaced on the way', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) await ask(user.token, { current_password: PASSWORD })
    })
    const { status, body } = await enable(
      user.token,
      { code: codeOf(user.secret) },
      { env: { DB } },
    )
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await storedUser(user.id)).toMatchObject({ second_factor_enabled_at: null })
    expect(await isOpen(user.token)).toBe(true)
  })

  it('enables it once for twenty requests with one code', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const options = { env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED } }
    const code = codeOf(user.secret)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => enable(user.token, { code }, options)),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(19)
    expect(await auditedActions(user.id)).toEqual(['second_factor.enabled'])
    expect(await storedUser(user.id)).toMatchObject({ token_version: 2 })
  })

  it('tells nothing of a code while the caller is locked out', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    await fail(user.email)
    for (const code of [codeOf(user.secret), wrongCodeOf(user.secret)]) {
      const { status, body } = await enable(user.token, { code })
      expect([status, body]).toEqual([429, TOO_MANY])
    }
    expect(await failuresOf(user.email)).toBe(50)
  })

  it.each([
    [{}, 'O campo código é obrigatório.'],
    [{ code: null }, 'O campo código é obrigatório.'],
    [{ code: '' }, 'O campo código é obrigatório.'],
    [{ code: '  ' }, 'O campo código é obrigatório.'],
    [{ code: 123456 }, 'O campo código deve ser um texto.'],
    [{ code: ['123456'] }, 'O campo código deve ser um texto.'],
  ])('rejects %j', async (sent, message) => {
    const user = await newFactorOwner({ isWaiting: true })
    const { status, body } = await enable(user.token, sent)
    expect([status, body.errors]).toEqual([422, { code: [message] }])
    expect(await failuresOf(user.email)).toBe(0)
  })

  it.each(['12345', '1234567', '12345a', '１２３４５６', '-12345', '1e4567'])(
    'takes %j for a wrong code',
    async (code) => {
      const { token } = await newFactorOwner({ isWaiting: true })
      expect((await enable(token, { code })).body.errors).toEqual(WRONG_CODE)
    },
  )
})

describe('DELETE /v1/auth/second-factor', () => {
  it('disables it, and gives a new token in the place of every other', async () => {
    const user = await newFactorOwner()
    const sent = { current_password: PASSWORD, code: codeOf(user.secret) }
    const { status, body } = await disable(user.token, sent)
    expect(status).toBe(200)
    expect(await failuresOf(user.email)).toBe(0)
    expect(await isOpen(user.token)).toBe(false)
    expect(await isOpen(body.data.access_token)).toBe(true)
    expect(await auditedActions(user.id, user.id)).toEqual(['second_factor.disabled'])
    expect(await storedUser(user.id)).toMatchObject({
      second_factor_secret: null,
      second_factor_enabled_at: null,
      second_factor_step: null,
    })
    const fromLogin = await login(user.email)
    expect(body).toEqual({
      success: true,
      message: 'Segundo fator desativado.',
      data: { ...fromLogin.body.data, access_token: expect.any(String) },
    })
  })

  it.each([PASSWORD, 'Errada2026'])(
    'is 409 where none is on, after the 422 of a wrong password: %s',
    async (current_password) => {
      const user = await newFactorOwner({ isWaiting: true })
      const sent = { current_password, code: codeOf(user.secret) }
      const { status, body } = await disable(user.token, sent)
      if (current_password === PASSWORD) {
        expect([status, body]).toEqual([409, NOT_ENABLED])
      } else expect([status, body.errors]).toEqual([422, WRONG_PASSWORD])
      expect(await failuresOf(user.email)).toBe(current_password === PASSWORD ? 0 : 1)
      expect(await storedUser(user.id)).toMatchObject({
        second_factor_secret: user.sealed,
      })
    },
  )

  it('neither looks at a code nor uses it up with a wrong password', async () => {
    const user = await newFactorOwner()
    for (const code of [codeOf(user.secret), wrongCodeOf(user.secret)]) {
      const sent = { current_password: 'Errada2026', code }
      const { status, body } = await disable(user.token, sent)
      expect([status, body.errors]).toEqual([422, WRONG_PASSWORD])
    }
    expect(await failuresOf(user.email)).toBe(2)
    expect((await login(user.email, codeOf(user.secret))).status).toBe(200)
  })

  it('refuses a wrong code, which counts as a failed login', async () => {
    const user = await newFactorOwner()
    const sent = { current_password: PASSWORD, code: wrongCodeOf(user.secret) }
    const { status, body } = await disable(user.token, sent)
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await failuresOf(user.email)).toBe(1)
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
  })

  it('refuses a code that a login has used', async () => {
    const user = await newFactorOwner()
    const code = codeOf(user.secret)
    expect((await login(user.email, code)).status).toBe(200)
    const { status, body } = await disable(user.token, {
      current_password: PASSWORD,
      code,
    })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
  })

  it('refuses a code that a login uses on the way', async () => {
    const user = await newFactorOwner()
    const code = codeOf(user.secret)
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) await login(user.email, code)
    })
    const sent = { current_password: PASSWORD, code }
    const { status, body } = await disable(user.token, sent, { env: { DB } })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
  })

  it('is 401 where another request disables it on the way, which ends the session', async () => {
    const user = await newFactorOwner()
    const sent = { current_password: PASSWORD, code: codeOf(user.secret) }
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) await disable(user.token, sent)
    })
    const { status, body } = await disable(user.token, sent, { env: { DB } })
    expect([status, body.message]).toEqual([401, 'Token inválido'])
    expect(await auditedActions(user.id)).toEqual(['second_factor.disabled'])
  })

  it('takes back an attempt whose password was right, where the code is missing', async () => {
    for (const user of [
      await newFactorOwner(),
      await newFactorOwner({ isWaiting: true }),
    ]) {
      const { status, body } = await disable(user.token, { current_password: PASSWORD })
      expect([status, body.errors]).toEqual([
        422,
        { code: ['O campo código é obrigatório.'] },
      ])
      expect(await failuresOf(user.email)).toBe(0)
    }
  })

  it('reports every failing field', async () => {
    const { token } = await newFactorOwner()
    const { status, body } = await disable(token, {
      current_password: 'Errada2026',
      code: 1,
    })
    expect([status, body.errors]).toEqual([
      422,
      { ...WRONG_PASSWORD, code: ['O campo código deve ser um texto.'] },
    ])
  })

  it('leaves a factor that can be enabled anew, also with a code of the same step', async () => {
    const user = await newFactorOwner()
    const sent = { current_password: PASSWORD, code: codeOf(user.secret) }
    const { token } = { token: (await disable(user.token, sent)).body.data.access_token }
    const { body } = await ask(token, { current_password: PASSWORD })
    const secret = decodeBase32IgnorePadding(body.data.secret)
    expect((await enable(token, { code: codeOf(secret) })).status).toBe(200)
  })
})

describe.each(['POST', 'PUT', 'DELETE'])('%s /v1/auth/second-factor', (method) => {
  it('is for administrators only, before the body is looked at', async () => {
    const token = await tokenOfNew(await newLogin())
    const { status, body } = await send(method)(token, '{')
    expect([status, body.message]).toEqual([403, 'Acesso restrito a administradores.'])
  })

  it('needs a token, and one whose session goes on', async () => {
    const missing = await callJson(PATH, { method, body: {} })
    expect([missing.status, missing.body.message]).toEqual([401, 'Token não fornecido'])
    const { id, role } = await newFactorOwner()
    const ended = await tokenFor({ id, role, tokenVersion: 7 })
    const { status, body } = await send(method)(ended, {})
    expect([status, body.message]).toEqual([401, 'Token inválido'])
  })

  it.each([
    [undefined, 400],
    ['[]', 400],
  ])('answers the body %j with %i', async (body, status) => {
    const { token } = await newFactorOwner()
    expect((await call(PATH, { method, token, body })).status).toBe(status)
  })
})

describe('a secret that waits', () => {
  type Waiting = Awaited<ReturnType<typeof newFactorOwner>>

  const patch = async ({ id }: Waiting, body: object) =>
    callJson(`/administrators/${id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body,
    })

  it.each<[string, (user: Waiting) => Promise<{ status: number }>]>([
    [
      'a new password',
      ({ token }) =>
        callJson('/auth/password', {
          method: 'PUT',
          token,
          body: { current_password: PASSWORD, password: 'Outra2026' },
        }),
    ],
    [
      'a password by a link',
      async ({ id }) =>
        callJson('/auth/password/reset', {
          body: { token: await newLinkToken(id), password: 'Outra2026' },
        }),
    ],
    [
      'a password of another administrator',
      (user) => patch(user, { password: 'Outra2026' }),
    ],
    ['the end of the password', (user) => patch(user, { password: null })],
    ['a new email', (user) => patch(user, { email: newEmail() })],
  ])('is void with %s', async (_, change) => {
    const [user, other] = [
      await newFactorOwner({ isWaiting: true }),
      await newFactorOwner({ isWaiting: true }),
    ]
    expect((await change(user)).status).toBe(200)
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: null })
    const code = codeOf(user.secret)
    const { status, body } = await enable(await tokenFor(user), { code })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect((await enable(other.token, { code: codeOf(other.secret) })).status).toBe(200)
  })

  it('waits on where nothing of that changes', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    expect((await patch(user, { phone: '1', email: user.email })).status).toBe(200)
    expect((await enable(user.token, { code: codeOf(user.secret) })).status).toBe(200)
  })
})
