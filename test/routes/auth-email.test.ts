import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type Email, elapse, mailbox, newEmail, runCron, tokenIn } from '../emails.ts'
import { administratorToken, type Call, callJson, counting, PASSWORD } from '../helper.ts'
import { logged } from '../logs.ts'

const LINK_INVALID = {
  message: 'Os dados fornecidos são inválidos.',
  errors: { token: ['O link de confirmação é inválido ou expirou.'] },
}
const LOCKED_OUT = { success: false, message: 'Confirme seu email antes de entrar.' }

async function create(body: Record<string, unknown>, bindings: Call['env']) {
  const response = await callJson('/informers', {
    token: await administratorToken(),
    body: { first_name: 'José', require_email_verification: true, ...body },
    env: bindings,
  })
  expect(response.status).toBe(201)
  return response.body
}

/** An informer with a sent verification link and its token. */
async function createWaiting(body: Record<string, unknown> = {}) {
  const { EMAIL, sent } = mailbox()
  const email = newEmail()
  const { data } = await create({ email, ...body }, { EMAIL })
  expect(sent).toHaveLength(1)
  return { id: data.id, email, token: tokenIn(sent[0]), message: sent[0] as Email }
}

const verify = (body: unknown) => callJson('/auth/email/verify', { body })
const resend = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/email/resend', { body, env: bindings })
const login = (email: string, password = PASSWORD) => callJson('/auth/login', { body: { email, password } })

describe('creating an informer that must verify its email', () => {
  it('sends an email in Portuguese, plain text and HTML, with a link of EMAIL_VERIFICATION_URL', async () => {
    const { email, message, token } = await createWaiting({ first_name: '<b>José</b> & Cia' })
    expect(message).toMatchObject({ from: env.EMAIL_FROM, to: email, subject: 'Confirme seu email' })
    const link = `${env.EMAIL_VERIFICATION_URL}?token=${token}`
    expect(message.text).toContain(link)
    expect(message.text).toContain('<b>José</b> & Cia')
    expect(message.html).toContain(`href="${link}"`)
    expect(message.html).toContain('&lt;b&gt;José&lt;/b&gt; &amp; Cia')
    expect(message.html).not.toContain('<b>')
    expect(message.text + message.html).not.toMatch(/provisão|processo|grupo|segredo|informante/i)
  })

  it('stores only a hash of the token', async () => {
    const { token } = await createWaiting()
    const { results } = await env.DB.prepare('select * from email_tokens').all()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(results)).not.toContain(token)
  })

  it('sends none if verification is not required', async () => {
    const { EMAIL, sent } = mailbox()
    await create({ email: newEmail(), require_email_verification: false }, { EMAIL })
    expect(sent).toEqual([])
  })

  it('enqueues the email in the round trip that creates the informer', async () => {
    const { binding, count } = counting()
    const EMAIL = { send: () => expect(count.roundTrips).toBe(2 + 2) } // claim, store the token
    await create({ email: newEmail() }, { DB: binding, EMAIL })
    expect(count.roundTrips).toBe(2 + 3) // and delete
    expect(logged('error')).toEqual([])
  })
})

describe('creating an informer again with one Idempotency-Key', () => {
  it('sends no second email', async () => {
    const { EMAIL, sent } = mailbox()
    const body = { first_name: 'José', email: newEmail(), require_email_verification: true }
    for (let time = 0; time < 3; time++) {
      const token = await administratorToken()
      const headers = { 'Idempotency-Key': 'once' }
      expect((await callJson('/informers', { token, body, headers, env: { EMAIL } })).status).toBe(201)
    }
    expect(sent).toHaveLength(1)
  })
})

