import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fail, failuresOf } from '../support/failed-logins.ts'
import {
  type Call,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  tokenFor,
  tokenOfNew,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const NEW = 'Outra2026'
const TOO_MANY = {
  success: false,
  message: 'Muitas tentativas. Tente novamente em instantes.',
}

const login = (email: string, password = PASSWORD) =>
  callJson('/auth/login', { body: { email, password } })

describe('PUT /v1/auth/password', () => {
  const change = (token: string, body: unknown, options: Call = {}) =>
    callJson('/auth/password', { method: 'PUT', token, body, ...options })

  it.each(['informer', 'administrator'] as const)(
    'changes the password of an %s, and gives a new token in the place of every other, in three round trips',
    async (role) => {
      const user = await newLogin({ role })
      const token = await tokenFor(user)
      const { status, body } = await change(token, {
        current_password: PASSWORD,
        password: NEW,
      })
      expect(status).toBe(200)
      const fromLogin = (await login(user.email, NEW)).body
      expect(body).toEqual({
        success: true,
        message: 'Senha alterada com sucesso.',
        data: { ...fromLogin.data, access_token: expect.any(String) },
      })
      expect(logged('info')[0]?.round_trips).toBe(3)
      const path = role === 'informer' ? '/cover' : '/audit-events'
      expect((await callJson(path, { token })).status).toBe(401)
      for (const later of [body.data.access_token, fromLogin.data.access_token]) {
        expect((await callJson(path, { token: later })).status).toBe(
          role === 'informer' ? 404 : 200,
        )
      }
      expect((await login(user.email)).status).toBe(401)
      const loggedIn = role === 'informer' ? [] : ['session.started']
      expect(await auditedActions(user.id, user.id)).toEqual([
        'password.changed',
        ...loggedIn,
      ])
      expect(await storedUser(user.id)).toMatchObject({ token_version: 2 })
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
    expect([status, body.errors]).toEqual([
      422,
      { current_password: ['A senha atual está incorreta.'] },
    ])
    expect([count.roundTrips, await failuresOf(user.email)]).toEqual([2, 1])
    expect((await login(user.email)).status).toBe(200)
    expect(await auditedActions(user.id)).toEqual([])
    expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
  })

  it('counts it by CPF for a user without an email', async () => {
    const user = await newLogin()
    await env.DB.prepare(
      "update users set email = null, cpf = '11144477735' where id = ?",
    )
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
  ])(
    'discloses nothing of a locked out password that is %s',
    async (_, current_password, password) => {
      const user = await newLogin()
      await fail(user.email)
      const { status, body, headers } = await change(await tokenFor(user), {
        current_password,
        password,
      })
      expect([status, body]).toEqual([429, TOO_MANY])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(890)
      expect(await failuresOf(user.email)).toBe(50)
      expect(await auditedActions(user.id)).toEqual([])
      expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
    },
  )

  it('is possible from an address with an earlier login, despite failures elsewhere', async () => {
    const user = await newLogin()
    const token = (await login(user.email)).body.data.access_token
    await fail(user.email)
    expect(
      (await change(token, { current_password: PASSWORD, password: NEW })).status,
    ).toBe(200)
  })

  it('makes its address known, as a login does', async () => {
    const user = await newLogin()
    const headers = { 'CF-Connecting-IP': '203.0.113.5' }
    const body = { current_password: PASSWORD, password: NEW }
    expect((await change(await tokenFor(user), body, { headers })).status).toBe(200)
    await fail(user.email)
    const again = { email: user.email, password: NEW }
    expect((await callJson('/auth/login', { body: again, headers })).status).toBe(200)
    expect((await callJson('/auth/login', { body: again })).status).toBe(429)
  })

  it('changes it once for many requests of one session at the same moment', async () => {
    const user = await newLogin()
    const token = await tokenFor(user)
    const passwords = ['Primeira1', 'Segunda2', 'Terceira3', 'Quarta4']
    const responses = await Promise.all(
      passwords.map((password) =>
        change(token, { current_password: PASSWORD, password }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    for (const [index, password] of passwords.entries()) {
      expect((await login(user.email, password)).status).toBe(
        responses[index]?.status === 200 ? 200 : 401,
      )
    }
    expect(await auditedActions(user.id, user.id)).toEqual(['password.changed'])
  })

  it.each([
    [
      {},
      {
        current_password: ['O campo senha atual é obrigatório.'],
        password: ['O campo senha é obrigatório.'],
      },
    ],
    [
      { current_password: '', password: NEW },
      { current_password: ['O campo senha atual é obrigatório.'] },
    ],
    [
      { current_password: 1, password: NEW },
      { current_password: ['O campo senha atual deve ser um texto.'] },
    ],
    [{ current_password: PASSWORD, password: 'Curta' }, { password: expect.any(Array) }],
    [
      { current_password: 'Errada1', password: 'curta1' },
      {
        current_password: ['A senha atual está incorreta.'],
        password: [
          'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
        ],
      },
    ],
  ])('rejects %j with every failing field', async (body, errors) => {
    const { status, body: response } = await change(
      await tokenOfNew(await newLogin()),
      body,
    )
    expect([status, response.errors]).toEqual([422, errors])
  })
})
