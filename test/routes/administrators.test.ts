import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { ELSEWHERE, fail, failuresOf } from '../support/failed-logins.ts'
import {
  beforeRoundTrips,
  type Call,
  callJson,
  newLogin,
  PASSWORD,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { send as sendAny } from '../support/processes.ts'
import { storedRows } from '../support/stored.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const send = (method: string, to: string, body?: unknown, options?: Call) =>
  sendAny(method, `/administrators${to}`, body, options)
const create = async (fields = {}) => {
  const body = { first_name: 'Rita', email: newEmail(), ...fields }
  const created = await send('POST', '', body)
  expect(created.status).toBe(201)
  return created.body.data
}

// what holds for informers too is in test/http/user-changes.test.ts and test/http/resource.test.ts
describe('POST /v1/administrators', () => {
  it('creates an administrator, who must set a password by an emailed link', async () => {
    const fields = { first_name: 'Rita', last_name: 'de Prado', email: newEmail() }
    const { status, body } = await send('POST', '', fields)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      data: {
        ...fields,
        full_name: 'Rita de Prado',
        initials: 'RP',
        cpf: null,
        phone: null,
        img_url: null,
        role: { id: 2, name: 'Administrador', slug: 'administrator' },
        is_email_verified: false,
        has_password: false,
      },
      email_verification_required: true,
    })
    expect(await storedUser(body.data.id)).toMatchObject({
      email_verification_required: 1,
    })
    const queued = await env.DB.prepare('select kind from email_outbox where email = ?')
      .bind(fields.email)
      .first('kind')
    expect(queued).toBe('verification')
  })

  it('creates one with a password, able to log in and to create', async () => {
    const email = newEmail()
    const { body } = await send('POST', '', {
      first_name: 'Rita',
      email: email.toUpperCase(),
      password: PASSWORD,
      group_id: UNKNOWN_ID, // which only informers have
      require_email_verification: true,
    })
    expect([body.email_verification_required, body.data.has_password]).toEqual([
      false,
      true,
    ])
    const login = await callJson('/auth/login', { body: { email, password: PASSWORD } })
    const token = login.body.data.access_token
    const other = { first_name: 'Rui', email: newEmail() }
    expect((await send('POST', '', other, { token })).status).toBe(201)
  })

  it.each(['true', 'false'])(
    'with a password requires a confirmed email as REQUIRE_EMAIL_VERIFICATION says: %s',
    async (setting) => {
      const env = { REQUIRE_EMAIL_VERIFICATION: setting }
      const body = { first_name: 'Rita', email: newEmail(), password: PASSWORD }
      const created = await send('POST', '', body, { env })
      expect(created.body.email_verification_required).toBe(setting === 'true')
    },
  )
})

it.each([
  ['POST', {}],
  ['POST', { first_name: '', email: null }],
  ['PATCH', { first_name: null, email: null }],
])('%s of an administrator requires a name and an email: %j', async (method, fields) => {
  const to = method === 'POST' ? '' : `/${(await create()).id}`
  const { status, body } = await send(method, to, fields)
  expect([status, body.errors]).toEqual([
    422,
    {
      first_name: ['O campo nome é obrigatório.'],
      email: ['O campo email é obrigatório.'],
    },
  ])
})

it('GET /v1/administrators pages and searches administrators only, by name', async () => {
  const [bia, ada] = [
    await create({ first_name: 'Bía', last_name: 'Única' }),
    await create({ first_name: 'Ada', last_name: 'Única' }),
  ]
  const found = await send('GET', '?search=unica&per_page=1')
  expect(found.body.data).toEqual([ada])
  expect(found.body.pagination).toMatchObject({ total: 2, last_page: 2 })
  expect((await send('GET', `?search=${bia.email}`)).body.data).toEqual([bia])
  expect((await send('GET', '?search=ana@example.org')).body.data).toEqual([])
})

