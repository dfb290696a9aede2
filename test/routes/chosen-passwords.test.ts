import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newLinkToken } from '../support/emails.ts'
import { failuresOf, WRONG_PASSWORD } from '../support/failed-logins.ts'
import { callJson, newLogin, newUser, PASSWORD, tokenFor } from '../support/helper.ts'
import { DEMO_PASSWORD_HASH } from '../support/password-cost.ts'
import { send } from '../support/processes.ts'
import { storedUser } from '../support/users.ts'
import type { EmailKind } from '#database/schema/emails.ts'
import type { RoleSlug } from '#domain/roles.ts'

const NEW = 'Outra2026'
const NAMES = { first_name: 'Teresa', last_name: 'd’Ávila Gonçalves Sá' }

const GUESSABLE = { password: ['Esta senha é fácil de adivinhar: escolha outra.'] }
const CLASSES =
  'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'
const WRONG_IS_TOLD = { current_password: ['A senha atual está incorreta.'] }
const REQUIRED = { current_password: ['O campo senha atual é obrigatório.'] }

const verify = (body: object) => callJson('/auth/email/verify', { body })
const reset = (body: object) => callJson('/auth/password/reset', { body })
const change = (token: string, body: object) =>
  callJson('/auth/password', { method: 'PUT', token, body })

/** Of letters and digits, because a password repeats it. */
const newLocalPart = () => `local${crypto.randomUUID().slice(0, 8)}`

/** A new person of the names above. */
async function newPerson(role: RoleSlug, hash: string | null = null) {
  const localPart = newLocalPart()
  const columns = { ...NAMES, email: `${localPart}@example.org`, password_hash: hash }
  const user = await newUser(role, crypto.randomUUID(), columns)
  const stored = async () => (await storedUser(user.id))?.password_hash
  return { ...user, localPart, stored }
}

describe('PUT /v1/auth/password', () => {
  it('changes the password, ends every session and gives a new token', async () => {
    const user = await newLogin({ role: 'administrator' })
    const former = await tokenFor(user)
    const { status, body } = await change(former, {
      current_password: PASSWORD,
      password: NEW,
    })
    expect([status, await failuresOf(user.email)]).toEqual([200, 0])
    const login = (password: string) =>
      callJson('/auth/login', { body: { email: user.email, password } })
    const { data } = (await login(NEW)).body
    expect(body).toEqual({
      success: true,
      message: 'Senha alterada com sucesso.',
      data: { ...data, access_token: expect.any(String) },
    })
    expect((await login(PASSWORD)).status).toBe(401)
    for (const [token, seen] of [
      [former, 401],
      [body.data.access_token, 200],
      [data.access_token, 200],
    ]) {
      expect((await callJson('/auth/me', { token })).status).toBe(seen)
    }
    expect(await storedUser(user.id)).toMatchObject({ token_version: 2 })
  })

  it.each([
    [WRONG_PASSWORD, NEW, WRONG_IS_TOLD, 1],
    [WRONG_PASSWORD, 'Senha123', GUESSABLE, 0],
    [WRONG_PASSWORD, 'senha123', { password: [CLASSES] }, 0],
    [PASSWORD, 'senha123', { password: [CLASSES] }, 0],
    [PASSWORD, 'Senha123', GUESSABLE, 0],
    ['', 'Senha123', { ...REQUIRED, ...GUESSABLE }, 0],
    [
      undefined,
      undefined,
      { ...REQUIRED, password: ['O campo senha é obrigatório.'] },
      0,
    ],
    [1, NEW, { current_password: ['O campo senha atual deve ser um texto.'] }, 0],
  ])(
    'rejects %j with %j as %j, and counts %i failed logins',
    async (current_password, password, errors, failures) => {
      const user = await newLogin()
      const { status, body } = await change(await tokenFor(user), {
        current_password,
        password,
      })
      expect([status, body.errors]).toEqual([422, errors])
      expect(await failuresOf(user.email)).toBe(failures)
      expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
    },
  )
})

type Sender = (password: string) => ReturnType<typeof callJson>

/** A way to choose a password of a person of the names above, and what is stored of it. */
type Way = () => Promise<{
  localPart: string
  choose: Sender
  stored: () => Promise<unknown>
}>

const byLink =
  (kind: EmailKind, use: (body: object) => ReturnType<typeof callJson>): Way =>
  async () => {
    const person = await newPerson('informer')
    const token = await newLinkToken(person.id, kind)
    return { ...person, choose: (password) => use({ token, password }) }
  }

