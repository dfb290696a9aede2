import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { call, callJson, counting, newLogin, PASSWORD } from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { replacePasswordHash } from '#database/accounts/passwords.ts'
import { openDatabase } from '#database/client.ts'
import { hashPassword } from '#security/passwords.ts'

const login = (body: unknown, options = {}) =>
  callJson('/auth/login', { body, ...options })

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
      { env: { JWT_TTL_SECONDS: '60' } },
    )
    const { header, payload } = decode(body.data.access_token)
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(Object.keys(payload).sort()).toEqual([
      'auth_time',
      'exp',
      'iat',
      'iss',
      'jti',
      'role',
      'sub',
      'token_version',
    ])
    expect(payload).toMatchObject({
      sub: body.data.user.id,
      role: 'informer',
      token_version: 1,
    })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
    expect(body.data.expires_in).toBe(60)
  })

  it.each([
    ['in upper case', (email: string) => email.toUpperCase()],
    ['with invisible characters', (email: string) => `\u200b${email}\u2060`],
    ['with spaces around', (email: string) => `  ${email} `],
  ])('knows an email %s', async (_, written) => {
    const { email } = await newLogin()
    expect((await login({ email: written(email), password: PASSWORD })).status).toBe(200)
  })

  it('knows an informer without an email by CPF', async () => {
    const { id } = await newLogin()
    await env.DB.prepare(
      "update users set email = null, cpf = '11144477735' where id = ?",
    )
      .bind(id)
      .run()
    const { status, body } = await login({ cpf: '11144477735', password: PASSWORD })
    expect(status).toBe(200)
    expect(body.data.user).toMatchObject({ id, email: null })
  })

  it.each([
    ['a wrong password', { email: 'ana@example.org', password: 'Provisao2027' }],
    [
      'a password in another case',
      { email: 'ana@example.org', password: PASSWORD.toLowerCase() },
    ],
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
    [{ email: 'ana@example.org' }, ['password']],
    [{ email: 'ana@example.org', password: '' }, ['password']],
    [{ email: 'ana@example.org', password: null }, ['password']],
    [{ email: 'ana@example.org', password: 12345678 }, ['password']],
    [{ email: 'ana@example.org', password: [] }, ['password']],
    [{ password: PASSWORD }, ['email']],
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
    expect((await login({ email, password: 'Provisao2027' })).status).toBe(401)
    const verified = await newLogin({ verification: 'done' })
    expect((await login({ email: verified.email, password: PASSWORD })).status).toBe(200)
  })

  it('needs one round trip before the response, and renews a weaker hash after it', async () => {
    const weak = await hashPassword(PASSWORD, { ln: 12, r: 8, p: 1 })
    const { id, email } = await newLogin({ hash: weak })
    for (const after of [2, 1]) {
      const { binding, count, behind } = counting()
      expect(
        (await login({ email, password: PASSWORD }, { env: { DB: binding } })).status,
      ).toBe(200)
      expect(logged('info').at(-1)?.round_trips).toBe(1)
      expect([count.roundTrips, behind.roundTrips]).toEqual([1, after])
    }
    const { password_hash, created_at, updated_at } =
      (await env.DB.prepare('select * from users where id = ?').bind(id).first()) ?? {}
    expect(password_hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect(updated_at).toBe(created_at)
  })

  it('overwrites no password that is changed before its hash is renewed', async () => {
    const weak = await hashPassword(PASSWORD, { ln: 12, r: 8, p: 1 })
    const { id, email } = await newLogin({ hash: weak })
    const db = openDatabase(env.DB)
    await env.DB.prepare("update users set password_hash = 'changed' where id = ?")
      .bind(id)
      .run()
    await replacePasswordHash(
      db,
      { id, password_hash: weak },
      await hashPassword(PASSWORD),
    )
    expect((await login({ email, password: PASSWORD })).status).toBe(401)
  })

  it('does not renew a weak hash for a wrong password', async () => {
    const weak = await hashPassword(PASSWORD, { ln: 12, r: 8, p: 1 })
    const { id, email } = await newLogin({ hash: weak })
    expect((await login({ email, password: 'Provisao2027' })).status).toBe(401)
    expect(
      await env.DB.prepare('select password_hash from users where id = ?')
        .bind(id)
        .first('password_hash'),
    ).toBe(weak)
  })
})
