import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { keyedHash } from '../../src/security/hashes.ts'
import { elapse, mailbox, newEmail, runCron, tokenIn } from '../emails.ts'
import { type Call, callJson, counting, failingDatabase, newLogin, PASSWORD, tokenFor } from '../helper.ts'
import { logged } from '../logs.ts'

const NEW = 'Outra2026'
const CHANGED = 'Senha alterada com sucesso.'
const LINK_INVALID = {
  message: 'Os dados fornecidos são inválidos.',
  errors: { token: ['O link de redefinição é inválido ou expirou.'] },
}
const TOO_MANY = { success: false, message: 'Muitas tentativas. Tente novamente em instantes.' }

const forgot = (email: unknown, bindings: Call['env'] = {}, headers = {}) =>
  callJson('/auth/password/forgot', { body: { email }, env: bindings, headers })
const reset = (body: unknown, bindings: Call['env'] = {}) =>
  callJson('/auth/password/reset', { body, env: bindings })
const login = (email: string, password = PASSWORD) => callJson('/auth/login', { body: { email, password } })
const cover = (token: string) => callJson('/cover', { token })

/** A user with a sent password reset link and its token. */
async function newForgotten(fields: Parameters<typeof newLogin>[0] = {}) {
  const user = await newLogin(fields)
  return { ...user, token: await mailLink(user.email) }
}

async function mailLink(email: string): Promise<string> {
  const { EMAIL, sent } = mailbox()
  expect((await forgot(email, { EMAIL })).status).toBe(202)
  expect(sent.map(({ to }) => to)).toEqual([email])
  return tokenIn(sent[0])
}

const userOf = (id: string) =>
  env.DB.prepare('select * from users where id = ?').bind(id).first<Record<string, string | number | null>>()

/** The audit actions with a user as actor and subject. */
async function actionsOf(id: string) {
  const { results } = await env.DB.prepare(
    'select action, subject_type from audit_events where actor_id = ?1 and subject_id = ?1 order by rowid',
  )
    .bind(id)
    .all()
  return results.map(({ action, subject_type }) => {
    expect(subject_type).toBe('user')
    return action
  })
}