const WAYS: Record<string, Way> = {
  'POST /v1/auth/email/verify': byLink('verification', verify),
  'POST /v1/auth/password/reset': byLink('password_reset', reset),
  'PUT /v1/auth/password': async () => {
    const person = await newPerson('informer', DEMO_PASSWORD_HASH)
    const token = await tokenFor(person)
    const current_password = PASSWORD
    return {
      ...person,
      choose: (password) => change(token, { current_password, password }),
    }
  },
  'PATCH /v1/administrators/{administrator}': async () => {
    const person = await newPerson('administrator')
    const path = `/administrators/${person.id}`
    return { ...person, choose: (password) => send('PATCH', path, { password }) }
  },
  'POST /v1/administrators': async () => {
    const localPart = newLocalPart()
    const email = `${localPart}@example.org`
    const created = env.DB.prepare('select count(*) as n from users where email = ?')
    return {
      localPart,
      choose: (password) =>
        send('POST', '/administrators', { ...NAMES, email, password }),
      stored: () => created.bind(email).first('n'),
    }
  },
}

it.each(Object.entries(WAYS))(
  '%s refuses a password that is easy to guess, and takes another one',
  async (_, newWay) => {
    const { localPart, choose, stored } = await newWay()
    const before = await stored()
    for (const password of [
      'Senha123', // common
      'Teresa2026',
      '2026GONCALves',
      `X${localPart.toUpperCase()}x`,
    ]) {
      const { status, body } = await choose(password)
      expect([password, status, body.errors]).toEqual([password, 422, GUESSABLE])
    }
    expect((await choose('senha123')).body.errors).toEqual({ password: [CLASSES] })
    expect(await stored()).toEqual(before)

    expect([200, 201]).toContain((await choose(NEW)).status)
    expect(await stored()).not.toEqual(before)
  },
)

describe('PATCH /v1/administrators/{administrator}', () => {
  it('compares a password with the name and the email that it leaves', async () => {
    const { id } = await newPerson('administrator')
    const [localPart, path] = [newLocalPart(), `/administrators/${id}`]
    const renamed = { first_name: 'Helena', email: `${localPart}@example.org` }
    for (const password of ['Helena2026', `A${localPart}1`, 'Goncalves2026']) {
      const { status, body } = await send('PATCH', path, { ...renamed, password })
      expect([status, body.errors]).toEqual([422, GUESSABLE])
    }
    const former = { ...renamed, last_name: null, password: 'Goncalves2026' }
    expect((await send('PATCH', path, former)).status).toBe(200)
  })

  it('reports a guessable password with every other failing field', async () => {
    const { id } = await newPerson('administrator')
    const fields = { email: 'admin@example.org', phone: 1, password: 'Teresa2026' }
    const { body } = await send('PATCH', `/administrators/${id}`, fields)
    expect(Object.keys(body.errors).sort()).toEqual(['email', 'password', 'phone'])
    expect(body.errors).toMatchObject(GUESSABLE)
  })

  it('without a password takes a name that the present one contains', async () => {
    const { id } = await newPerson('administrator', DEMO_PASSWORD_HASH)
    const renamed = { first_name: 'Provisao' }
    expect((await send('PATCH', `/administrators/${id}`, renamed)).status).toBe(200)
  })
})

it('POST /v1/administrators with a known Idempotency-Key does not look at the password', async () => {
  const fields = { ...NAMES, email: `${newLocalPart()}@example.org` }
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  for (const password of [NEW, 'Senha123']) {
    const body = { ...fields, password }
    expect((await send('POST', '/administrators', body, { headers })).status).toBe(201)
  }
})

it.each(['Senha123', 'Teresa2026'])(
  'an administrator may give %s to an informer',
  async (password) => {
    const created = await send('POST', '/informers', { ...NAMES, password })
    expect(created.status).toBe(201)
    const { id } = await newPerson('informer')
    expect((await send('PATCH', `/informers/${id}`, { password })).status).toBe(200)
  },
)

describe('a link', () => {
  it('of confirmation says of a password that is set already only this', async () => {
    const { id } = await newPerson('informer', DEMO_PASSWORD_HASH)
    const token = await newLinkToken(id, 'verification')
    const { status, body } = await verify({ token, password: 'Senha123' })
    const password = ['A senha já está definida.']
    expect([status, body.errors]).toEqual([422, { password }])
  })

  it.each([
    ['confirmação', verify],
    ['redefinição', reset],
  ])('of %s that is unknown is told before a common password', async (kind, use) => {
    const { status, body } = await use({ token: 'x', password: 'Senha123' })
    const token = [`O link de ${kind} é inválido ou expirou.`]
    expect([status, body.errors]).toEqual([422, { token }])
  })
})
