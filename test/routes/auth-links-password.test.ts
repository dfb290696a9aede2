import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { elapse, mailbox, newEmail, runCron, sendTo, tokenIn } from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  type Call,
  callJson,
  counting,
  failingDatabase,
  newLogin,
  PASSWORD,
  tokenFor,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const NEW = 'Outra2026'
const CHANGED = 'Senha alterada com sucesso.'
const LINK_INVALID = {
  message: 'Os dados fornecidos são inválidos.',
  errors: { token: ['O link de redefinição é inválido ou expirou.'] },
}

const forgot = (email: unknown, bindings: Call['env'] = {}, headers = {}) =>
  callJson('/auth/password/forgot', { body: { email }, env: bindings, headers })
const reset = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/password/reset', { body, env: bindings })
const login = (email: string, password = PASSWORD) =>
  callJson('/auth/login', { body: { email, password } })
const cover = (token: string) => callJson('/cover', { token })

/** A user with a sent password reset link and its token. */
async function newForgotten(fields: Parameters<typeof newLogin>[0] = {}) {
  const user = await newLogin(fields)
  return { ...user, token: await mailLink(user.email) }
}

async function mailLink(email: string): Promise<string> {
  expect((await forgot(email)).status).toBe(202)
  const sent = await sendTo(email)
  expect(sent).toHaveLength(1)
  return tokenIn(sent[0])
}

