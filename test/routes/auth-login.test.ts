import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { WRONG_PASSWORD } from '../support/failed-logins.ts'
import {
  call,
  callJson,
  counting,
  failingDatabase,
  newLogin,
  PASSWORD,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { auditedActions, giveCpf, storedUser } from '../support/users.ts'
import { replacePasswordHash } from '#database/accounts/passwords.ts'
import { openDatabase } from '#database/client.ts'
import { keyedHash } from '#security/hashes.ts'
import { hashPassword } from '#security/passwords.ts'

const WEAK = { ln: 12, r: 8, p: 1 }

const login = (body: object, bindings = {}) =>
  callJson('/auth/login', { body, env: bindings })

describe('POST /v1/auth/login', () => {
  it('gives a token and the user', async () => {
    const { status, body } = await login({ email: 'ana@example.org', password: PASSWORD })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      user: {
        first_name: 'Ana',
        last_name: 'da Silva Souza',
        full_name: 'Ana da Silva Souza',
        email: 'ana@example.org',
        role: { id: 1, name: 'Informante', slug: 'informer' },
      },
    })
    expect((await call('/cover', { token: body.data.access_token })).status).toBe(200)
  })

  it('gives an administrator the role Administrador', async () => {
    const { body } = await login({ email: 'admin@example.org', password: PASSWORD })
    expect(body.data.user.role).toMatchObject({
      name: 'Administrador',
      slug: 'administrator',
    })
  })

  it('issues an HS256 token with its claims', async () => {
    const { body } = await login(
      { email: 'ana@example.org', password: PASSWORD },
      { JWT_TTL_SECONDS: '60' },
    )
    const { header, payload } = decode(body.data.access_token)
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' })
    const { iat = 0 } = payload
    expect(payload).toEqual({
      iss: 'informer-provisioning-service',
      sub: body.data.user.id,
      role: 'informer',
      token_version: 1,
      auth_time: iat,
      iat,
      exp: iat + 60,
      jti: expect.any(String),
    })
    expect(body.data.expires_in).toBe(60)
  })

  it('knows an email in upper case, with spaces and invisible characters', async () => {
    const { email } = await newLogin()
    const written = ` \u200b${email.toUpperCase()}\u2060 `
    expect((await login({ email: written, password: PASSWORD })).status).toBe(200)
  })

  it('knows a user without an email by CPF, who has none to verify', async () => {
    const { id } = await newLogin({ verification: 'required' })
    const cpf = await giveCpf(id)
    await env.DB.prepare('update users set email = null where id = ?').bind(id).run()
    const { status, body } = await login({ cpf, password: PASSWORD })
    expect(status).toBe(200)
    expect(body.data.user).toMatchObject({ id, email: null })
  })

  it.each([
    ['a wrong password', { email: 'ana@example.org', password: WRONG_PASSWORD }],
    ['an unknown email', { email: 'nobody@example.org', password: PASSWORD }],
    ['an unknown CPF', { cpf: '52998224725', password: PASSWORD }],
    ['what is no email', { email: "' or 1=1 --", password: PASSWORD }],
    ['a NUL in the email', { email: 'ana@example.org\0', password: PASSWORD }],
  ])('rejects %s, always with the same response', async (_, credentials) => {
    const { status, body, headers } = await login(credentials)
    expect([status, body]).toEqual([
      401,
      { success: false, message: 'Credenciais inválidas.' },
    ])
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it('rejects a user without a password', async () => {
    const { email } = await newLogin({ hash: null })
    expect((await login({ email, password: PASSWORD })).status).toBe(401)
  })

  it.each([
    [{}, ['email', 'password']],
    [{ email: 'ana@example.org', password: '' }, ['password']],
    [{ email: 'ana@example.org', password: 12345678 }, ['password']],
    [{ email: '', password: PASSWORD }, ['email']],
    [{ email: null, cpf: null, password: PASSWORD }, ['email']],
    [{ email: ['ana@example.org'], password: PASSWORD }, ['email']],
    [{ email: 'ana@example.org', cpf: 11144477735, password: PASSWORD }, ['cpf']],
  ])('rejects %j as invalid in %j', async (credentials, fields) => {
    const { status, body } = await login(credentials)
    expect(status).toBe(422)
    expect(Object.keys(body.errors).sort()).toEqual(fields)
    for (const field of fields) expect(body.errors[field]).toHaveLength(1)
  })

  it('requires a verified email, and reports it only with the correct password', async () => {
    const { email } = await newLogin({ verification: 'required' })
    const { status, body } = await login({ email, password: PASSWORD })
    expect([status, body]).toEqual([
      403,
      { success: false, message: 'Confirme seu email antes de entrar.' },
    ])
    expect((await login({ email, password: WRONG_PASSWORD })).status).toBe(401)
    const verified = await newLogin({ verification: 'done' })
    expect((await login({ email: verified.email, password: PASSWORD })).status).toBe(200)
  })
})

describe('a weak password hash', () => {
  it('is renewed after the response of a login, in one round trip more', async () => {
    const { id, email } = await newLogin({ hash: await hashPassword(PASSWORD, WEAK) })
    for (const after of [2, 1]) {
      const { binding: DB, behind } = counting()
      expect((await login({ email, password: PASSWORD }, { DB })).status).toBe(200)
      expect([logged('info').at(-1)?.round_trips, behind.roundTrips]).toEqual([1, after])
    }
    const { password_hash, created_at, updated_at } = (await storedUser(id)) ?? {}
    expect(password_hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect(updated_at).toBe(created_at)
  })

  it('is not renewed if the password was changed meanwhile', async () => {
    const weak = await hashPassword(PASSWORD, WEAK)
    const { id } = await newLogin({ hash: 'changed' })
    await replacePasswordHash(openDatabase(env.DB), { id, password_hash: weak }, weak)
    expect(await storedUser(id)).toMatchObject({ password_hash: 'changed' })
  })
})

describe('the record of a login', () => {
  const isTrusted = async (email: string) =>
    (await env.DB.prepare('select 1 from known_addresses where identifier = ?')
      .bind(keyedHash(env.JWT_SECRET, 'identifier', email))
      .first()) !== null

  it('names an administrator as actor and subject, with the request', async () => {
    const { id, email } = await newLogin({ role: 'administrator' })
    const { headers } = await login({ email, password: PASSWORD })
    const { results } = await env.DB.prepare(
      `select actor_id, action, subject_type, subject_id, request_id from audit_events
       where subject_id = ?`,
    )
      .bind(id)
      .all()
    expect(results).toEqual([
      {
        actor_id: id,
        action: 'session.started',
        subject_type: 'user',
        subject_id: id,
        request_id: headers.get('X-Request-Id'),
      },
    ])
  })

  it.each<[string, Parameters<typeof newLogin>[0], string, number]>([
    ['an informer', { role: 'informer' }, PASSWORD, 200],
    ['a wrong password', { role: 'administrator' }, WRONG_PASSWORD, 401],
    [
      'an unconfirmed email',
      { role: 'administrator', verification: 'required' },
      PASSWORD,
      403,
    ],
  ])('does not exist for %s', async (_, fields, password, status) => {
    const { id, email } = await newLogin(fields)
    expect((await login({ email, password })).status).toBe(status)
    expect(await auditedActions(id)).toEqual([])
    expect(await isTrusted(email)).toBe(status === 200)
  })

  it('is written with the trust in the address or not at all, and the log tells', async () => {
    const { id, email } = await newLogin({ role: 'administrator' })
    const message = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'
    const DB = failingDatabase(message, (trip) => trip > 1)
    const { status, headers } = await login({ email, password: PASSWORD }, { DB })
    expect([status, await auditedActions(id), await isTrusted(email)]).toEqual([
      200,
      [],
      false,
    ])
    const request_id = headers.get('X-Request-Id')
    expect(logged('error')).toMatchObject([
      { event: 'login not remembered', message, request_id },
    ])
  })
})