describe('POST /v1/auth/password/forgot', () => {
  it('sends a link of PASSWORD_RESET_URL, in Portuguese, and stores only a hash of its token', async () => {
    const { email } = await newLogin()
    const { EMAIL, sent } = mailbox()
    const { status, body, headers } = await forgot(` ${email.toUpperCase()} `, { EMAIL })
    expect([status, body]).toEqual([
      202,
      {
        success: true,
        message: 'Se houver um cadastro com este email, uma mensagem com instruções será enviada.',
      },
    ])
    expect(headers.get('Cache-Control')).toBe('no-store')
    const token = tokenIn(sent[0])
    const link = `${env.PASSWORD_RESET_URL}?token=${token}`
    expect(sent).toMatchObject([{ from: env.EMAIL_FROM, to: email, subject: 'Redefina sua senha' }])
    expect(sent[0]?.text).toContain(link)
    expect(sent[0]?.html).toContain(`href="${link}"`)
    const { results } = await env.DB.prepare('select * from email_tokens').all()
    expect(JSON.stringify(results)).not.toContain(token)
    const left = await env.DB.prepare('select * from email_outbox where email = ?').bind(email).all()
    expect(left.results).toEqual([])
  })

  it('responds the same, after the same work, without an account or a password', async () => {
    const known = await newLogin()
    const responses = []
    const withoutPassword = await newLogin({ hash: null })
    for (const email of [known.email, newEmail(), withoutPassword.email, 'admin@example.org']) {
      const { binding, count } = counting()
      const { EMAIL } = mailbox()
      const { status, body, headers } = await forgot(email, { EMAIL, DB: binding })
      expect(logged('info').at(-1)?.round_trips).toBe(1) // the rest begins when the response is complete
      expect(count.sessions).toEqual(['first-primary'])
      const names = [...headers].map(([name, value]) =>
        name === 'x-request-id' ? name : `${name}: ${value}`,
      )
      responses.push(JSON.stringify([status, body, names]))
    }
    expect(new Set(responses).size).toBe(1)
    expect(responses[0]).not.toContain('x-d1-bookmark:')
  })

  it('stores nothing about an unknown email', async () => {
    const email = newEmail()
    const { EMAIL, sent } = mailbox()
    await forgot(email, { EMAIL })
    const left = await env.DB.prepare('select count(*) as n from email_outbox where email = ?').bind(email)
    expect([await left.first('n'), sent]).toEqual([0, []])
  })

  it('responds 503 for any email while the database is down, and loses no accepted request', async () => {
    const { email } = await newLogin()
    for (const one of [email, newEmail()]) {
      const { status, body } = await forgot(one, { DB: failingDatabase('D1 DB is overloaded.') })
      expect([status, body.message]).toEqual([503, 'Serviço temporariamente indisponível.'])
    }
    const { EMAIL, sent } = mailbox(1)
    expect((await forgot(email, { EMAIL })).status).toBe(202)
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
  })

  it('sends again on a request made while the first email is failing', async () => {
    const { email } = await newLogin()
    const { EMAIL, sent } = mailbox()
    const slow = {
      send: async (message: Parameters<typeof EMAIL.send>[0]) => {
        const failing = { send: () => Promise.reject(new Error('not now')) }
        await forgot(email, { EMAIL: failing })
        return EMAIL.send(message)
      },
    }
    await forgot(email, { EMAIL: slow })
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email, email])
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
  it('sets the password, ends every session and verifies the email, in two round trips', async () => {
    const { id, email, role, token } = await newForgotten({ verification: 'required' })
    const session = await tokenFor({ id, role })
    const { binding, count } = counting()
    const { status, body, headers } = await reset({ token, password: NEW }, { DB: binding })
    expect([status, body]).toEqual([200, { success: true, message: CHANGED }])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(count.roundTrips).toBe(2)
    expect((await cover(session)).body).toEqual({ success: false, message: 'Token inválido' })
    expect((await login(email)).status).toBe(401)
    const { data } = (await login(email, NEW)).body
    expect((await cover(data.access_token)).status).toBe(404) // in no group
    expect(await userOf(id)).toMatchObject({ token_version: 2, email_verified_at: expect.any(String) })
    expect(await actionsOf(id)).toEqual(['password.reset'])
  })

  it('sets the first password of a user without one', async () => {
    const { email, token } = await newForgotten({ verification: 'required', hash: null })
    expect((await reset({ token, password: NEW })).status).toBe(200)
    expect((await login(email, NEW)).status).toBe(200)
  })

  it('keeps when an email was verified', async () => {
    const { id, token } = await newForgotten({ verification: 'done' })
    expect((await reset({ token, password: NEW })).status).toBe(200)
    expect(await userOf(id)).toMatchObject({ email_verified_at: '2026-01-01T00:00:00.000000Z' })
  })

  it('takes a token once', async () => {
    const { id, email, token } = await newForgotten()
    expect((await reset({ token, password: NEW })).status).toBe(200)
    const { status, body } = await reset({ token, password: 'Terceira3' })
    expect([status, body]).toEqual([422, LINK_INVALID])
    expect((await login(email, NEW)).status).toBe(200)
    expect(await userOf(id)).toMatchObject({ token_version: 2 })
    expect(await actionsOf(id)).toEqual(['password.reset'])
  })

  it('takes one of many requests at the same moment', async () => {
    const { id, email, token } = await newForgotten()
    const passwords = ['Primeira1', 'Segunda2', 'Terceira3', 'Quarta4']
    const statuses = await Promise.all(
      passwords.map(async (password) => (await reset({ token, password })).status),
    )
    expect(statuses.toSorted()).toEqual([200, 422, 422, 422])
    for (const [index, password] of passwords.entries())
      expect((await login(email, password)).status).toBe(statuses[index] === 200 ? 200 : 401)
    expect(await userOf(id)).toMatchObject({ token_version: 2 })
    expect(await actionsOf(id)).toEqual(['password.reset'])
  })

  it('invalidates all other links of the user, of either kind', async () => {
    const { id, email, token: first } = await newForgotten({ verification: 'required' })
    const second = await mailLink(email)
    const { EMAIL, sent } = mailbox()
    await callJson('/auth/email/resend', { body: { email }, env: { EMAIL } })
    expect((await reset({ token: second, password: NEW })).status).toBe(200)
    expect((await reset({ token: first, password: 'Terceira3' })).body).toEqual(LINK_INVALID)
    const verified = await callJson('/auth/email/verify', { body: { token: tokenIn(sent[0]) } })
    expect(verified.body.errors.token).toEqual(['O link de confirmação é inválido ou expirou.'])
    expect(await actionsOf(id)).toEqual(['password.reset'])
  })

  it('rejects a token of the other kind, and vice versa', async () => {
    const { id, email, token } = await newForgotten({ verification: 'required', hash: null })
    const { EMAIL, sent } = mailbox()
    await callJson('/auth/email/resend', { body: { email }, env: { EMAIL } })
    const verification = tokenIn(sent[0])
    expect((await reset({ token: verification, password: NEW })).body).toEqual(LINK_INVALID)
    const verified = await callJson('/auth/email/verify', { body: { token, password: NEW } })
    expect([verified.status, Object.keys(verified.body.errors)]).toEqual([422, ['token']])
    expect(await userOf(id)).toMatchObject({ password_hash: null, email_verified_at: null, token_version: 1 })
    expect((await reset({ token, password: NEW })).status).toBe(200)
  })

  it('rejects a token that was sent to a former email', async () => {
    const { id, token } = await newForgotten()
    await env.DB.prepare('update users set email = ? where id = ?').bind(newEmail(), id).run()
    expect((await reset({ token, password: NEW })).body).toEqual(LINK_INVALID)
    expect(await actionsOf(id)).toEqual([])
  })

  it('rejects a token of a deleted user, and sends no email instead', async () => {
    const { id, token } = await newForgotten()
    await env.DB.prepare('delete from email_tokens where user_id = ?').bind(id).run()
    await env.DB.prepare('delete from users where id = ?').bind(id).run()
    expect((await reset({ token, password: NEW })).body).toEqual(LINK_INVALID)
  })

  it('takes a token for one hour', async () => {
    const young = await newForgotten()
    await elapse(59)
    expect((await reset({ token: young.token, password: NEW })).status).toBe(200)
    const old = await newForgotten()
    await elapse(61)
    expect((await reset({ token: old.token, password: NEW })).body).toEqual(LINK_INVALID)
    await runCron()
    const left = env.DB.prepare('select count(*) as n from email_tokens where user_id in (?, ?)')
    expect(await left.bind(young.id, old.id).first('n')).toBe(0)
  })

  const WEAK = [
    'A senha deve ter pelo menos 6 caracteres.',
    'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
  ]
  it.each([
    [{}, { token: ['O campo token é obrigatório.'], password: ['O campo senha é obrigatório.'] }],
    [{ token: ' ', password: NEW }, { token: ['O campo token é obrigatório.'] }],
    [
      { token: 1, password: null },
      { token: ['O campo token deve ser um texto.'], password: ['O campo senha é obrigatório.'] },
    ],
    [{ token: '\0', password: NEW }, LINK_INVALID.errors],
    [{ token: 'x'.repeat(10_000), password: NEW }, LINK_INVALID.errors],
    [{ token: '\u202e\ud800', password: NEW }, LINK_INVALID.errors],
    [
      { token: "' or 1=1 --", password: 1 },
      { ...LINK_INVALID.errors, password: ['O campo senha deve ser um texto.'] },
    ],
    [
      { token: 'unknown', password: 'curta' },
      { ...LINK_INVALID.errors, password: WEAK },
    ],
  ])('rejects %j with every failing field', async (body, errors) => {
    const { status, body: response } = await reset(body)
    expect([status, response.errors]).toEqual([422, errors])
  })

  it('reports a weak password with a valid token, which stays valid', async () => {
    const { token } = await newForgotten()
    expect((await reset({ token, password: 'curta' })).body.errors).toEqual({ password: WEAK })
    expect((await reset({ token: ` ${token}\n`, password: NEW })).status).toBe(200)
  })
})

