import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../../src/security/hashes.ts'
import {
  administratorToken,
  type Call,
  call,
  callJson,
  counting,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOf,
} from '../helper.ts'

const NOT_FOUND = { success: false, message: 'Informante não encontrado.' }

async function create(body: Record<string, unknown> = {}) {
  const token = await administratorToken()
  const created = await callJson('/informers', { token, body: { first_name: 'João', ...body } })
  expect(created.status).toBe(201)
  return created.body.data
}

const patch = async (id: string, body: unknown, options: Call = {}) =>
  callJson(`/informers/${id}`, { method: 'PATCH', token: await administratorToken(), body, ...options })

const read = async (id: string) =>
  (await callJson(`/informers/${id}`, { token: await administratorToken() })).body.data

const row = (id: string) =>
  env.DB.prepare('select * from users where id = ?').bind(id).first<Record<string, string | number | null>>()

const newEmail = () => `${crypto.randomUUID()}@example.org`

/** CPFs with valid check digits. */
const CPFS = ['52998224725', '39053344705', '86288366757', '12345678909', '11144477735', '00000000191']

describe('GET /v1/informers/{informer}', () => {
  it.each(['x', crypto.randomUUID(), '%00', '%ff', "' or 1=1 --"])('is 404 for %s', async (id) => {
    const { status, body } = await callJson(`/informers/${id}`, { token: await administratorToken() })
    expect([status, body]).toEqual([404, NOT_FOUND])
  })

  it('is 404 for an administrator', async () => {
    const { id } = await newUser('administrator')
    const { status } = await callJson(`/informers/${id}`, { token: await administratorToken() })
    expect(status).toBe(404)
  })
})

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
    const { status, body, headers } = await patch(before.id.toUpperCase(), {
      last_name: "  D'A\u0301vila ",
      diocese_id: 4,
      group_id: crypto.randomUUID(),
      unknown: 1,
    })
    expect([status, headers.get('Cache-Control'), Object.keys(body)]).toEqual([
      200,
      'no-store',
      ['success', 'data', 'message'],
    ])
    expect(body).toEqual({
      success: true,
      data: {
        ...before,
        last_name: "D'Ávila",
        full_name: "João D'Ávila",
        initials: 'JÁ',
        diocese: { id: 4, name: expect.any(String), state: expect.any(String), active: true },
        updated_at: expect.any(String),
        processes_groups: [],
      },
      message: 'Informante atualizado com sucesso.',
    })
    expect(body.data.updated_at > before.updated_at).toBe(true)
    expect(await read(before.id)).toEqual(body.data)
    expect((await row(before.id))?.name_folded).toBe("joao d'avila")
  })

  it('clears optional fields with null (RFC 7396)', async () => {
    const { id } = await create({
      last_name: 'Silva',
      email: newEmail(),
      password: PASSWORD,
      phone: '1',
      category_id: 2,
      diocese_id: 3,
      treatment_pronoun_id: 1,
      cpf: CPFS[0],
      img_url: 'https://example.org/a.png',
    })
    const { status, body } = await patch(id, {
      last_name: null,
      email: null,
      password: null,
      phone: '',
      category_id: null,
      diocese_id: null,
      treatment_pronoun_id: null,
      cpf: null,
      img_url: null,
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      last_name: null,
      full_name: 'João',
      initials: 'J',
      email: null,
      phone: null,
      category: null,
      diocese: null,
      treatment_pronoun: null,
      cpf: null,
      img_url: null,
    })
    expect((await row(id))?.password_hash).toBeNull()
  })

  it.each([{}, { unknown: 1 }, { group_id: crypto.randomUUID(), require_email_verification: true }])(
    'rejects %j, in which no field is known',
    async (body) => {
      const { id } = await create()
      const response = await patch(id, body)
      expect([response.status, response.body.errors]).toEqual([422, { body: ['Informe ao menos um campo.'] }])
    },
  )

  it.each([
    ['first_name', ['', ' ', '\u200b', 7, [], 'x'.repeat(101), 'Jo\u0000ão', 'Jo\u202eão']],
    ['last_name', [7, 'x'.repeat(151), 'Sil\u200bva']],
    ['email', ['', 'joao', 7, 'ana@example.org', ' ANA@example.org', `${'a'.repeat(250)}@x.org`]],
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

  it('takes null for a missing first name', async () => {
    const { id } = await create()
    const { status, body } = await patch(id, { first_name: null })
    expect([status, body.errors]).toEqual([422, { first_name: ['O campo nome é obrigatório.'] }])
  })

  it('reports format, uniqueness and references in one 422, and changes nothing', async () => {
    const before = await create()
    await create({ cpf: CPFS[1] })
    const bad = { email: 'ana@example.org', cpf: CPFS[1], category_id: 9999, diocese_id: 9999 }
    for (const [body, fields] of [
      [{ ...bad, phone: 7, first_name: null }, [...Object.keys(bad), 'phone', 'first_name']],
      [{ ...bad, phone: '7' }, Object.keys(bad)],
    ] as const) {
      const response = await patch(before.id, body)
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors).sort()).toEqual([...fields].sort())
    }
    expect(await read(before.id)).toEqual({ ...before, processes_groups: [] })
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
    expect([status, body.data]).toEqual([200, { ...before, processes_groups: [] }])
    const events = await env.DB.prepare('select action from audit_events where subject_id = ?')
      .bind(before.id)
      .all()
    expect(events.results).toEqual([{ action: 'informer.created' }])
  })

  it('records a change that changes something, and no rejected one', async () => {
    const { id } = await create()
    await patch(id, { phone: '1' })
    await patch(id, { phone: '2', email: 'ana@example.org' })
    await env.DB.prepare('update users set email_verification_required = true where id = ?').bind(id).run()
    await patch(id, { email: newEmail() })
    const events = await env.DB.prepare('select action from audit_events where subject_id = ? order by rowid')
      .bind(id)
      .all()
    expect(events.results).toEqual([
      { action: 'informer.created' },
      { action: 'informer.updated' },
      { action: 'informer.updated' },
    ])
  })

  it.each(['x', crypto.randomUUID()])('is 404 for %s', async (id) => {
    const { status, body } = await patch(id, { first_name: 'João' })
    expect([status, body]).toEqual([404, NOT_FOUND])
  })

  it('responds 404 for an administrator, and changes nothing', async () => {
    const { id } = await newUser('administrator')
    expect((await patch(id, { first_name: 'João' })).status).toBe(404)
    expect((await row(id))?.first_name).toBe('Teste')
  })

  it('checks the caller, then the body, then the informer', async () => {
    const id = crypto.randomUUID()
    const informer = await tokenOf('ana@example.org')
    const broken = { body: '{', headers: { 'Content-Type': 'text/plain' } }
    const merge = { 'Content-Type': 'application/merge-patch+json' }
    expect((await patch(id, '{', { ...broken, token: undefined })).status).toBe(401)
    expect((await patch(id, '{', { ...broken, token: informer })).status).toBe(403)
    expect((await patch(id, 'x'.repeat(70_000))).status).toBe(413)
    expect((await patch(id, '{', broken)).status).toBe(415)
    expect((await patch(id, { first_name: 'A' }, { headers: merge })).status).toBe(415)
    expect((await patch(id, '{')).status).toBe(400)
    expect((await patch(id, { first_name: '' })).status).toBe(422)
    expect((await patch(id, { first_name: 'A' })).status).toBe(404)
  })

  it('needs two round trips, whether it changes, rejects or responds 404', async () => {
    const { id } = await create({ email: newEmail() })
    for (const [who, body, expected] of [
      [id, { first_name: 'Ana' }, 200],
      [id, { last_name: 'Souza', email: newEmail(), cpf: CPFS[3] }, 200],
      [id, { email: 'ana@example.org' }, 422],
      [id, { email: 'x' }, 422],
    ] as const) {
      const { binding, count } = counting()
      expect((await patch(who, body, { env: { DB: binding } })).status).toBe(expected)
      expect(count.roundTrips).toBe(2)
      expect(count.rowsRead).toBeLessThan(40)
    }
  })
})

