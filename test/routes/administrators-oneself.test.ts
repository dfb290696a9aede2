import { describe, expect, it } from 'vitest'
import { newEmail, newLinkToken } from '../support/emails.ts'
import { ELSEWHERE, fail, failuresOf, TOO_MANY } from '../support/failed-logins.ts'
import {
  administratorToken,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  tokenFor,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { auditedActions, giveCpf, storedUser } from '../support/users.ts'

const NEW = 'Outra2026'
const WRONG = { current_password: ['A senha atual está incorreta.'] }
const MISSING = { current_password: ['O campo senha atual é obrigatório.'] }
const NO_TEXT = { current_password: ['O campo senha atual deve ser um texto.'] }
const newAdministrator = () => newLogin({ role: 'administrator' })

type Administrator = Awaited<ReturnType<typeof newAdministrator>>

const patchOneself = async (user: Administrator, body: object, bindings = {}) =>
  callJson(`/administrators/${user.id}`, {
    method: 'PATCH',
    token: await tokenFor(user),
    body,
    env: bindings,
  })

const login = (email: string, password: string) =>
  callJson('/auth/login', { body: { email, password } })

describe('PATCH /v1/administrators/{administrator} of oneself', () => {
  it.each([
    ['a password', { password: NEW }],
    ['no password', { password: null }],
    ['an email', { email: 'outra@example.org' }],
    ['a CPF', { cpf: '52998224725' }],
  ])('with %s needs the current password', async (_, body) => {
    const user = await newAdministrator()
    const before = await storedUser(user.id)
    const sent: [object, object][] = [
      [{}, MISSING],
      [{ current_password: null }, MISSING],
      [{ current_password: '' }, MISSING],
      [{ current_password: 1 }, NO_TEXT],
      [{ current_password: ['x'] }, NO_TEXT],
      [{ current_password: 'Errada2026' }, WRONG],
    ]
    for (const [current, errors] of sent) {
      const response = await patchOneself(user, { ...body, ...current })
      expect([current, response.status, response.body]).toEqual([
        current,
        422,
        { message: 'Os dados fornecidos são inválidos.', errors },
      ])
    }
    expect(await storedUser(user.id)).toEqual(before)
    expect(await failuresOf(user.email)).toBe(1)
    expect(await auditedActions(user.id)).toEqual([])
  })

  it('changes password and email with it, ends all sessions and gives no token', async () => {
    const user = await newAdministrator()
    const token = await tokenFor(user)
    const email = newEmail()
    const { binding, count, behind } = counting()
    const { status, body } = await patchOneself(
      user,
      { current_password: PASSWORD, password: NEW, email },
      { DB: binding },
    )
    expect([status, body.message]).toEqual([200, 'Administrador atualizado com sucesso.'])
    expect(body.data).toMatchObject({ id: user.id, email, has_password: true })
    expect(JSON.stringify(body)).not.toContain('token')
    // the guard, what is taken, whose password it is, the attempt, and the change
    expect(logged('info').at(-1)).toMatchObject({ round_trips: 6 })
    expect([count.roundTrips, behind.roundTrips]).toEqual([6, 1])
    expect((await callJson('/administrators', { token })).status).toBe(401)
    expect((await login(email, NEW)).status).toBe(200)
    expect((await login(user.email, PASSWORD)).status).toBe(401)
    expect(await auditedActions(user.id, user.id)).toEqual([
      'administrator.updated',
      'password.changed',
      'session.started',
    ])
  })

  it('looks at the current password last, when all else is valid', async () => {
    const user = await newAdministrator()
    const taken = (await newAdministrator()).email
    const wrong = { current_password: 'Errada2026' }
    for (const [body, errors] of [
      [{ email: taken }, { email: ['Este email já está cadastrado no sistema.'] }],
      [{ password: 'curta1A', cpf: '1' }, { cpf: expect.any(Array) }],
      [{ email: 'x' }, { email: ['O email deve ter um formato válido.'] }],
      [{ email: null }, { email: ['O campo email é obrigatório.'] }],
      [{ password: 'Senha123' }, { password: expect.any(Array) }],
    ]) {
      const response = await patchOneself(user, { ...body, ...wrong })
      expect([response.status, response.body.errors]).toEqual([422, errors])
    }
    expect(await failuresOf(user.email)).toBe(0)
  })

  it('reports that it is missing beside every other failing field', async () => {
    const user = await newAdministrator()
    const { errors } = (await patchOneself(user, { email: 'x', phone: 1 })).body
    expect(Object.keys(errors).toSorted()).toEqual(['current_password', 'email', 'phone'])
  })

  it('removes a CPF with it, forgets no failed login and ends no session', async () => {
    const user = await newAdministrator()
    const cpf = await giveCpf(user.id)
    await fail(cpf)
    const token = await tokenFor(user)
    expect((await patchOneself(user, { cpf: null })).body.errors).toEqual(MISSING)
    const removed = await patchOneself(user, { cpf: null, current_password: PASSWORD })
    expect([removed.status, removed.body.data.cpf]).toEqual([200, null])
    expect(await failuresOf(cpf)).toBe(50)
    expect((await callJson('/auth/me', { token })).status).toBe(200)
  })

  it('discloses nothing while the caller is locked out', async () => {
    const user = await newAdministrator()
    await fail(user.email, ELSEWHERE)
    for (const current_password of [PASSWORD, 'Errada2026']) {
      const { status, body, headers } = await patchOneself(user, {
        current_password,
        password: NEW,
      })
      expect([status, body]).toEqual([429, TOO_MANY])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(890)
    }
    expect((await patchOneself(user, { phone: '1' })).status).toBe(200)
  })

  it('does not look at the current password where nothing needs it', async () => {
    const [user, other] = [await newAdministrator(), await newAdministrator()]
    for (const current_password of [1, '', 'Errada2026', null, {}]) {
      // as bytes, because the document allows a text alone
      const beside = (fields: object) => {
        return new TextEncoder().encode(JSON.stringify({ ...fields, current_password }))
      }
      const same = beside({
        email: ` ${user.email.toUpperCase()} `,
        cpf: null,
        phone: '1',
      })
      expect((await patchOneself(user, same)).status).toBe(200)
      const patched = await callJson(`/administrators/${other.id}`, {
        method: 'PATCH',
        token: await tokenFor(user),
        body: beside({ email: newEmail(), password: NEW }),
      })
      expect(patched.status).toBe(200)
      const { status, body } = await patchOneself(user, beside({}))
      expect([status, body.errors]).toEqual([
        422,
        { body: ['Informe ao menos um campo.'] },
      ])
    }
    expect(await failuresOf(user.email)).toBe(0)
  })

  it('knows oneself by an id in any case', async () => {
    const user = await newAdministrator()
    const { status, body } = await callJson(`/administrators/${user.id.toUpperCase()}`, {
      method: 'PATCH',
      token: await tokenFor(user),
      body: { password: NEW },
    })
    expect([status, body.errors]).toEqual([422, MISSING])
  })

  it('makes no address known', async () => {
    const user = await newAdministrator()
    const sent = { current_password: PASSWORD, password: NEW }
    expect((await patchOneself(user, sent)).status).toBe(200)
    await fail(user.email, ELSEWHERE)
    expect((await login(user.email, NEW)).status).toBe(429)
  })
})

describe('a password that came by a link', () => {
  /** An administrator whose password came by a link, or not. */
  async function newOwner(way: 'link' | 'office') {
    const user = await newAdministrator()
    if (way === 'office') return { ...user, password: PASSWORD }
    const reset = { token: await newLinkToken(user.id), password: NEW }
    await callJson('/auth/password/reset', { body: reset })
    return { ...user, password: NEW }
  }

  const patchByOffice = async ({ id }: Administrator, body: object) =>
    callJson(`/administrators/${id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body,
    })

  it.each([
    ['link', 'oneself', 1],
    ['office', 'oneself', 0],
    ['link', 'another administrator', 0],
  ] as const)(
    'from %s, then changed by %s, ends with the email: %i',
    async (way, by, byLink) => {
      const user = await newOwner(way)
      const sent = { password: 'Terceira2026', current_password: user.password }
      const { body } =
        by === 'oneself'
          ? await patchOneself(user, { ...sent, email: newEmail() })
          : await patchByOffice(user, sent)
      expect(body.data.has_password).toBe(true)
      expect(await storedUser(user.id)).toMatchObject({ password_by_link: byLink })
      const corrected = await patchByOffice(user, { email: newEmail() })
      expect(corrected.body.data.has_password).toBe(byLink === 0)
    },
  )
})
