import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  elapse,
  mailbox,
  newEmail,
  newLinkToken,
  newUnverified,
  runCron,
  sendTo,
  tokenIn,
  withoutNotices,
} from '../support/emails.ts'
import {
  beforeRoundTrips,
  type Call,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  tokenFor,
} from '../support/helper.ts'
import { pathOf } from '../support/notices.ts'
import { send } from '../support/processes.ts'
import { auditedActions, storedUser } from '../support/users.ts'
import type { LinkKind } from '#database/schema/emails.ts'

const NEW = 'Outra2026'
const INVALID = {
  verification: { token: ['O link de confirmação é inválido ou expirou.'] },
  password_reset: { token: ['O link de redefinição é inválido ou expirou.'] },
}

const verify = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/email/verify', { body, env: bindings })
const reset = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/password/reset', { body, env: bindings })
const request = (kind: LinkKind, email: unknown, bindings: Call['env'] = {}) =>
  callJson(kind === 'verification' ? '/auth/email/resend' : '/auth/password/forgot', {
    body: { email },
    env: bindings,
  })
const login = async (email: string, password = PASSWORD) =>
  (await callJson('/auth/login', { body: { email, password } })).status

/** Both kinds of links: how to use one, and its lifetime in minutes. */
const KINDS = [
  ['verification', verify, 48 * 60],
  ['password_reset', reset, 60],
] as const

/** A new user without a password, who must verify the email. */
const newWaiting = () => newLogin({ verification: 'required', hash: null })

/** Requests a link, and returns the token that is sent. */
async function mailLink(email: string, kind: LinkKind): Promise<string> {
  expect((await request(kind, email)).status).toBe(202)
  const sent = withoutNotices(await sendTo(email))
  expect(sent).toHaveLength(1)
  return tokenIn(sent[0])
}

describe.each(KINDS)('a link of the kind %s', (kind, use, lifetime) => {
  const expectInvalid = async (body: object, bindings: Call['env'] = {}) => {
    const { status, body: response } = await use(body, bindings)
    expect([status, response.errors]).toEqual([422, INVALID[kind]])
  }

  it('is valid for its lifetime', async () => {
    for (const [minutes, status] of [
      [lifetime - 1, 200],
      [lifetime + 1, 422],
    ]) {
      const { email } = await newWaiting()
      const token = await mailLink(email, kind)
      await elapse(minutes ?? 0)
      expect((await use({ token, password: NEW })).status).toBe(status)
    }
  })

  it('sets a first password and verifies the email, which is recorded', async () => {
    const { id, email } = await newWaiting()
    const token = await newLinkToken(id, kind)
    expect((await use({ token: ` ${token}\n`, password: NEW })).status).toBe(200)
    expect(await login(email, NEW)).toBe(200)
    expect(await storedUser(id)).toMatchObject({
      token_version: 2,
      email_verified_at: expect.any(String),
    })
    expect(await auditedActions(id, id)).toEqual(['email.verified', 'password.reset'])
  })

  it('keeps when an email was verified', async () => {
    const { id } = await newLogin({ verification: 'done' })
    const before = await storedUser(id)
    const token = await newLinkToken(id, kind)
    const password = kind === 'verification' ? undefined : NEW
    expect((await use({ token, password })).status).toBe(200)
    const { email_verified_at } = before ?? {}
    expect(await storedUser(id)).toMatchObject({ email_verified_at })
    expect(await auditedActions(id)).toEqual(password ? ['password.reset'] : [])
  })

  it('is used once, also by many requests at the same moment', async () => {
    const { id, email } = await newWaiting()
    const token = await newLinkToken(id, kind)
    const passwords = ['Primeira1', 'Segunda2', 'Terceira3']
    const statuses = await Promise.all(
      passwords.map(async (password) => (await use({ token, password })).status),
    )
    expect(statuses.toSorted()).toEqual([200, 422, 422])
    await expectInvalid({ token, password: NEW })
    for (const [index, password] of passwords.entries()) {
      expect(await login(email, password)).toBe(statuses[index] === 200 ? 200 : 401)
    }
  })

  it('changes and records nothing where it is used on the way', async () => {
    const { id } = await newWaiting()
    const token = await newLinkToken(id, kind)
    const before = await storedUser(id)
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return
      await env.DB.prepare('delete from email_tokens where user_id = ?').bind(id).run()
    })
    await expectInvalid({ token, password: NEW }, { DB })
    expect(await storedUser(id)).toEqual(before)
    expect(await auditedActions(id)).toEqual([])
  })

  it('is void for the other use, and after a deletion', async () => {
    const user = await newWaiting()
    const other = kind === 'verification' ? 'password_reset' : 'verification'
    await expectInvalid({ token: await newLinkToken(user.id, other), password: NEW })
    const token = await newLinkToken(user.id, kind)
    expect((await send('DELETE', pathOf(user))).status).toBe(200)
    await expectInvalid({ token, password: NEW })
  })

  it.each(['unknown', '\u200b', '\ud800'])('is none with the token %j', async (token) => {
    await expectInvalid({ token, password: NEW })
  })

  it.each([
    [{}, { token: ['O campo token é obrigatório.'] }],
    [{ token: 1 }, { token: ['O campo token deve ser um texto.'] }],
    [
      { token: 'unknown', password: 1 },
      { password: ['O campo senha deve ser um texto.'] },
    ],
    [
      { token: 1, password: 'x' },
      { token: expect.any(Array), password: expect.any(Array) },
    ],
  ])('is looked at last, and %j is rejected for all else', async (body, errors) => {
    const { status, body: response } = await use(body)
    expect(status).toBe(422)
    expect(response.errors).toEqual(
      kind === 'password_reset' && !('password' in body)
        ? { ...errors, password: ['O campo senha é obrigatório.'] }
        : errors,
    )
  })
})