describe('a password changed by PATCH', () => {
  it('allows login only with the new one, and invalidates earlier sessions and links', async () => {
    const email = newEmail()
    const { id } = await create({ email, password: PASSWORD })
    const token = await tokenFor({ id, role: 'informer' })
    expect((await call('/cover', { token })).status).toBe(404) // no group yet
    await env.DB.prepare(
      "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, 'password_reset', '9999')",
    )
      .bind(hashToken(`reset ${id}`), id)
      .run()
    const links = () =>
      env.DB.prepare('select count(*) as n from email_tokens where user_id = ?').bind(id).first('n')
    await patch(id, { phone: '1' })
    expect(await links()).toBe(1)
    expect((await patch(id, { password: 'Outra2026' })).status).toBe(200)
    expect((await call('/cover', { token })).status).toBe(401)
    expect(await links()).toBe(0)
    const login = (password: string) => callJson('/auth/login', { body: { email, password } })
    expect((await login(PASSWORD)).status).toBe(401)
    const { status, body } = await login('Outra2026')
    expect(status).toBe(200)
    expect((await call('/cover', { token: body.data.access_token })).status).toBe(404)
  })
})

describe('an email changed by PATCH', () => {
  const withEmail = (emails: string[]) => ({
    env: {
      EMAIL: { send: async ({ to }: { to: string }) => emails.push(to) },
      EMAIL_FROM: 'servico@example.org',
      EMAIL_VERIFICATION_URL: 'https://painel.example.org/confirmar',
    },
  })

  it('must be verified if verification is required: the old link and password are invalid', async () => {
    const [former, email] = [newEmail(), newEmail()]
    const { id } = await create({ email: former, password: PASSWORD, require_email_verification: true })
    await env.DB.batch([
      env.DB.prepare('update users set email_verified_at = created_at where id = ?').bind(id),
      env.DB.prepare(
        "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, 'verification', '9999')",
      ).bind(hashToken(`former ${id}`), id),
    ])
    const emails: string[] = []
    const { status, body } = await patch(id, { email, phone: '1' }, withEmail(emails))
    expect([status, body.data.email, body.data.phone]).toEqual([200, email, '1'])
    expect(emails).toEqual([email])
    const login = await callJson('/auth/login', { body: { email, password: PASSWORD } })
    expect(login.status).toBe(401)
    const verified = await callJson('/auth/email/verify', { body: { token: `former ${id}` } })
    expect(verified.status).toBe(422)
    expect(await row(id)).toMatchObject({ email_verified_at: null, password_hash: null })
  })

  it('keeps a password that is sent with it', async () => {
    const email = newEmail()
    const { id } = await create({ email: newEmail(), password: PASSWORD, require_email_verification: true })
    await patch(id, { email, password: 'Outra2026' })
    const login = await callJson('/auth/login', { body: { email, password: 'Outra2026' } })
    expect([login.status, login.body.message]).toEqual([403, 'Confirme seu email antes de entrar.'])
  })

  it('sends nothing where the email is the same, none, or needs no verification', async () => {
    const emails: string[] = []
    const email = newEmail()
    const waiting = await create({ email, require_email_verification: true })
    await env.DB.prepare('delete from email_outbox where email = ?').bind(email).run()
    await patch(waiting.id, { email, phone: '1' }, withEmail(emails))
    await patch(waiting.id, { email: null }, withEmail(emails))
    const { id } = await create({ email: newEmail(), password: PASSWORD })
    await patch(id, { email: newEmail() }, withEmail(emails))
    expect(emails).toEqual([])
    expect((await row(id))?.password_hash).toMatch(/^\$scrypt/)
  })

  it('keeps the failed logins of the former email and CPF', async () => {
    const [former, email] = [newEmail(), newEmail()]
    const { id } = await create({ email: former, cpf: CPFS[4] })
    await callJson('/auth/login', { body: { email: former, password: 'x' } })
    await callJson('/auth/login', { body: { cpf: CPFS[4], password: 'x' } })
    const failures = () => env.DB.prepare('select count(*) as n from failed_logins').first<number>('n')
    const before = (await failures()) ?? 0
    await patch(id, { phone: '1', email: former })
    expect(await failures()).toBe(before)
    await patch(id, { email })
    expect(await failures()).toBe(before - 1)
    await patch(id, { cpf: null })
    expect(await failures()).toBe(before - 2)
  })
})

