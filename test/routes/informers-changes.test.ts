import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { counting, PASSWORD } from '../support/helper.ts'
import { create, patch, read } from '../support/informers.ts'
import { storedUser } from '../support/users.ts'

/** CPFs with valid check digits. */
const CPFS = ['52998224725', '39053344705', '86288366757', '12345678909']

/** What an informer has beside the data of the creation. */
const BESIDE = { is_email_verified: false, has_password: false, processes_groups: [] }

// what holds for administrators too is in test/http/user-changes.test.ts and test/http/resource.test.ts
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

  it('reports format, uniqueness and references in one 422, and changes nothing', async () => {
    const before = await create()
    await create({ cpf: CPFS[1] })
    const bad = {
      email: 'ana@example.org',
      cpf: CPFS[1],
      category_id: 9999,
      diocese_id: 9999,
      treatment_pronoun_id: 9999,
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

  it('takes what the informer has already, and then reads alone', async () => {
    const email = newEmail()
    const before = await create({ last_name: 'Silva', email, cpf: CPFS[2] })
    const { binding, count } = counting()
    const fields = {
      first_name: ' João ',
      last_name: 'Silva',
      email: email.toUpperCase(),
      cpf: CPFS[2],
      phone: null,
    }
    const { status, body } = await patch(before.id, fields, { env: { DB: binding } })
    expect([status, body.data]).toEqual([200, { ...before, ...BESIDE }])
    // the caller, what is taken, the informer
    expect(count).toMatchObject({ roundTrips: 3, rowsWritten: 0 })
  })

  it('needs four round trips at most', async () => {
    const { id } = await create({ email: newEmail() })
    for (const [body, expected, roundTrips] of [
      [{ first_name: 'Ana' }, 200, 3],
      [{ last_name: 'Souza', email: newEmail(), cpf: CPFS[3] }, 200, 4],
      [{ first_name: 'Ana' }, 200, 2], // which changes nothing
      [{ email: 'ana@example.org' }, 422, 2],
      [{ email: 'x' }, 422, 1],
    ] as const) {
      const { binding, count } = counting()
      expect((await patch(id, body, { env: { DB: binding } })).status).toBe(expected)
      expect(count.roundTrips).toBe(roundTrips)
      expect(count.rowsRead).toBeLessThan(40)
    }
  })
})
