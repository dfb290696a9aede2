import { decodeBase32IgnorePadding } from '@oslojs/encoding'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { elapse } from '../support/emails.ts'
import { failuresOf, WRONG_PASSWORD } from '../support/failed-logins.ts'
import {
  beforeRoundTrips,
  type Call,
  call,
  callJson,
  newLogin,
  PASSWORD,
  tokenOfNew,
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

const PRESENT = { current_password: PASSWORD }
const WRONG = { current_password: WRONG_PASSWORD }
const WRONG_IS_TOLD = { current_password: ['A senha atual está incorreta.'] }
const WRONG_CODE = { code: ['O código é inválido.'] }

const send =
  (method: string) =>
  (token: string, body: unknown, options: Call = {}) =>
    callJson('/auth/second-factor', { method, token, body, ...options })

const request = send('POST')
const enable = send('PUT')
const disable = send('DELETE')

async function newAdministrator() {
  const user = await newLogin({ role: 'administrator' })
  return { ...user, token: await tokenOfNew(user) }
}

/** The secret that is given for the password. */
async function newSecret(token: string): Promise<Uint8Array> {
  const { body } = await request(token, PRESENT)
  return decodeBase32IgnorePadding(body.data.secret)
}

const isOpen = async (token: string) =>
  (await call('/administrators', { token })).status === 200

const login = (email: string, code?: string) =>
  callJson('/auth/login', { body: { email, password: PASSWORD, code } })

beforeEach(stopClock)

describe('POST /v1/auth/second-factor', () => {
  it('gives a secret and its URI, and changes nothing else yet', async () => {
    const user = await newAdministrator()
    const before = await storedUser(user.id)
    const EMAIL_FROM = 'Cúria Metropolitana <nao-responda@example.org>'
    const { status, body, headers } = await request(user.token, PRESENT, {
      env: { EMAIL_FROM },
    })
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store'])
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
    const { second_factor_secret, ...others } = (await storedUser(user.id)) ?? {}
    expect(String(second_factor_secret)).not.toContain(secret)
    const NONE = { second_factor_secret: null, second_factor_created_at: null }
    expect(before).toEqual({ ...others, ...NONE })
    expect(await failuresOf(user.email)).toBe(0)
    expect((await login(user.email)).status).toBe(200)
  })

  it.each([
    ['Informantes', 'nao-responda@example.org'],
    ['Informantes', undefined],
    ['Informantes', '":" <nao-responda@example.org>'],
    ['Diocese%20SP', 'Diocese: SP <nao-responda@example.org>'],
  ])('calls the service %s where EMAIL_FROM is %s', async (issuer, EMAIL_FROM) => {
    const { token } = await newAdministrator()
    const { body } = await request(token, PRESENT, { env: { EMAIL_FROM } })
    const [, label, query] =
      /^otpauth:\/\/totp\/(.+):[^:]+(&.+)$/.exec(body.data.otpauth_uri) ?? []
    expect([label, query]).toEqual([issuer, `&issuer=${issuer}`])
  })

  it('names an administrator without an email by id', async () => {
    const { id, token } = await newAdministrator()
    await env.DB.prepare('update users set email = null where id = ?').bind(id).run()
    const { body } = await request(token, PRESENT)
    expect(body.data.otpauth_uri).toContain(`:${id}?`)
  })

  it('voids the former secret', async () => {
    const { token } = await newAdministrator()
    const [former, latter] = [await newSecret(token), await newSecret(token)]
    expect((await enable(token, { code: codeOf(former) })).status).toBe(422)
    expect((await enable(token, { code: codeOf(latter) })).status).toBe(200)
  })

  it.each([
    [59, 200],
    [60, 422],
  ])(
    'gives a secret whose first code is %i minutes later a %i',
    async (minutes, status) => {
      const { token } = await newAdministrator()
      const code = codeOf(await newSecret(token))
      await elapse(minutes)
      const enabled = await enable(token, { code })
      expect(enabled.status).toBe(status)
      if (status === 422) expect(enabled.body.errors).toEqual(WRONG_CODE)
    },
  )

  it('rejects a wrong password, then a factor that is enabled', async () => {
    const user = await newFactorOwner()
    const wrong = await request(user.token, WRONG)
    expect([wrong.status, wrong.body.errors]).toEqual([422, WRONG_IS_TOLD])
    expect(await failuresOf(user.email)).toBe(1)

    const { status, body } = await request(user.token, PRESENT)
    expect([status, body.message]).toEqual([409, 'O segundo fator já está ativo.'])
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
    expect(await failuresOf(user.email)).toBe(1)
  })

  it('rejects a factor that is enabled on the way', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 3) return
      await env.DB.prepare(
        "update users set second_factor_enabled_at = 'now' where id = ?",
      )
        .bind(user.id)
        .run()
    })
    expect((await request(user.token, PRESENT, { env: { DB } })).status).toBe(409)
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
    expect(await failuresOf(user.email)).toBe(0)
  })
})