it('PATCH /v1/administrators/{administrator} changes what is sent, and knows no references', async () => {
  const before = await create({ phone: '1' })
  const to = `/${before.id}`
  const { status, body } = await send('PATCH', to, { last_name: 'Reis', phone: null })
  expect([status, body.data]).toEqual([
    200,
    {
      ...before,
      last_name: 'Reis',
      full_name: 'Rita Reis',
      initials: 'RR',
      phone: null,
      updated_at: expect.any(String),
    },
  ])
  expect((await send('GET', to.toUpperCase())).body.data).toEqual(body.data)
  expect((await send('PATCH', to, { category_id: 1 })).body.errors).toEqual({
    body: ['Informe ao menos um campo.'],
  })
})

describe('DELETE /v1/administrators/{administrator}', () => {
  type Person = { id: string; token: string; email: string }

  async function newAdministrator(): Promise<Person> {
    const user = await newLogin({ role: 'administrator' })
    return { ...user, token: await tokenOfNew(user) }
  }

  const remove = (subject: Person, { token }: Person, bindings = {}) =>
    send('DELETE', `/${subject.id}`, undefined, { token, env: bindings })

  const areLeft = async (people: Person[]) => {
    const rows = await Promise.all(people.map(({ id }) => storedUser(id)))
    return rows.map((row) => row !== null)
  }

  /** All rows but the attempt of the proof. */
  async function rowsButAttempts() {
    const { failed_logins: _, ...rows } = await storedRows()
    return rows
  }

  /** What is held of a person beside their row. */
  async function holdEverything({ id, email }: Person): Promise<void> {
    await callJson('/auth/password/forgot', { body: { email } })
    await fail(email, ELSEWHERE, 1, 3)
    await env.DB.batch([
      env.DB.prepare(
        `insert into email_tokens (token_hash, user_id, kind, expires_at)
         values (?1, ?1, 'password_reset', '9999')`,
      ).bind(id),
      env.DB.prepare(
        `insert into known_addresses (identifier, address)
         select identifier, address from failed_logins limit 1`,
      ),
    ])
  }

  it('refuses oneself', async () => {
    const user = await newAdministrator()
    const { status, body } = await remove(user, user)
    expect([status, body]).toEqual([
      409,
      { success: false, message: 'Um administrador não pode excluir a si mesmo.' },
    ])
    expect(await areLeft([user])).toEqual([true])
  })

  it('of two who delete each other leaves the faster one, with everything that is held of them', async () => {
    const [slow, fast] = [await newAdministrator(), await newAdministrator()]
    await holdEverything(fast)

    let before = {}
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 4) return // after guard and proof, and the reading of whom to delete
      expect((await remove(slow, fast)).status).toBe(200)
      before = await rowsButAttempts()
    })
    const { status, body } = await remove(fast, slow, { DB })
    expect([status, body]).toEqual([401, { success: false, message: 'Token inválido' }])
    expect(await rowsButAttempts()).toEqual(before)
    expect(await areLeft([slow, fast])).toEqual([false, true])
  })

  it.each([2, 3, 4])(
    'of %i who delete each other leaves one at least, whoever is faster',
    async (count) => {
      for (let round = 0; round < 6; round++) {
        const people = await Promise.all(Array.from({ length: count }, newAdministrator))
        const responses = await Promise.all(
          people.map((person, index) =>
            remove(people[(index + 1) % count] ?? person, person),
          ),
        )
        const left = (await areLeft(people)).filter(Boolean)
        const deleted = responses.filter(({ status }) => status === 200)
        expect(left.length).toBeGreaterThan(0)
        expect(deleted).toHaveLength(count - left.length)
        for (const { status } of responses) expect([200, 401]).toContain(status)
      }
    },
  )

  it('that comes too late takes nothing from somebody who has the email by now', async () => {
    const email = newEmail()
    const former = `/${(await create({ email })).id}`
    let successor = ''
    let before = {}
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 4) return
      expect((await send('DELETE', former)).status).toBe(200)
      successor = (await create({ email })).id
      await fail(email, ELSEWHERE, 1, 50)
      before = await rowsButAttempts()
    })
    const { status } = await send('DELETE', former, undefined, { env: { DB } })
    expect(status).toBe(404)
    expect(await rowsButAttempts()).toEqual(before)
    expect(await failuresOf(email)).toBe(50)
    expect(await auditedActions(successor)).toEqual(['administrator.created'])
  })
})
