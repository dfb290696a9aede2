import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import {
  administratorToken,
  callJson,
  counting,
  newUser,
  PASSWORD,
  tokenOf,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { create, patch, read } from '../support/informers.ts'
import { auditedActions, storedUser } from '../support/users.ts'

/** CPFs with valid check digits. */
const CPFS = ['52998224725', '39053344705', '86288366757', '12345678909']

/** What an informer has beside the data of the creation. */
const BESIDE = { is_email_verified: false, has_password: false, processes_groups: [] }

describe('PATCH /v1/informers/{informer}', () => {
  it('changes what is sent, and nothing else', async () => {
    const before = await create({
      last_name: 'Silva',
      email: newEmail(),
      phone: '1',
      category_id: 2,
      diocese_id: 3,
      treatment_pronoun_id: 1,
      img_url: 'https://example.org/a.png',
    })
    const { body } = await patch(before.id.toUpperCase(), {
      last_name: "  D'A\u0301vila ",
      diocese_id: 4,
      group_id: crypto.randomUUID(),
      unknown: 1,
    })
    expect(body.data).toEqual({
      ...before,
      last_name: "D'Ávila",
      full_name: "João D'Ávila",
      initials: 'JÁ',
      diocese: expect.objectContaining({ id: 4 }),
      updated_at: expect.any(String),
      ...BESIDE,
    })
    expect(body.data.updated_at > before.updated_at).toBe(true)
    expect(await read(before.id)).toEqual(body.data)
    expect((await storedUser(before.id))?.name_folded).toBe("joao d'avila")
  })

  it('clears optional fields with null (RFC 7396)', async () => {
    const fields = {
      last_name: 'Silva',
      email: newEmail(),
      password: PASSWORD,
      phone: '1',
      category_id: 2,
      diocese_id: 3,
      treatment_pronoun_id: 1,
      cpf: CPFS[0],
      img_url: 'https://example.org/a.png',
    }
    const { id } = await create(fields)
    const { status, body } = await patch(id, {
      ...Object.fromEntries(Object.keys(fields).map((field) => [field, null])),
      phone: '',
    })
    expect([status, body.data.full_name, body.data.initials]).toEqual([200, 'João', 'J'])
    for (const field of Object.keys(fields).filter((field) => field !== 'password')) {
      expect([field, body.data[field.replace('_id', '')]]).toEqual([field, null])
    }
    expect((await storedUser(id))?.password_hash).toBeNull()
  })

  it.each([
    [
      'first_name',
      ['', ' ', '\u200b', 7, [], 'x'.repeat(101), 'Jo\u0000ão', 'Jo\u2028ão'],
    ],
    ['last_name', [7, 'x'.repeat(151), 'Sil\u0007va']],
    [
      'email',
      ['', 'joao', 7, 'ana@example.org', ' ANA@example.org', `${'a'.repeat(250)}@x.org`],
    ],
    ['password', ['', 'abc', 'abcdef1', 1234567, `Aa1${'x'.repeat(126)}`]],
    ['cpf', ['', '5299822472', '52998224724', 52998224725]],
    ['phone', [7, '1'.repeat(31)]],
    ['category_id', [9999, 0, 1.5, '1', '']],
    ['diocese_id', [9999, {}]],
    ['treatment_pronoun_id', [9999, true]],
    ['img_url', ['', 'x', 'javascript:alert(1)']],
  ])('rejects a bad %s with the messages of creation', async (field, values) => {
    const { id } = await create()
    for (const value of values) {
      const created = await callJson('/informers', {
        token: await administratorToken(),
        body: { first_name: 'João', [field]: value },
      })
      const { status, body } = await patch(id, { [field]: value })
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
      expect(body).toEqual(created.body)
    }
  })

  it('rejects a body of fields that only a creation has', async () => {
    const { id } = await create()
    const response = await patch(id, {
      group_id: UNKNOWN_ID,
      require_email_verification: true,
    })
    expect([response.status, response.body.errors]).toEqual([
      422,
      { body: ['Informe ao menos um campo.'] },
    ])
  })

  it('reports format, uniqueness and references in one 422, and changes nothing', async () => {
    const before = await create()
    await create({ cpf: CPFS[1] })
    const bad = {
      email: 'ana@example.org',
      cpf: CPFS[1],
      category_id: 9999,
      diocese_id: 9999,
    }
    for (const [body, fields] of [
      [
        { ...bad, phone: 7, first_name: null },
        [...Object.keys(bad), 'phone', 'first_name'],
      ],
      [{ ...bad, phone: '7' }, Object.keys(bad)],
    ] as const) {
      const response = await patch(before.id, body)
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors).sort()).toEqual([...fields].sort())
    }
    expect(await read(before.id)).toEqual({ ...before, ...BESIDE })
  })

  it('accepts what the informer has already, and then changes nothing', async () => {
    const email = newEmail()
    const before = await create({ last_name: 'Silva', email, cpf: CPFS[2] })
    const { status, body } = await patch(before.id, {
      first_name: 'João',
      last_name: 'Silva',
      email: email.toUpperCase(),
      cpf: CPFS[2],
      phone: null,
    })
    expect([status, body.data]).toEqual([200, { ...before, ...BESIDE }])
    expect(await auditedActions(before.id)).toEqual(['informer.created'])
  })

  it('records a change that changes something, and no rejected one', async () => {
    const { id } = await create()
    await patch(id, { phone: '1' })
    await patch(id, { phone: '2', email: 'ana@example.org' })
    await env.DB.prepare(
      'update users set email_verification_required = true where id = ?',
    )
      .bind(id)
      .run()
    await patch(id, { email: newEmail() })
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      'informer.updated',
      'informer.updated',
    ])
  })

  it('responds 404 for an administrator, and changes nothing', async () => {
    const { id } = await newUser('administrator')
    expect((await patch(id, { first_name: 'João' })).status).toBe(404)
    expect((await storedUser(id))?.first_name).toBe('Teste')
  })

  it('checks the caller, then the body, then the informer', async () => {
    const id = crypto.randomUUID()
    const informer = await tokenOf('ana@example.org')
    const broken = { body: '{', headers: { 'Content-Type': 'text/plain' } }
    expect((await patch(id, '{', { ...broken, token: undefined })).status).toBe(401)
    expect((await patch(id, '{', { ...broken, token: informer })).status).toBe(403)
    expect((await patch(id, 'x'.repeat(70_000))).status).toBe(413)
    expect((await patch(id, '{', broken)).status).toBe(415)
    expect((await patch(id, '{')).status).toBe(400)
    expect((await patch(id, { first_name: '' })).status).toBe(422)
    expect((await patch(id, { first_name: 'A' })).status).toBe(404)
  })

  it('needs four round trips at most', async () => {
    const { id } = await create({ email: newEmail() })
    for (const [who, body, expected, roundTrips] of [
      [id, { first_name: 'Ana' }, 200, 3],
      [id, { last_name: 'Souza', email: newEmail(), cpf: CPFS[3] }, 200, 4],
      [id, { first_name: 'Ana' }, 200, 2], // which changes nothing
      [id, { email: 'ana@example.org' }, 422, 2],
      [id, { email: 'x' }, 422, 1],
    ] as const) {
      const { binding, count } = counting()
      expect((await patch(who, body, { env: { DB: binding } })).status).toBe(expected)
      expect(count.roundTrips).toBe(roundTrips)
      expect(count.rowsRead).toBeLessThan(40)
    }
  })
})
