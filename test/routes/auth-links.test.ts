import { describe, expect, it } from 'vitest'
import {
  elapse,
  mailbox,
  newEmail,
  newUnverified,
  runCron,
  sendTo,
  tokenIn,
} from '../support/emails.ts'
import { type Call, callJson, counting, PASSWORD } from '../support/helper.ts'

const LINK_INVALID = {
  message: 'Os dados fornecidos são inválidos.',
  errors: { token: ['O link de confirmação é inválido ou expirou.'] },
}
const LOCKED_OUT = { success: false, message: 'Confirme seu email antes de entrar.' }

const verify = (body: unknown) => callJson('/auth/email/verify', { body })
const resend = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/email/resend', { body, env: bindings })
const login = (email: string, password = PASSWORD) =>
  callJson('/auth/login', { body: { email, password } })

describe('POST /v1/auth/email/verify', () => {
  it('lets an informer with a password log in, but not before', async () => {
    const { email, token } = await newUnverified({ password: PASSWORD })
    const before = await login(email)
    expect([before.status, before.body]).toEqual([403, LOCKED_OUT])
    const { status, body } = await verify({ token })
    expect([status, body]).toEqual([
      200,
      { success: true, message: 'Email confirmado com sucesso.' },
    ])
    expect((await login(email)).status).toBe(200)
  })

  it('sets the password of an informer without one', async () => {
    const { email, token } = await newUnverified()
    expect((await verify({ token })).body.errors).toEqual({
      password: ['O campo senha é obrigatório.'],
    })
    const weak = await verify({ token, password: 'curta' })
    expect([weak.status, Object.keys(weak.body.errors)]).toEqual([422, ['password']])
    expect((await verify({ token, password: 'Senha2026' })).status).toBe(200)
    expect((await login(email, 'Senha2026')).status).toBe(200)
  })

  it('rejects a password if there is one already', async () => {
    const { email, token } = await newUnverified({ password: PASSWORD })
    const { status, body } = await verify({ token, password: 'Outra2026' })
    expect([status, body.errors]).toEqual([
      422,
      { password: ['A senha já está definida.'] },
    ])
    expect((await verify({ token })).status).toBe(200)
    expect((await login(email)).status).toBe(200)
  })

  it('takes a token once, and one of two requests at the same moment', async () => {
    const { email, token } = await newUnverified()
    const responses = await Promise.all(
      ['Primeira1', 'Segunda2'].map(async (password) => ({
        password,
        ...(await verify({ token, password })),
      })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
    const again = await verify({ token })
    expect([again.status, again.body]).toEqual([422, LINK_INVALID])
    for (const { password, status } of responses) {
      expect((await login(email, password)).status).toBe(status === 200 ? 200 : 401)
    }
  })

  it('takes a token for 48 hours', async () => {
    const young = await newUnverified({ password: PASSWORD })
    await elapse(48 * 60 - 1)
    expect((await verify({ token: young.token })).status).toBe(200)
    const old = await newUnverified({ password: PASSWORD })
    await elapse(48 * 60 + 1)
    const { status, body } = await verify({ token: old.token })
    expect([status, body]).toEqual([422, LINK_INVALID])
  })

  it.each([
    [{}, { token: ['O campo token é obrigatório.'] }],
    [{ token: '' }, { token: ['O campo token é obrigatório.'] }],
    [{ token: 1 }, { token: ['O campo token deve ser um texto.'] }],
    [{ token: 'unknown' }, LINK_INVALID.errors],
    [{ token: '\0' }, LINK_INVALID.errors],
    [{ token: 'a\0b' }, LINK_INVALID.errors],
    [{ token: 'x'.repeat(10_000) }, LINK_INVALID.errors],
    [{ token: '\u200b' }, LINK_INVALID.errors],
    [{ token: '\ud800', password: PASSWORD }, LINK_INVALID.errors],
    [
      { token: 'unknown', password: 1 },
      { ...LINK_INVALID.errors, password: ['O campo senha deve ser um texto.'] },
    ],
    [
      { token: 'unknown', password: 'curta' },
      {
        ...LINK_INVALID.errors,
        password: [
          'A senha deve ter pelo menos 6 caracteres.',
          'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
        ],
      },
    ],
  ])('rejects %j with every failing field', async (body, errors) => {
    const response = await verify(body)
    expect([response.status, response.body.errors]).toEqual([422, errors])
  })
})

describe('POST /v1/auth/email/resend', () => {
  it('sends another link; the first use invalidates the others', async () => {
    const first = await newUnverified({ password: PASSWORD })
    await elapse(7)
    expect((await resend({ email: first.email.toUpperCase() })).status).toBe(202)
    const sent = await sendTo(first.email)
    expect(sent).toHaveLength(1)
    const second = tokenIn(sent[0])
    expect(second).not.toBe(first.token)
    expect((await verify({ token: second })).status).toBe(200)
    expect((await verify({ token: first.token })).status).toBe(422)
  })

  it('responds the same for every email, after the same round trip, and sends where there is something to verify', async () => {
    const { email } = await newUnverified()
    const verified = await newUnverified({ password: PASSWORD })
    await verify({ token: verified.token })
    await elapse(7)
    const responses = []
    for (const one of [email, verified.email, 'ana@example.org', newEmail()]) {
      const { binding, count } = counting()
      const { status, body } = await resend({ email: one }, { DB: binding })
      expect(count).toMatchObject({ roundTrips: 1, sessions: ['first-primary'] })
      responses.push(JSON.stringify([status, body]))
    }
    expect(new Set(responses).size).toBe(1)
    expect(JSON.parse(responses[0] ?? '')).toEqual([
      202,
      {
        success: true,
        message:
          'Se houver um cadastro à espera de confirmação, um novo email será enviado.',
      },
    ])
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
  })
})