describe('simultaneous requests', () => {
  it('to one email or CPF by two informers: one 200, the other 422', async () => {
    for (const same of [{ email: newEmail() }, { cpf: CPFS[5] }]) {
      const people = await Promise.all(Array.from({ length: 5 }, () => create()))
      const responses = await Promise.all(people.map(({ id }) => patch(id, same)))
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422])
      expect(responses.find(({ status }) => status === 422)?.body.errors).toHaveProperty(
        Object.keys(same)[0] ?? '',
      )
    }
  })

  it('for the first name and the last name: the initials of both', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ last_name: 'Silva' })
      const responses = await Promise.all([
        patch(id, { first_name: 'Ângela' }),
        patch(id, { last_name: 'Zanetti' }),
        patch(id, { phone: '1' }),
      ])
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await read(id)).toMatchObject({ full_name: 'Ângela Zanetti', initials: 'ÂZ', phone: '1' })
      expect((await row(id))?.name_folded).toBe('angela zanetti')
    }
  })

  it('for ten names of one informer: all 200, and initials of the last', async () => {
    const { id } = await create()
    const names = Array.from({ length: 10 }, (_, index) => String.fromCharCode(65 + index))
    const responses = await Promise.all(
      names.map((name, index) => patch(id, index % 2 ? { first_name: name } : { last_name: name })),
    )
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { first_name, last_name, initials } = await read(id)
    expect(initials).toBe(first_name + last_name)
  })

  it('of a change and a deletion: 404 or 200, and then no informer', async () => {
    const token = await administratorToken()
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ email: newEmail(), require_email_verification: true })
      const email = newEmail()
      const [changed, deleted] = await Promise.all([
        patch(id, { email, first_name: 'Ana' }),
        callJson(`/informers/${id}`, { method: 'DELETE', token }),
      ])
      expect([200, 404]).toContain(changed.status)
      expect(deleted.status).toBe(200)
      expect(await row(id)).toBeNull()
      const left = await env.DB.prepare('select count(*) as n from email_outbox where email = ?')
        .bind(email)
        .first('n')
      expect(left).toBe(0)
    }
  })
})
