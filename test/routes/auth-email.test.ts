import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { elapse, mailbox, newEmail, newUnverified, runCron, tokenIn } from '../emails.ts'
import { type Call, callJson, counting, PASSWORD } from '../helper.ts'
import { logged } from '../logs.ts'

const LINK_INVALID = {
  message: 'Os dados fornecidos são inválidos.',
  errors: { token: ['O link de confirmação é inválido ou expirou.'] },
}
const LOCKED_OUT = { success: false, message: 'Confirme seu email antes de entrar.' }

const verify = (body: unknown) => callJson('/auth/email/verify', { body })
const resend = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/email/resend', { body, env: bindings })
const login = (email: string, password = PASSWORD) => callJson('/auth/login', { body: { email, password } })

describe('POST /v1/auth/email/verify', () => {
  it('lets an informer with a password log in, but not before', async () => {
    const { email, token } = await newUnverified({ password: PASSWORD })
    const before = await login(email)
    expect([before.status, before.body]).toEqual([403, LOCKED_OUT])
    const { status, body, headers } = await verify({ token })
    expect([status, body]).toEqual([200, { success: true, message: 'Email confirmado com sucesso.' }])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect((await login(email)).status).toBe(200)
  })

  it('sets the password of an informer without one', async () => {
    const { email, token } = await newUnverified()
    expect((await verify({ token })).body.errors).toEqual({ password: ['O campo senha é obrigatório.'] })
    expect((await verify({ token, password: 'Senha2026' })).status).toBe(200)
    expect((await login(email, 'Senha2026')).status).toBe(200)
  })

  it('rejects a password if there is one already', async () => {
    const { email, token } = await newUnverified({ password: PASSWORD })
    const { status, body } = await verify({ token, password: 'Outra2026' })
    expect([status, body.errors]).toEqual([422, { password: ['A senha já está definida.'] }])
    expect((await verify({ token })).status).toBe(200)
    expect((await login(email)).status).toBe(200)
  })

  it('takes a token once', async () => {
    const { token } = await newUnverified({ password: PASSWORD })
    expect((await verify({ token })).status).toBe(200)
    const { status, body } = await verify({ token })
    expect([status, body]).toEqual([422, LINK_INVALID])
  })

  it('takes one of two requests at the same moment', async () => {
    const { email, token } = await newUnverified()
    const responses = await Promise.all(
      ['Primeira1', 'Segunda2'].map(async (password) => ({
        password,
        ...(await verify({ token, password })),
      })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
    for (const { password, status } of responses)
      expect((await login(email, password)).status).toBe(status === 200 ? 200 : 401)
  })

  it('rejects a token that was sent to a former email, and its password', async () => {
    const { id, email: wrong, token } = await newUnverified()
    const others = await newUnverified()
    expect((await verify({ token, password: 'Estranha1' })).status).toBe(200)
    const right = newEmail()
    await env.DB.prepare('update users set email = ? where id = ?').bind(right, id).run()
    expect((await login(right, 'Estranha1')).status).toBe(401)
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([right])

    const righter = newEmail()
    await env.DB.prepare('update users set email = ? where id = ?').bind(righter, id).run()
    const { status, body } = await verify({ token: tokenIn(sent[0]), password: PASSWORD })
    expect([status, body]).toEqual([422, LINK_INVALID])
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([right, righter])
    expect((await verify({ token: tokenIn(sent[1]), password: PASSWORD })).status).toBe(200)
    expect((await login(righter)).status).toBe(200)
    expect((await login(wrong)).status).toBe(401)
    expect((await verify({ token: others.token, password: PASSWORD })).status).toBe(200)
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
    const { EMAIL, sent } = mailbox()
    expect((await resend({ email: first.email.toUpperCase() }, { EMAIL })).status).toBe(202)
    expect(sent.map(({ to }) => to)).toEqual([first.email])
    const second = tokenIn(sent[0])
    expect(second).not.toBe(first.token)
    expect((await verify({ token: second })).status).toBe(200)
    expect((await verify({ token: first.token })).status).toBe(422)
  })

  it('responds the same for every email, and sends nothing if verification is not required', async () => {
    const { email } = await newUnverified()
    const verified = await newUnverified({ password: PASSWORD })
    await verify({ token: verified.token })
    const { EMAIL, sent } = mailbox()
    const responses = []
    for (const one of [email, verified.email, 'ana@example.org', newEmail()]) {
      const { binding, count } = counting()
      const { status, body } = await resend({ email: one }, { EMAIL: mailbox().EMAIL, DB: binding })
      responses.push({ status, body })
      expect(logged('info').at(-1)?.round_trips).toBe(1) // the rest begins when the response is complete
      expect(count.roundTrips).toBe(one === email ? 4 : 2)
    }
    for (const one of [verified.email, 'ana@example.org', newEmail()]) await resend({ email: one }, { EMAIL })
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1)
    expect(responses[0]).toEqual({
      status: 202,
      body: {
        success: true,
        message: 'Se houver um cadastro à espera de confirmação, um novo email será enviado.',
      },
    })
    expect(sent).toEqual([])
  })

  it.each([
    [{}, 'O campo email é obrigatório.'],
    [{ email: 'x' }, 'O email deve ter um formato válido.'],
  ])('rejects %j', async (body, text) => {
    const response = await resend(body)
    expect([response.status, response.body.errors]).toEqual([422, { email: [text] }])
  })
})