describe('POST /v1/auth/email/verify', () => {
  it('lets an informer with a password log in, but not before', async () => {
    const { email, token } = await createWaiting({ password: PASSWORD })
    const before = await login(email)
    expect([before.status, before.body]).toEqual([403, LOCKED_OUT])
    const { status, body, headers } = await verify({ token })
    expect([status, body]).toEqual([200, { success: true, message: 'Email confirmado com sucesso.' }])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect((await login(email)).status).toBe(200)
  })

  it('sets the password of an informer without one', async () => {
    const { email, token } = await createWaiting()
    expect((await verify({ token })).body.errors).toEqual({ password: ['O campo senha é obrigatório.'] })
    expect((await verify({ token, password: 'Senha2026' })).status).toBe(200)
    expect((await login(email, 'Senha2026')).status).toBe(200)
  })

  it('rejects a password if there is one already', async () => {
    const { email, token } = await createWaiting({ password: PASSWORD })
    const { status, body } = await verify({ token, password: 'Outra2026' })
    expect([status, body.errors]).toEqual([422, { password: ['A senha já está definida.'] }])
    expect((await verify({ token })).status).toBe(200)
    expect((await login(email)).status).toBe(200)
  })

  it('takes a token once', async () => {
    const { token } = await createWaiting({ password: PASSWORD })
    expect((await verify({ token })).status).toBe(200)
    const { status, body } = await verify({ token })
    expect([status, body]).toEqual([422, LINK_INVALID])
  })

  it('takes one of two requests at the same moment', async () => {
    const { email, token } = await createWaiting()
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
    const { id, email: wrong, token } = await createWaiting()
    const others = await createWaiting()
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
    const young = await createWaiting({ password: PASSWORD })
    await elapse(48 * 60 - 1)
    expect((await verify({ token: young.token })).status).toBe(200)
    const old = await createWaiting({ password: PASSWORD })
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
    const first = await createWaiting({ password: PASSWORD })
    const { EMAIL, sent } = mailbox()
    expect((await resend({ email: first.email.toUpperCase() }, { EMAIL })).status).toBe(202)
    expect(sent.map(({ to }) => to)).toEqual([first.email])
    const second = tokenIn(sent[0])
    expect(second).not.toBe(first.token)
    expect((await verify({ token: second })).status).toBe(200)
    expect((await verify({ token: first.token })).status).toBe(422)
  })

  it('responds the same for every email, and sends nothing if verification is not required', async () => {
    const { email } = await createWaiting()
    const verified = await createWaiting({ password: PASSWORD })
    await verify({ token: verified.token })
    const { EMAIL, sent } = mailbox()
    const responses = []
    for (const one of [email, verified.email, 'ana@example.org', newEmail()]) {
      const { binding, count } = counting()
      const { status, body, headers } = await resend({ email: one }, { EMAIL: mailbox().EMAIL, DB: binding })
      expect(headers.has('x-d1-bookmark')).toBe(false) // it changes with every write
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

describe('an email that could not be sent', () => {
  it('is kept, and retried by the cron trigger with increasing delays', async () => {
    const email = newEmail()
    const { EMAIL, sent } = mailbox(2)
    await create({ email }, { EMAIL })
    expect(logged('error')).toMatchObject([{ event: 'email not sent, kept for later', error: 'Error' }])
    expect(JSON.stringify(logged('error'))).not.toContain(email)
    await runCron({ EMAIL })
    expect(sent).toEqual([])
    await elapse(5)
    await runCron({ EMAIL }) // fails once more
    await elapse(5)
    await runCron({ EMAIL }) // too early for the third try
    expect(sent).toEqual([])
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
    expect((await verify({ token: tokenIn(sent[0]), password: PASSWORD })).status).toBe(200)
    await elapse(60)
    await runCron({ EMAIL })
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['EMAIL', { EMAIL: undefined }],
    ['EMAIL_FROM', { EMAIL_FROM: '' }],
    ['EMAIL_VERIFICATION_URL', { EMAIL_VERIFICATION_URL: '' }],
  ])('is kept without %s, and the log names the missing setting', async (name, bindings) => {
    const email = newEmail()
    await create({ email }, bindings)
    expect(JSON.stringify(logged('error'))).toContain(`${name}: missing`)
    const { EMAIL, sent } = mailbox()
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
  })

  it('is sent once if the cron trigger runs twice at the same time', async () => {
    const { EMAIL, sent } = mailbox(1)
    await create({ email: newEmail() }, { EMAIL })
    await elapse(5)
    await Promise.all([runCron({ EMAIL }), runCron({ EMAIL })])
    expect(sent).toHaveLength(1)
  })
})

describe('the cron trigger', () => {
  it('deletes expired tokens and failed logins', async () => {
    const { id } = await createWaiting()
    await callJson('/auth/login', { body: { email: newEmail(), password: 'Errada1' } })
    const left = async () => [
      await env.DB.prepare('select count(*) as n from email_tokens where user_id = ?').bind(id).first('n'),
      await env.DB.prepare('select count(*) as n from failed_logins').first('n'),
    ]
    await runCron()
    expect((await left())[0]).toBe(1)
    expect((await left())[1]).toBeGreaterThan(0)
    await elapse(48 * 60 + 1)
    await runCron()
    expect(await left()).toEqual([0, 0])
  })
})