describe('PUT /v1/auth/password', () => {
  const change = (token: string, body: unknown, options: Call = {}) =>
    callJson('/auth/password', { method: 'PUT', token, body, ...options })

  const failuresOf = (identifier: string) =>
    env.DB.prepare('select count(*) as n from failed_logins where identifier = ?')
      .bind(keyedHash(env, 'identifier', identifier))
      .first('n')

  /** Fifty failed logins from elsewhere. */
  const lockOut = (email: string) =>
    env.DB.prepare(
      `insert into failed_logins (id, identifier, address)
       with recursive counter(n) as (select 1 union all select n + 1 from counter where n < 50)
       select hex(randomblob(16)), ?, 'elsewhere' from counter`,
    )
      .bind(keyedHash(env, 'identifier', email))
      .run()

  it.each(['informer', 'administrator'] as const)(
    'changes the password of an %s, and begins a new session in the place of every other, in two round trips',
    async (role) => {
      const user = await newLogin({ role })
      const token = await tokenFor(user)
      const { status, body, headers } = await change(token, { current_password: PASSWORD, password: NEW })
      expect(status).toBe(200)
      expect(headers.get('Cache-Control')).toBe('no-store')
      const fromLogin = (await login(user.email, NEW)).body
      expect(body).toEqual({
        success: true,
        message: CHANGED,
        data: { ...fromLogin.data, access_token: expect.any(String) },
      })
      expect(logged('info')[0]?.round_trips).toBe(2)
      const path = role === 'informer' ? '/cover' : '/audit-events'
      expect((await callJson(path, { token })).status).toBe(401)
      for (const later of [body.data.access_token, fromLogin.data.access_token])
        expect((await callJson(path, { token: later })).status).toBe(role === 'informer' ? 404 : 200)
      expect((await login(user.email)).status).toBe(401)
      expect(await actionsOf(user.id)).toEqual(['password.changed'])
      expect(await userOf(user.id)).toMatchObject({ token_version: 2 })
    },
  )

  it('counts a wrong current password as a failed login, in two round trips', async () => {
    const user = await newLogin()
    const { binding, count } = counting()
    const { status, body } = await change(
      await tokenFor(user),
      { current_password: 'Errada1', password: NEW },
      { env: { DB: binding } },
    )
    expect([status, body.errors]).toEqual([422, { current_password: ['A senha atual está incorreta.'] }])
    expect([count.roundTrips, await failuresOf(user.email)]).toEqual([2, 1])
    expect((await login(user.email)).status).toBe(200)
    expect(await actionsOf(user.id)).toEqual([])
    expect(await userOf(user.id)).toMatchObject({ token_version: 1 })
  })

  it('counts it by CPF for a user without an email', async () => {
    const user = await newLogin()
    await env.DB.prepare("update users set email = null, cpf = '11144477735' where id = ?")
      .bind(user.id)
      .run()
    await change(await tokenFor(user), { current_password: 'Errada1', password: NEW })
    expect(await failuresOf('11144477735')).toBe(1)
  })

  it.each([
    ['right', PASSWORD, NEW],
    ['wrong', 'Errada1', NEW],
    ['correct, with a weak new one', PASSWORD, 'curta'],
    ['wrong, with a weak new one', 'Errada1', 'curta'],
  ])('discloses nothing of a locked out password that is %s', async (_, current_password, password) => {
    const user = await newLogin()
    await lockOut(user.email)
    const { status, body, headers } = await change(await tokenFor(user), { current_password, password })
    expect([status, body]).toEqual([429, TOO_MANY])
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(890)
    expect(await failuresOf(user.email)).toBe(50)
    expect(await actionsOf(user.id)).toEqual([])
    expect(await userOf(user.id)).toMatchObject({ token_version: 1 })
  })

  it('is possible from an address with an earlier login, despite failures elsewhere', async () => {
    const user = await newLogin()
    const token = (await login(user.email)).body.data.access_token
    await lockOut(user.email)
    expect((await change(token, { current_password: PASSWORD, password: NEW })).status).toBe(200)
  })

  it('makes its address known, as a login does', async () => {
    const user = await newLogin()
    const headers = { 'CF-Connecting-IP': '203.0.113.5' }
    const body = { current_password: PASSWORD, password: NEW }
    expect((await change(await tokenFor(user), body, { headers })).status).toBe(200)
    await lockOut(user.email)
    const again = { email: user.email, password: NEW }
    expect((await callJson('/auth/login', { body: again, headers })).status).toBe(200)
    expect((await callJson('/auth/login', { body: again })).status).toBe(429)
  })

  it('changes it once for many requests of one session at the same moment', async () => {
    const user = await newLogin()
    const token = await tokenFor(user)
    const passwords = ['Primeira1', 'Segunda2', 'Terceira3', 'Quarta4']
    const responses = await Promise.all(
      passwords.map((password) => change(token, { current_password: PASSWORD, password })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    for (const [index, password] of passwords.entries())
      expect((await login(user.email, password)).status).toBe(responses[index]?.status === 200 ? 200 : 401)
    expect(await actionsOf(user.id)).toEqual(['password.changed'])
  })

  it('invalidates reset links', async () => {
    const user = await newForgotten()
    const body = { current_password: PASSWORD, password: NEW }
    expect((await change(await tokenFor(user), body)).status).toBe(200)
    expect((await reset({ token: user.token, password: 'Terceira3' })).body).toEqual(LINK_INVALID)
  })

  it.each([
    [
      {},
      {
        current_password: ['O campo senha atual é obrigatório.'],
        password: ['O campo senha é obrigatório.'],
      },
    ],
    [{ current_password: '', password: NEW }, { current_password: ['O campo senha atual é obrigatório.'] }],
    [
      { current_password: 1, password: NEW },
      { current_password: ['O campo senha atual deve ser um texto.'] },
    ],
    [{ current_password: PASSWORD, password: 'Curta' }, { password: expect.any(Array) }],
    [
      { current_password: 'Errada1', password: 'curta1' },
      {
        current_password: ['A senha atual está incorreta.'],
        password: ['A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'],
      },
    ],
  ])('rejects %j with every failing field', async (body, errors) => {
    const { status, body: response } = await change(await tokenFor(await newLogin()), body)
    expect([status, response.errors]).toEqual([422, errors])
  })
})
