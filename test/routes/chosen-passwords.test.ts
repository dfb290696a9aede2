import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { failuresOf } from '../support/failed-logins.ts'
import {
  administratorToken,
  callJson,
  newUser,
  PASSWORD,
  tokenFor,
} from '../support/helper.ts'
import { DEMO_PASSWORD_HASH } from '../support/password-cost.ts'
import { storedUser } from '../support/users.ts'
import type { EmailKind } from '#database/schema.ts'
import type { RoleSlug } from '#domain/roles.ts'
import { digest } from '#security/hashes.ts'

const GUESSABLE = { password: ['Esta senha é fácil de adivinhar: escolha outra.'] }
const CLASSES =
  'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'
const NAMES = { first_name: 'Teresa', last_name: 'd’Ávila Gonçalves Sá' }
const NEW = 'Outra2026'

/** Of letters and digits, because a password repeats it. */
const newLocalPart = () => `local${crypto.randomUUID().slice(0, 8)}`

type Person = { id: string; role: RoleSlug; email: string; localPart: string }

async function newPerson(role: RoleSlug, hash: string | null = null): Promise<Person> {
  const localPart = newLocalPart()
  const email = `${localPart}@example.org`
  const columns = { ...NAMES, email, password_hash: hash }
  const user = await newUser(role, crypto.randomUUID(), columns)
  return { ...user, email, localPart }
}

async function newLink(kind: EmailKind, userId: string): Promise<string> {
  const token = crypto.randomUUID()
  await env.DB.prepare(
    "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, ?, '9999')",
  )
    .bind(await digest(token), userId, kind)
    .run()
  return token
}

const verify = (body: object) => callJson('/auth/email/verify', { body })
const reset = (body: object) => callJson('/auth/password/reset', { body })
const change = (token: string, body: object) =>
  callJson('/auth/password', { method: 'PUT', token, body })
const patch = async (path: string, body: object) =>
  callJson(path, { method: 'PATCH', token: await administratorToken(), body })
const post = async (path: string, body: object, headers = {}) =>
  callJson(path, { token: await administratorToken(), body, headers })

/** A way to choose a password, of a person of the names above, as often as is asked. */
type Way = () => Promise<{
  localPart: string
  send: (password: string) => ReturnType<typeof callJson>
  /** What is stored of the password. */
  stored: () => Promise<unknown>
}>

const wayOf =
  (
    role: RoleSlug,
    hash: string | null,
    sender: (
      person: Person,
    ) => Promise<(password: string) => ReturnType<typeof callJson>>,
  ): Way =>
  async () => {
    const person = await newPerson(role, hash)
    const stored = async () => (await storedUser(person.id))?.password_hash
    return { localPart: person.localPart, send: await sender(person), stored }
  }

const byVerification = async ({ id }: Person) => {
  const token = await newLink('verification', id)
  return (password: string) => verify({ token, password })
}
const byReset = async ({ id }: Person) => {
  const token = await newLink('password_reset', id)
  return (password: string) => reset({ token, password })
}
const byChange = async (person: Person) => {
  const token = await tokenFor(person)
  return (password: string) => change(token, { current_password: PASSWORD, password })
}

const WAYS: Record<string, Way> = {
  'POST /v1/auth/email/verify of an informer': wayOf('informer', null, byVerification),
  'POST /v1/auth/email/verify of an administrator': wayOf(
    'administrator',
    null,
    byVerification,
  ),
  'POST /v1/auth/password/reset of an informer': wayOf('informer', null, byReset),
  'POST /v1/auth/password/reset of an administrator': wayOf(
    'administrator',
    null,
    byReset,
  ),
  'PUT /v1/auth/password of an informer': wayOf('informer', DEMO_PASSWORD_HASH, byChange),
  'PUT /v1/auth/password of an administrator': wayOf(
    'administrator',
    DEMO_PASSWORD_HASH,
    byChange,
  ),
  'PATCH /v1/administrators/{administrator}': wayOf(
    'administrator',
    null,
    async ({ id }) =>
      (password) =>
        patch(`/administrators/${id}`, { password }),
  ),
  'POST /v1/administrators': async () => {
    const localPart = newLocalPart()
    const email = `${localPart}@example.org`
    const count = env.DB.prepare('select count(*) as n from users where email = ?')
    return {
      localPart,
      send: (password) => post('/administrators', { ...NAMES, email, password }),
      stored: () => count.bind(email).first('n'),
    }
  },
}

describe.each(Object.entries(WAYS))('%s', (_, newWay) => {
  it.each([
    ['a common password', () => 'Senha123'],
    ['one in another case and with accents', () => 'SÊNHa123'],
    ['the first name', () => 'Teresa2026'],
    ['a word of the last name', () => '2026GONCALves'],
    ['a part of a word of the last name', () => 'Avila2026'],
    ['the email before the @', (localPart: string) => `X${localPart.toUpperCase()}x`],
  ])('refuses %s, and takes another one', async (_title, passwordOf) => {
    const { localPart, send, stored } = await newWay()
    const before = await stored()
    const { status, body } = await send(passwordOf(localPart))
    expect([status, body.errors]).toEqual([422, GUESSABLE])
    expect(await stored()).toEqual(before)

    expect([200, 201]).toContain((await send(NEW)).status)
    expect(await stored()).not.toEqual(before)
  })

  it('takes one with a short word of the name', async () => {
    const { send } = await newWay()
    expect([200, 201]).toContain((await send('Sa2026xyz')).status)
  })

  it('says of what breaks the rules only this', async () => {
    const { send } = await newWay()
    const { status, body } = await send('senha123')
    expect([status, body.errors]).toEqual([422, { password: [CLASSES] }])
  })
})