describe('PUT /v1/auth/second-factor', () => {
  it('enables the secret by its first code, ends all sessions and gives a new token', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const code = codeOf(user.secret)
    const { status, body } = await enable(user.token, {
      code: ` ${code.slice(0, 3)} ${code.slice(3)}\u00a0`,
    })
    expect(status).toBe(200)
    expect(await failuresOf(user.email)).toBe(0)
    expect(await isOpen(user.token)).toBe(false)
    expect(await isOpen(body.data.access_token)).toBe(true)

    expect((await login(user.email, code)).status).toBe(401) // it is used
    passSteps(1)
    const fromLogin = await login(user.email, codeOf(user.secret))
    expect(body).toEqual({
      success: true,
      message: 'Segundo fator ativado.',
      data: { ...fromLogin.body.data, access_token: expect.any(String) },
    })
  })

  it('rejects a wrong code, which counts as a failed login', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const { status, body } = await enable(user.token, { code: wrongCodeOf(user.secret) })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await failuresOf(user.email)).toBe(1)
    expect(await isOpen(user.token)).toBe(true)
  })

  it('rejects every code where no secret waits', async () => {
    const { token } = await newAdministrator()
    expect((await enable(token, { code: '123456' })).body.errors).toEqual(WRONG_CODE)
  })

  it('rejects a right code where the factor is enabled, and does not use it', async () => {
    const user = await newFactorOwner()
    const code = codeOf(user.secret)
    expect((await enable(user.token, { code })).body.errors).toEqual(WRONG_CODE)
    expect((await login(user.email, code)).status).toBe(200)
  })

  it('rejects the code of a secret that is replaced on the way', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) await request(user.token, PRESENT)
    })
    const sent = { code: codeOf(user.secret) }
    const { status, body } = await enable(user.token, sent, { env: { DB } })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await isOpen(user.token)).toBe(true)
  })

  it.each([
    [{}, 'O campo código é obrigatório.'],
    [{ code: '  ' }, 'O campo código é obrigatório.'],
    [{ code: 123456 }, 'O campo código deve ser um texto.'],
  ])('rejects %j, which is no failed login', async (sent, message) => {
    const user = await newFactorOwner({ isWaiting: true })
    const { status, body } = await enable(user.token, sent)
    expect([status, body.errors]).toEqual([422, { code: [message] }])
    expect(await failuresOf(user.email)).toBe(0)
  })
})

describe('DELETE /v1/auth/second-factor', () => {
  it('disables it by password and code, ends all sessions and gives a new token', async () => {
    const user = await newFactorOwner()
    const { status, body } = await disable(user.token, {
      ...PRESENT,
      code: codeOf(user.secret),
    })
    expect(status).toBe(200)
    expect(await failuresOf(user.email)).toBe(0)
    expect(await isOpen(user.token)).toBe(false)
    expect(await isOpen(body.data.access_token)).toBe(true)
    expect(await storedUser(user.id)).toMatchObject({
      second_factor_secret: null,
      second_factor_created_at: null,
      second_factor_enabled_at: null,
    })
    const fromLogin = await login(user.email)
    expect(body).toEqual({
      success: true,
      message: 'Segundo fator desativado.',
      data: { ...fromLogin.body.data, access_token: expect.any(String) },
    })
  })

  it('leaves a factor that can be enabled again, by a code of a step that was used', async () => {
    const user = await newFactorOwner()
    expect((await login(user.email, codeOf(user.secret))).status).toBe(200)
    const next = codeOf(user.secret, currentStep() + 1)
    const { body } = await disable(user.token, { ...PRESENT, code: next })
    const token = body.data.access_token
    const code = codeOf(await newSecret(token))
    expect((await enable(token, { code })).status).toBe(200)
  })

  it('rejects a wrong password, then a factor that is not enabled', async () => {
    const user = await newFactorOwner({ isWaiting: true })
    const code = codeOf(user.secret)
    const wrong = await disable(user.token, { ...WRONG, code })
    expect([wrong.status, wrong.body.errors]).toEqual([422, WRONG_IS_TOLD])

    const { status, body } = await disable(user.token, { ...PRESENT, code })
    expect([status, body.message]).toEqual([409, 'O segundo fator não está ativo.'])
    expect(await failuresOf(user.email)).toBe(1)
    expect(await storedUser(user.id)).toMatchObject({ second_factor_secret: user.sealed })
  })

  it('does not look at the code beside a wrong password', async () => {
    const user = await newFactorOwner()
    for (const code of [codeOf(user.secret), wrongCodeOf(user.secret)]) {
      const { body } = await disable(user.token, { ...WRONG, code })
      expect(body.errors).toEqual(WRONG_IS_TOLD)
    }
    expect(await failuresOf(user.email)).toBe(2)
    expect((await login(user.email, codeOf(user.secret))).status).toBe(200)
  })

  it('rejects a wrong code, which counts as a failed login', async () => {
    const user = await newFactorOwner()
    const sent = { ...PRESENT, code: wrongCodeOf(user.secret) }
    const { status, body } = await disable(user.token, sent)
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    expect(await failuresOf(user.email)).toBe(1)
    expect(await isOpen(user.token)).toBe(true)
  })

  it('rejects a code that a login uses on the way, and counts it as wrong', async () => {
    const user = await newFactorOwner()
    const code = codeOf(user.secret)
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) await login(user.email, code)
    })
    const sent = { ...PRESENT, code }
    const { status, body } = await disable(user.token, sent, { env: { DB } })
    expect([status, body.errors]).toEqual([422, WRONG_CODE])
    const wrong = env.DB.prepare(
      'select count(*) as n from wrong_codes where user_id = ?',
    )
    expect(await wrong.bind(user.id).first('n')).toBe(1)
    expect(await isOpen(user.token)).toBe(true)
  })

  it.each([{ isWaiting: false }, { isWaiting: true }])(
    'counts no failed login where the code is missing: %j',
    async (how) => {
      const user = await newFactorOwner(how)
      const { status, body } = await disable(user.token, PRESENT)
      const code = ['O campo código é obrigatório.']
      expect([status, body.errors]).toEqual([422, { code }])
      expect(await failuresOf(user.email)).toBe(0)
    },
  )
})
