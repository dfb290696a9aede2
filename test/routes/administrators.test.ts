import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  newUser,
  PASSWORD,
  runAfterTest,
  tokenFor,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const NOT_FOUND = { success: false, message: 'Administrador não encontrado.' }

const send = async (method: string, id: string | null, body?: unknown, options = {}) =>
  callJson(id === null ? '/administrators' : `/administrators/${id}`, {
    method,
    token: await administratorToken(),
    ...(body === undefined ? {} : { body }),
    ...options,
  })
const create = async (fields = {}) => {
  const { status, body } = await send('POST', null, {
    first_name: 'Rita',
    email: newEmail(),
    ...fields,
  })
  expect(status).toBe(201)
  return body.data
}

describe('POST /v1/administrators', () => {
  it('creates an administrator, who must set a password by an emailed link', async () => {
    const email = newEmail()
    // what is not sent stays in the outbox
    const EMAIL = { send: () => Promise.reject(new Error('down')) }
    const fields = { first_name: 'Rita', last_name: 'de Prado', email }
    const { status, body } = await send('POST', null, fields, { env: { EMAIL } })
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
    expect(
      await env.DB.prepare('select kind from email_outbox where email = ?')
        .bind(email)
        .first('kind'),
    ).toBe('verification')
  })

  it('creates one with a password, able to log in and to create', async () => {
    const email = newEmail()
    const { body } = await send('POST', null, {
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
    expect(
      (await send('POST', null, { first_name: 'Rui', email: newEmail() }, { token }))
        .status,
    ).toBe(201)
  })

  it.each([{}, { first_name: '', email: null }])(
    'requires a name and an email: %j',
    async (fields) => {
      const { status, body } = await send('POST', null, fields)
      expect([status, body.errors]).toEqual([
        422,
        {
          first_name: ['O campo nome é obrigatório.'],
          email: ['O campo email é obrigatório.'],
        },
      ])
    },
  )
})

describe('GET /v1/administrators', () => {
  it('pages and searches administrators only, by name', async () => {
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

  it('GET of one is 404 for an informer, and changes none', async () => {
    const { id } = await create()
    expect((await send('GET', id.toUpperCase())).body.data.id).toBe(id)
    const informer = await newUser('informer')
    for (const [method, body] of [
      ['GET'],
      ['PATCH', { phone: '1' }],
      ['DELETE'],
    ] as const) {
      const response = await send(method, informer.id, body)
      expect([response.status, response.body]).toEqual([404, NOT_FOUND])
    }
    expect((await storedUser(informer.id))?.phone).toBeNull()
  })
})

describe('PATCH /v1/administrators/{administrator}', () => {
  it('changes what is sent; the email cannot be missing', async () => {
    const before = await create({ phone: '1' })
    const { status, body } = await send('PATCH', before.id, {
      last_name: 'Reis',
      phone: null,
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      full_name: 'Rita Reis',
      initials: 'RR',
      phone: null,
      email: before.email,
    })
    expect(
      (await send('PATCH', before.id, { email: null, first_name: null })).body.errors,
    ).toEqual({
      email: ['O campo email é obrigatório.'],
      first_name: ['O campo nome é obrigatório.'],
    })
    expect((await send('PATCH', before.id, { category_id: 1 })).body.errors).toEqual({
      body: ['Informe ao menos um campo.'],
    })
  })
})

describe('DELETE /v1/administrators/{administrator}', () => {
  it('refuses oneself', async () => {
    const user = await newUser('administrator')
    const { status, body } = await send('DELETE', user.id, undefined, {
      token: await tokenFor(user),
    })
    expect([status, body]).toEqual([
      409,
      { success: false, message: 'Um administrador não pode excluir a si mesmo.' },
    ])
    expect(await storedUser(user.id)).not.toBeNull()
  })

  it('leaves one of the last two who delete each other at once', async () => {
    const [one, other] = [await newUser('administrator'), await newUser('administrator')]
    const token = await tokenFor(one)
    await env.DB.prepare(
      'update users set role_id = 1 where role_id = 2 and id not in (?, ?)',
    )
      .bind(one.id, other.id)
      .run()
    runAfterTest("update users set role_id = 2 where email = 'admin@example.org'")
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) {
        await env.DB.prepare('delete from users where id = ?').bind(one.id).run()
      }
    })
    const { status } = await callJson(`/administrators/${other.id}`, {
      method: 'DELETE',
      token,
      env: { DB },
    })
    expect(status).toBe(401)
    expect(await storedUser(other.id)).not.toBeNull()
    expect(await auditedActions(other.id)).toEqual([])
  })
})
