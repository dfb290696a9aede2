import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  administratorToken,
  callJson,
  counting,
  PASSWORD,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { read } from '../support/informers.ts'
import { auditedActions, storedUser } from '../support/users.ts'

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

const countOf = (table: string) =>
  env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')

/** The ids of the groups of a process, by name. */
async function groupIdsOf(protocol: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `select groups.id from groups join processes on processes.id = process_id
     where protocol = ? order by groups.name`,
  )
    .bind(protocol)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

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
    const group_id = (await groupIdsOf('BR-2026-002'))[3]
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
    expect((await storedUser(body.data.id))?.password_hash).toMatch(/^\$scrypt\$/)

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

  /** What only the database can check. */
  const TAKEN_OR_MISSING = {
    email: ['ana@example.org', 'Este email já está cadastrado no sistema.'],
    cpf: ['12345678909', 'Este CPF já está cadastrado no sistema.'],
    category_id: [9999, 'A categoria selecionada é inválida.'],
    diocese_id: [9999, 'A diocese selecionada é inválida.'],
    treatment_pronoun_id: [9999, 'O pronome de tratamento selecionado é inválido.'],
    group_id: [UNKNOWN_ID, 'O grupo selecionado é inválido.'],
    group_ids: [[UNKNOWN_ID], 'Um dos grupos selecionados é inválido.'],
  } as const

  it.each([
    ['alone', { first_name: 'João' }, {}],
    [
      'beside format',
      { first_name: '', password: 'abc', img_url: 'x' },
      {
        first_name: ['O campo nome é obrigatório.'],
        password: [
          expect.stringContaining('6 caracteres'),
          expect.stringContaining('um número'),
        ],
        img_url: ['A URL da imagem deve ser válida.'],
      },
    ],
  ])(
    'reports uniqueness and references %s in one response, and stores nothing',
    async (_, fields, errors) => {
      await post({ first_name: 'João', cpf: '12345678909' })
      const before = [await countOf('users'), await countOf('informer_groups')]
      const taken = Object.entries(TAKEN_OR_MISSING)
      expect(
        await errorsOf({
          ...fields,
          ...Object.fromEntries(taken.map(([field, [value]]) => [field, value])),
        }),
      ).toEqual({
        ...errors,
        ...Object.fromEntries(taken.map(([field, [, message]]) => [field, [message]])),
      })
      expect([await countOf('users'), await countOf('informer_groups')]).toEqual(before)
    },
  )

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

  it('associates with group_id, then with group_ids in their order, each once, at no further cost', async () => {
    const [one = '', two = '', three = ''] = await groupIdsOf('BR-2026-001')
    const [elsewhere = ''] = await groupIdsOf('BR-2026-002')
    const { binding, count } = counting()
    const { status, body } = await post(
      {
        first_name: 'Rita',
        group_id: three,
        group_ids: [two.toUpperCase(), elsewhere, one, three, ` ${two} `],
      },
      { env: { DB: binding } },
    )
    expect([status, count.roundTrips]).toEqual([201, 3])
    const { id, group } = body.data
    expect(group.id).toBe(three)
    const pairs = (await read(id)).processes_groups
    expect(pairs.map((pair: { group: { id: string } }) => pair.group.id)).toEqual([
      three,
      two,
      elsewhere,
      one,
    ])
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      ...Array(4).fill('group.associated'),
    ])
  })

  it('rejects 100 groups of which some do not exist', async () => {
    const [one = ''] = await groupIdsOf('BR-2026-001')
    const unknown = Array.from({ length: 99 }, () => crypto.randomUUID())
    expect(await errorsOf({ first_name: 'Rita', group_ids: [one, ...unknown] })).toEqual({
      group_ids: ['Um dos grupos selecionados é inválido.'],
    })
  })

  it('needs fewer round trips where there is nothing to check or to write', async () => {
    for (const [body, expected, roundTrips] of [
      [{ first_name: 'João' }, 201, 2],
      [{ first_name: 'João', email: 'ana@example.org' }, 422, 2],
      [{ email: 'ana@example.org' }, 422, 2],
      [{ first_name: '' }, 422, 1],
    ] as const) {
      const { binding, count } = counting()
      expect((await post(body, { env: { DB: binding } })).status).toBe(expected)
      expect(count.roundTrips).toBe(roundTrips)
    }
  })
})