describe('POST /v1/auth/password/forgot', () => {
  it('sends a link to the page of the service, in Portuguese, and stores only a hash of its token', async () => {
    const { email } = await newLogin()
    const { status, body } = await forgot(` ${email.toUpperCase()} `)
    const sent = await sendTo(email)
    expect([status, body]).toEqual([
      202,
      {
        success: true,
        message:
          'Se houver um cadastro com este email, uma mensagem com instruções será enviada.',
      },
    ])
    const token = tokenIn(sent[0])
    expect(sent).toMatchObject([{ to: email, subject: 'Redefina sua senha' }])
    expect(sent[0]?.text).toContain(`${env.PUBLIC_URL}/redefinir-senha#token=${token}`)
    const { results } = await env.DB.prepare('select * from email_tokens').all()
    expect(JSON.stringify(results)).not.toContain(token)
    const left = await env.DB.prepare('select * from email_outbox where email = ?')
      .bind(email)
      .all()
    expect(left.results).toEqual([])
  })

  it('responds the same, after the same work, without an account or a password', async () => {
    const known = await newLogin()
    const responses = []
    const withoutPassword = await newLogin({ hash: null })
    for (const email of [
      known.email,
      newEmail(),
      withoutPassword.email,
      'admin@example.org',
    ]) {
      const { binding, count } = counting()
      const { status, body, headers } = await forgot(email, { DB: binding })
      expect(count).toMatchObject({ roundTrips: 1, sessions: ['first-primary'] })
      const names = [...headers].map(([name, value]) =>
        name === 'x-request-id' ? name : `${name}: ${value}`,
      )
      responses.push(JSON.stringify([status, body, names]))
    }
    expect(new Set(responses).size).toBe(1)
  })

  it('keeps nothing about an unknown email', async () => {
    const email = newEmail()
    await forgot(email)
    expect(await sendTo(email)).toEqual([])
    const left = await env.DB.prepare(
      'select count(*) as n from email_outbox where email = ?',
    ).bind(email)
    expect(await left.first('n')).toBe(0)
  })

  it('responds 503 for any email while the database is down, and loses no accepted request', async () => {
    const { email } = await newLogin()
    for (const one of [email, newEmail()]) {
      const { status, body } = await forgot(one, {
        DB: failingDatabase('D1 DB is overloaded.'),
      })
      expect([status, body.message]).toEqual([
        503,
        'Serviço temporariamente indisponível.',
      ])
    }
    expect((await forgot(email)).status).toBe(202)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it('sends again, five minutes later, on a request made while the first email is sent', async () => {
    const { email } = await newLogin()
    await forgot(email)
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL: { send: () => forgot(email) } })
    await runCron({ EMAIL })
    expect(sent).toEqual([])
    await elapse(7)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it.each([
    [undefined, 'O campo email é obrigatório.'],
    ['x', 'O email deve ter um formato válido.'],
  ])('rejects the email %j', async (email, text) => {
    const { status, body } = await forgot(email)
    expect([status, body.errors]).toEqual([422, { email: [text] }])
  })
})

describe('POST /v1/auth/password/reset', () => {
  it('changes and records nothing where the link is used on the way', async () => {
    const { id, token } = await newForgotten({ verification: 'required' })
    const before = await storedUser(id)
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return
      await env.DB.prepare('delete from email_tokens where user_id = ?').bind(id).run()
    })
    const { status, body } = await reset({ token, password: NEW }, { DB })
    expect([status, body]).toEqual([422, LINK_INVALID])
    expect(await storedUser(id)).toEqual(before)
    expect(await auditedActions(id)).toEqual([])
  })

  it('sets the password, ends every session and verifies the email, in two round trips', async () => {
    const { id, email, role, token } = await newForgotten({ verification: 'required' })
    const session = await tokenFor({ id, role })
    const { status, body } = await reset({ token, password: NEW })
    expect([status, body]).toEqual([200, { success: true, message: CHANGED }])
    expect(logged('info').at(-1)?.round_trips).toBe(2)
    expect((await cover(session)).body).toEqual({
      success: false,
      message: 'Token inválido',
    })
    expect((await login(email)).status).toBe(401)
    const { data } = (await login(email, NEW)).body
    expect((await cover(data.access_token)).status).toBe(404) // in no group
    expect(await storedUser(id)).toMatchObject({
      token_version: 2,
      email_verified_at: expect.any(String),
    })
    expect(await auditedActions(id, id)).toEqual(['email.verified', 'password.reset'])
  })

  it('sets the first password of a user without one', async () => {
    const { email, token } = await newForgotten({ verification: 'required', hash: null })
    expect((await reset({ token, password: NEW })).status).toBe(200)
    expect((await login(email, NEW)).status).toBe(200)
  })

  it('keeps when an email was verified', async () => {
    const { id, token } = await newForgotten({ verification: 'done' })
    expect((await reset({ token, password: NEW })).status).toBe(200)
    expect(await storedUser(id)).toMatchObject({
      email_verified_at: '2026-01-01T00:00:00.000000Z',
    })
  })

  it('takes a token once, and one of many requests at the same moment', async () => {
    const { id, email, token } = await newForgotten()
    const passwords = ['Primeira1', 'Segunda2', 'Terceira3', 'Quarta4']
    const statuses = await Promise.all(
      passwords.map(async (password) => (await reset({ token, password })).status),
    )
    expect(statuses.toSorted()).toEqual([200, 422, 422, 422])
    expect((await reset({ token, password: NEW })).body).toEqual(LINK_INVALID)
    for (const [index, password] of passwords.entries()) {
      expect((await login(email, password)).status).toBe(
        statuses[index] === 200 ? 200 : 401,
      )
    }
    expect(await storedUser(id)).toMatchObject({ token_version: 2 })
    expect(await auditedActions(id, id)).toEqual(['email.verified', 'password.reset'])
  })

  it('invalidates all other links of the user, of either kind', async () => {
    const { id, email, token: first } = await newForgotten({ verification: 'required' })
    await elapse(7)
    const second = await mailLink(email)
    await callJson('/auth/email/resend', { body: { email } })
    const sent = await sendTo(email)
    expect((await reset({ token: second, password: NEW })).status).toBe(200)
    expect((await reset({ token: first, password: 'Terceira3' })).body).toEqual(
      LINK_INVALID,
    )
    const verified = await callJson('/auth/email/verify', {
      body: { token: tokenIn(sent[0]) },
    })
    expect(verified.body.errors.token).toEqual([
      'O link de confirmação é inválido ou expirou.',
    ])
    expect(await auditedActions(id, id)).toEqual(['email.verified', 'password.reset'])
  })

  it('rejects a token of the other kind, and vice versa', async () => {
    const { id, email, token } = await newForgotten({
      verification: 'required',
      hash: null,
    })
    await callJson('/auth/email/resend', { body: { email } })
    const verification = tokenIn((await sendTo(email))[0])
    expect((await reset({ token: verification, password: NEW })).body).toEqual(
      LINK_INVALID,
    )
    const verified = await callJson('/auth/email/verify', {
      body: { token, password: NEW },
    })
    expect([verified.status, Object.keys(verified.body.errors)]).toEqual([422, ['token']])
    expect(await storedUser(id)).toMatchObject({
      password_hash: null,
      email_verified_at: null,
      token_version: 1,
    })
    expect((await reset({ token, password: NEW })).status).toBe(200)
  })

  it('rejects a token of before a change of the password', async () => {
    const user = await newForgotten()
    const body = { current_password: PASSWORD, password: NEW }
    const token = await tokenFor(user)
    expect(
      (await callJson('/auth/password', { method: 'PUT', token, body })).status,
    ).toBe(200)
    expect((await reset({ token: user.token, password: 'Terceira3' })).body).toEqual(
      LINK_INVALID,
    )
  })

  it('rejects a token of a deleted user', async () => {
    const { id, token } = await newForgotten()
    const deletion = await callJson(`/informers/${id}`, {
      method: 'DELETE',
      token: await administratorToken(),
    })
    expect(deletion.status).toBe(200)
    expect((await reset({ token, password: NEW })).body).toEqual(LINK_INVALID)
  })

  it('takes a token for one hour', async () => {
    const young = await newForgotten()
    await elapse(59)
    expect((await reset({ token: young.token, password: NEW })).status).toBe(200)
    const old = await newForgotten()
    await elapse(61)
    expect((await reset({ token: old.token, password: NEW })).body).toEqual(LINK_INVALID)
  })

  const WEAK = [
    'A senha deve ter pelo menos 6 caracteres.',
    'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
  ]
  it.each([
    [
      {},
      {
        token: ['O campo token é obrigatório.'],
        password: ['O campo senha é obrigatório.'],
      },
    ],
    [
      { token: 'unknown', password: 1 },
      { ...LINK_INVALID.errors, password: ['O campo senha deve ser um texto.'] },
    ],
  ])('rejects %j with every failing field', async (body, errors) => {
    const { status, body: response } = await reset(body)
    expect([status, response.errors]).toEqual([422, errors])
  })

  it('reports a weak password with a valid token, which stays valid', async () => {
    const { token } = await newForgotten()
    expect((await reset({ token, password: 'curta' })).body.errors).toEqual({
      password: WEAK,
    })
    expect((await reset({ token: ` ${token}\n`, password: NEW })).status).toBe(200)
  })
})