describe('POST /v1/auth/email/verify', () => {
  it('lets a user with a password log in, who must not send another one', async () => {
    const { email, token } = await newUnverified({ password: PASSWORD })
    expect(await login(email)).toBe(403)
    const refused = await verify({ token, password: NEW })
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { password: ['A senha já está definida.'] },
    ])
    const { status, body } = await verify({ token })
    expect([status, body]).toEqual([
      200,
      { success: true, message: 'Email confirmado com sucesso.' },
    ])
    expect(await login(email)).toBe(200)
  })

  it('requires a password of a user without one', async () => {
    const { id } = await newWaiting()
    const token = await newLinkToken(id, 'verification')
    expect((await verify({ token })).body.errors).toEqual({
      password: ['O campo senha é obrigatório.'],
    })
  })

  it('voids the other links of its kind alone', async () => {
    const { id } = await newWaiting()
    const first = await newLinkToken(id, 'verification')
    const second = await newLinkToken(id, 'verification')
    await env.DB.prepare("update users set password_hash = 'x' where id = ?")
      .bind(id)
      .run()
    const forReset = await newLinkToken(id)
    expect((await verify({ token: second })).status).toBe(200)
    expect((await verify({ token: first })).status).toBe(422)
    expect((await reset({ token: forReset, password: NEW })).status).toBe(200)
  })
})

describe('POST /v1/auth/password/reset', () => {
  it('sets another password, and ends every session and every other link', async () => {
    const user = await newLogin({ verification: 'required' })
    const session = await tokenFor(user)
    const links = [
      [reset, await newLinkToken(user.id)],
      [verify, await newLinkToken(user.id, 'verification')],
    ] as const
    const token = await newLinkToken(user.id)
    const { status, body } = await reset({ token, password: NEW })
    expect([status, body]).toEqual([
      200,
      { success: true, message: 'Senha alterada com sucesso.' },
    ])
    expect((await callJson('/cover', { token: session })).status).toBe(401)
    expect([await login(user.email), await login(user.email, NEW)]).toEqual([401, 200])
    for (const [use, other] of links) {
      expect((await use({ token: other, password: 'Terceira2026' })).status).toBe(422)
    }
  })

  it('refuses a link of before another change of the password', async () => {
    const user = await newLogin()
    const token = await newLinkToken(user.id)
    const changed = await callJson('/auth/password', {
      method: 'PUT',
      token: await tokenFor(user),
      body: { current_password: PASSWORD, password: NEW },
    })
    expect(changed.status).toBe(200)
    const { body } = await reset({ token, password: 'Terceira2026' })
    expect(body.errors).toEqual(INVALID.password_reset)
  })
})

describe.each([
  [
    '/auth/email/resend',
    'verification',
    'Se houver um cadastro à espera de confirmação, um novo email será enviado.',
  ],
  [
    '/auth/password/forgot',
    'password_reset',
    'Se houver um cadastro com este email, uma mensagem com instruções será enviada.',
  ],
] as const)('POST /v1%s', (_, kind, message) => {
  it('sends a link to the page of the service, and stores only a hash of its token', async () => {
    const { email } = await newWaiting()
    expect((await request(kind, ` ${email.toUpperCase()} `)).status).toBe(202)
    const [sent] = await sendTo(email)
    const token = tokenIn(sent)
    const page = kind === 'verification' ? 'confirmar-email' : 'redefinir-senha'
    expect(sent?.text).toContain(`${env.PUBLIC_URL}/${page}#token=${token}`)
    const { results } = await env.DB.prepare('select * from email_tokens').all()
    expect(results).not.toEqual([])
    expect(JSON.stringify(results)).not.toContain(token)
    const left = env.DB.prepare('select * from email_outbox where email = ?').bind(email)
    expect((await left.all()).results).toEqual([])
  })

  it('responds the same for every email, after the same round trip, and sends where there is a reason', async () => {
    const [waiting, verified] = [await newWaiting(), await newLogin()]
    const unknown = newEmail()
    const responses = new Set<string>()
    for (const email of [waiting.email, verified.email, unknown, 'admin@example.org']) {
      const { binding: DB, count } = counting()
      const { status, body, headers } = await request(kind, email, { DB })
      expect(count).toMatchObject({ roundTrips: 1, sessions: ['first-primary'] })
      const shown = [...headers].filter(([name]) => name !== 'x-request-id')
      responses.add(JSON.stringify([status, body, shown]))
    }
    expect([...responses].map((response) => JSON.parse(response))).toEqual([
      [202, { success: true, message }, expect.any(Array)],
    ])
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    const recipients = sent.map(({ to }) => to)
    expect(recipients).toContain(waiting.email)
    expect(recipients.includes(verified.email)).toBe(kind === 'password_reset')
    expect(recipients).not.toContain(unknown)
  })

  it.each([
    [undefined, 'O campo email é obrigatório.'],
    ['x', 'O email deve ter um formato válido.'],
  ])('rejects the email %j', async (email, text) => {
    const { status, body } = await request(kind, email)
    expect([status, body.errors]).toEqual([422, { email: [text] }])
  })
})