describe('PATCH /v1/administrators/{administrator}', () => {
  it('goes by the name and the email as they are after it', async () => {
    const { id } = await newPerson('administrator')
    const [localPart, path] = [newLocalPart(), `/administrators/${id}`]
    const renamed = { first_name: 'Helena', email: `${localPart}@example.org` }
    for (const password of ['Helena2026', `A${localPart}1`, 'Goncalves2026']) {
      const { status, body } = await patch(path, { ...renamed, password })
      expect([status, body.errors]).toEqual([422, GUESSABLE])
    }
    expect((await patch(path, { ...renamed, password: 'Teresa2026' })).status).toBe(200)
  })

  it('goes by no last name that it takes away', async () => {
    const { id } = await newPerson('administrator')
    const body = { last_name: null, password: 'Goncalves2026' }
    expect((await patch(`/administrators/${id}`, body)).status).toBe(200)
  })

  it('tells everything in one 422', async () => {
    const { id } = await newPerson('administrator')
    const fields = { email: 'admin@example.org', phone: 1, password: 'Teresa2026' }
    const { status, body } = await patch(`/administrators/${id}`, fields)
    expect([status, Object.keys(body.errors).sort()]).toEqual([
      422,
      ['email', 'password', 'phone'],
    ])
    expect(body.errors).toMatchObject(GUESSABLE)
  })

  it('takes a change without a password, whatever the present one is', async () => {
    const { id } = await newPerson('administrator', DEMO_PASSWORD_HASH)
    const changes = { first_name: 'Provisao' }
    expect((await patch(`/administrators/${id}`, changes)).status).toBe(200)
  })
})

it('POST /v1/administrators with a known Idempotency-Key does not look at the password', async () => {
  const fields = { ...NAMES, email: `${newLocalPart()}@example.org` }
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const send = (password: string) =>
    post('/administrators', { ...fields, password }, headers)
  expect((await send(NEW)).status).toBe(201)
  expect((await send('Senha123')).status).toBe(201)
})

it.each(['Senha123', 'Teresa2026'])(
  'an administrator may give %s to an informer',
  async (password) => {
    const created = await post('/informers', { ...NAMES, password })
    expect(created.status).toBe(201)
    const { id } = await newPerson('informer')
    expect((await patch(`/informers/${id}`, { password })).status).toBe(200)
  },
)

describe('a link', () => {
  it('of confirmation says of a password that is set already only this', async () => {
    const { id } = await newPerson('informer', DEMO_PASSWORD_HASH)
    const token = await newLink('verification', id)
    const { status, body } = await verify({ token, password: 'Senha123' })
    expect([status, body.errors]).toEqual([
      422,
      { password: ['A senha já está definida.'] },
    ])
  })

  it.each([
    ['confirmação', verify],
    ['redefinição', reset],
  ])('of %s that is unknown is told beside a common password', async (kind, send) => {
    const { status, body } = await send({ token: 'x', password: 'Senha123' })
    const token = [`O link de ${kind} é inválido ou expirou.`]
    expect([status, body.errors]).toEqual([422, { token, ...GUESSABLE }])
    const missing = await send({ password: 'Senha123' })
    expect(missing.body.errors).toMatchObject(GUESSABLE)
  })
})

describe('PUT /v1/auth/password with a password that is easy to guess', () => {
  it('also tells that the present one is wrong, which is a failed login', async () => {
    const person = await newPerson('informer', DEMO_PASSWORD_HASH)
    const passwords = { current_password: 'Errada2026', password: 'Senha123' }
    const { status, body } = await change(await tokenFor(person), passwords)
    const current_password = ['A senha atual está incorreta.']
    expect([status, body.errors]).toEqual([422, { current_password, ...GUESSABLE }])
    expect(await failuresOf(person.email)).toBe(1)
  })

  it('is no failed login with the right one', async () => {
    const person = await newPerson('informer', DEMO_PASSWORD_HASH)
    const passwords = { current_password: PASSWORD, password: 'Senha123' }
    const { status } = await change(await tokenFor(person), passwords)
    expect([status, await failuresOf(person.email)]).toEqual([422, 0])
  })

  it('is told without the present one, too', async () => {
    const person = await newPerson('informer', DEMO_PASSWORD_HASH)
    const { body } = await change(await tokenFor(person), { password: 'Senha123' })
    expect(body.errors).toEqual({
      current_password: ['O campo senha atual é obrigatório.'],
      ...GUESSABLE,
    })
  })
})
