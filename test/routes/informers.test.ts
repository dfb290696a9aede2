import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { administratorToken, callJson, counting, PASSWORD } from '../support/helper.ts'

const post = async (body: unknown, options = {}) =>
  callJson('/informers', { token: await administratorToken(), body, ...options })

const errorsOf = async (body: unknown) => {
  const response = await post(body)
  expect(response.status).toBe(422)
  return response.body.errors
}

/** What an informer may have none of. */
const OPTIONAL =
  'last_name email cpf phone img_url category treatment_pronoun diocese process group'.split(
    ' ',
  )

const countUsers = () =>
  env.DB.prepare('select count(*) as n from users').first<number>('n')
const groupId = () =>
  env.DB.prepare(
    "select groups.id from groups join processes on processes.id = process_id where protocol = 'BR-2026-002' and groups.name = 'Grupo 4'",
  ).first<string>('id')

describe('POST /v1/informers', () => {
  it('creates an informer with only a first name', async () => {
    const { status, body } = await post({ first_name: 'Ângelo' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      data: {
        first_name: 'Ângelo',
        full_name: 'Ângelo',
        initials: 'Â',
        role: { id: 1, name: 'Informante', slug: 'informer' },
      },
      email_verification_required: false,
    })
    for (const field of OPTIONAL) expect([field, body.data[field]]).toEqual([field, null])
    expect(body.data.updated_at).toBe(body.data.created_at)
  })

  it('creates an informer with all fields, able to log in and read the cover', async () => {
    const group_id = await groupId()
    const { status, body } = await post({
      first_name: ' Maria ',
      last_name: "D'A\u0301vila",
      email: 'Maria@Example.org',
      password: PASSWORD,
      treatment_pronoun_id: 1,
      phone: '+55 61 99999-0000',
      category_id: 2,
      diocese_id: 3,
      cpf: '39053344705',
      group_id: group_id?.toUpperCase(),
      img_url: 'https://example.org/maria.png',
      require_email_verification: false,
      unknown: 'ignored',
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      first_name: 'Maria',
      last_name: "D'Ávila",
      full_name: "Maria D'Ávila",
      initials: 'MÁ',
      email: 'maria@example.org',
      cpf: '39053344705',
      phone: '+55 61 99999-0000',
      img_url: 'https://example.org/maria.png',
      category: { id: 2, name: 'Núncio Apostólico', active: true },
      treatment_pronoun: { id: 1, name: 'Dom', active: true },
      diocese: { id: 3, name: 'Arquidiocese de Maceió', state: 'AL', active: true },
      process: {
        name: 'Provisão da Arquidiocese de Porto Claro',
        protocol: 'BR-2026-002',
      },
      group: { id: group_id, name: 'Grupo 4', color: '#1B5E20' },
    })
    expect(JSON.stringify(body)).not.toContain('password')

    for (const identifier of [{ email: 'maria@example.org' }, { cpf: '39053344705' }]) {
      const login = await callJson('/auth/login', {
        body: { ...identifier, password: PASSWORD },
      })
      expect(login.status).toBe(200)
      const cover = await callJson('/cover', { token: login.body.data.access_token })
      expect(cover.body.data.processes_groups).toHaveLength(1)
      expect(cover.body.data.group).toEqual({ id: group_id, name: 'Grupo 4' })
    }
  })

  const required = ['O campo nome é obrigatório.']
  const absent = crypto.randomUUID()

  it.each([
    ['first_name', 'é'.repeat(100), 'é'.repeat(100)],
    ['first_name', '😀'.repeat(100), '😀'.repeat(100)],
    ['first_name', 'e\u0301'.repeat(50), 'é'.repeat(50)],
    ['last_name', '', null],
    ['last_name', '  ', null],
    ['last_name', '\u200b', null],
    ['last_name', '\u2800\u3164', null],
    ['first_name', 'शर्\u200dमा', 'शर्\u200dमा'],
    ['phone', '\u200b', null],
    ['last_name', 'x'.repeat(150), 'x'.repeat(150)],
    ['phone', '', null],
    ['phone', null, null],
    ['email', null, null],
    ['email', "o'neil+tag@sub.example.org", "o'neil+tag@sub.example.org"],
    ['email', 'maria&jose@example.org', 'maria&jose@example.org'],
    ['email', 'x@exemplo.xn--p1ai', 'x@exemplo.xn--p1ai'],
    ['email', `x@${'a'.repeat(63)}.org`, `x@${'a'.repeat(63)}.org`],
    ['cpf', null, null],
    ['cpf', '00000000191', '00000000191'],
    ['group_id', null, undefined],
    [
      'img_url',
      ' HTTPS://Example.org/á.png?x=1#y ',
      'https://example.org/%C3%A1.png?x=1#y',
    ],
    ['password', 'Éé1___', undefined],
    ['password', `Aa1${'😀'.repeat(125)}`, undefined],
    ['require_email_verification', null, undefined],
  ])('accepts %s %j', async (field, value, stored) => {
    const { status, body } = await post({ first_name: 'João', [field]: value })
    expect(status).toBe(201)
    if (stored !== undefined) expect(body.data[field]).toBe(stored)
  })

  it.each(['categories', 'dioceses', 'treatment_pronouns'])(
    'rejects an inactive reference to %s',
    async (table) => {
      await env.DB.prepare(`update ${table} set active = 0 where id = 7`).run()
      const field =
        { categories: 'category_id', dioceses: 'diocese_id' }[table] ??
        'treatment_pronoun_id'
      expect(Object.keys(await errorsOf({ first_name: 'João', [field]: 7 }))).toEqual([
        field,
      ])
    },
  )

  it('reports format, uniqueness and references in one response, and stores nothing', async () => {
    await post({ first_name: 'João', cpf: '12345678909' })
    const before = await countUsers()
    const errors = await errorsOf({
      first_name: '',
      email: 'ana@example.org',
      password: 'abc',
      cpf: '12345678909',
      category_id: 9999,
      diocese_id: 9999,
      treatment_pronoun_id: 9999,
      group_id: absent,
      img_url: 'x',
    })
    expect(errors).toEqual({
      first_name: required,
      email: ['Este email já está cadastrado no sistema.'],
      password: [
        expect.stringContaining('6 caracteres'),
        expect.stringContaining('um número'),
      ],
      cpf: ['Este CPF já está cadastrado no sistema.'],
      category_id: ['A categoria selecionada é inválida.'],
      diocese_id: ['A diocese selecionada é inválida.'],
      treatment_pronoun_id: ['O pronome de tratamento selecionado é inválido.'],
      group_id: ['O grupo selecionado é inválido.'],
      img_url: ['A URL da imagem deve ser válida.'],
    })
    expect(await countUsers()).toBe(before)
  })

  it('also reports everything that only the database can check, and stores nothing', async () => {
    const before = await countUsers()
    const errors = await errorsOf({
      first_name: 'João',
      email: 'ana@example.org',
      group_id: absent,
      category_id: 9999,
    })
    expect(Object.keys(errors).sort()).toEqual(['category_id', 'email', 'group_id'])
    expect(await countUsers()).toBe(before)
    expect(
      await env.DB.prepare('select count(*) as n from informer_groups').first('n'),
    ).toBe(
      await env.DB.prepare(
        'select count(*) as n from informer_groups join users on users.id = informer_id',
      ).first('n'),
    )
  })

  it('lets one of ten simultaneous requests with one CPF pass', async () => {
    const responses = await Promise.all(
      Array(10)
        .fill({ first_name: 'João', cpf: '86288366757' })
        .map((body) => post(body)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array(9).fill(422),
    ])
    expect(responses.find(({ status }) => status === 422)?.body.errors).toHaveProperty(
      'cpf',
    )
  })

  it.each([
    [{ require_email_verification: true, email: 'v1@example.org' }, 'false', true],
    [{ require_email_verification: false, email: 'v2@example.org' }, 'true', false],
    [{ email: 'v3@example.org' }, 'true', true],
    [{ email: 'v4@example.org' }, 'false', false],
    [{}, 'true', false],
    [{ require_email_verification: null, email: 'v5@example.org' }, 'true', true],
  ])(
    'given %j and the setting %s, requires verification: %s',
    async (fields, setting, expected) => {
      const { status, body } = await post(
        { first_name: 'João', password: PASSWORD, ...fields },
        { env: { REQUIRE_EMAIL_VERIFICATION: setting } },
      )
      expect(status).toBe(201)
      expect(body.email_verification_required).toBe(expected)
      if ('email' in fields) {
        const login = await callJson('/auth/login', {
          body: { email: fields.email, password: PASSWORD },
        })
        expect(login.status).toBe(expected ? 403 : 200)
      }
    },
  )

  it('requires an email if verification is requested, together with other errors', async () => {
    const text = 'O email é obrigatório quando a verificação de email é exigida.'
    expect(
      await errorsOf({ first_name: 'João', require_email_verification: true }),
    ).toEqual({
      email: [text],
    })
    expect(await errorsOf({ require_email_verification: true, email: null })).toEqual({
      first_name: required,
      email: [text],
    })
  })

  it('keeps a password only as a hash', async () => {
    const { body } = await post({ first_name: 'João', password: PASSWORD })
    const row = await env.DB.prepare('select * from users where id = ?')
      .bind(body.data.id)
      .first()
    expect(row?.password_hash).toMatch(/^\$scrypt\$/)
    expect(JSON.stringify(row)).not.toContain(PASSWORD)
  })

  it('needs three round trips at most', async () => {
    for (const [body, expected, roundTrips] of [
      [{ first_name: 'João' }, 201, 2],
      [{ first_name: 'João', group_id: await groupId() }, 201, 3],
      [{ first_name: 'João', email: 'ana@example.org' }, 422, 2],
      [{ email: 'ana@example.org' }, 422, 2],
    ] as const) {
      const { binding, count } = counting()
      expect((await post(body, { env: { DB: binding } })).status).toBe(expected)
      expect(count.roundTrips).toBe(roundTrips)
    }
  })
})
