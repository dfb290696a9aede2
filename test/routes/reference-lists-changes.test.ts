import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { administratorToken, call, callJson, counting, newUser, tokenFor, tokenOf } from '../helper.ts'
import { auditedActions } from '../users.ts'

const ROW = {
  id: expect.any(Number),
  active: true,
  created_at: expect.any(String),
  updated_at: expect.any(String),
}
const TAKEN = { name: ['Este nome já está cadastrado.'] }
const TOO_LARGE = { body: ['A lista não pode passar de 10.000 registros nem de 4 MB de texto.'] }

const newName = () => `Cônego ${crypto.randomUUID()}`

/** Every list: its path, table, own field, what the audit and the messages call a row, and the column of users. */
const LISTS = [
  ['/categories', 'categories', { description: 'Um.' }, 'category', 'Categoria', 'a', 'category_id'],
  ['/dioceses', 'dioceses', { state: 'SP' }, 'diocese', 'Diocese', 'a', 'diocese_id'],
  [
    '/treatment-pronouns',
    'treatment_pronouns',
    { description: 'Um.' },
    'treatment_pronoun',
    'Pronome de tratamento',
    'o',
    'treatment_pronoun_id',
  ],
] as const

describe.each(LISTS)('%s', (path, table, own, type, noun, gender, reference) => {
  const NOT_FOUND = { success: false, message: `${noun} não encontrad${gender}.` }
  const send = async (method: string, id: unknown, body?: unknown, options = {}) =>
    callJson(id === null ? path : `${path}/${id}`, {
      method,
      token: await administratorToken(),
      ...(body === undefined ? {} : { body }),
      ...options,
    })
  const create = async (fields = {}) => (await send('POST', null, { name: newName(), ...own, ...fields })).body.data
  const rowOf = (id: number) => env.DB.prepare(`select * from ${table} where id = ?`).bind(id).first()

  it('POST creates a row, which the list and the GET of one show at once', async () => {
    const { binding: DB } = counting() // of one isolate
    const name = newName()
    await call(`${path}?search=${name}`, { env: { DB } })
    const body = { name: `  ${name.normalize('NFD')} `, ...own }
    const created = await send('POST', null, body, { env: { DB } })
    expect([created.status, created.body]).toEqual([
      201,
      { success: true, data: { ...ROW, name, ...own }, message: `${noun} criad${gender} com sucesso.` },
    ])
    const { data } = created.body
    expect((await callJson(`${path}?search=${name}`, { env: { DB } })).body.data).toEqual([data])
    const one = await callJson(`${path}/${data.id}`, { env: { DB } })
    expect([one.status, one.body]).toEqual([200, { success: true, data }])
    const events = await callJson(`/audit-events?subject_id=${data.id}&action=${type}.created`, {
      token: await administratorToken(),
    })
    expect(events.body.data).toMatchObject([{ subject_type: type, subject_id: String(data.id) }])
  })

  it('POST takes active, and reports every bad field in one 422', async () => {
    expect((await create({ active: false })).active).toBe(false)
    expect((await create({ active: null })).active).toBe(true)
    const bad = { name: ' ', active: 'sim', ...Object.fromEntries(Object.keys(own).map((key) => [key, 7])) }
    const { status, body } = await send('POST', null, bad)
    expect([status, body.errors]).toEqual([
      422,
      {
        name: ['O campo nome é obrigatório.'],
        active: ['O campo ativo deve ser verdadeiro ou falso.'],
        ...('state' in own
          ? { state: ['O campo estado deve ser a sigla de um estado.'] }
          : { description: ['O campo descrição deve ser um texto.'] }),
      },
    ])
    expect((await send('POST', null, { name: 'x'.repeat(256), ...own })).body.errors).toEqual({
      name: ['O campo nome deve ter no máximo 255 caracteres.'],
    })
  })

  it('POST and PATCH reject the name of another row, without case and accents', async () => {
    const [{ id, name }, other] = [await create(), await create()]
    const taken = { name: name.toUpperCase().replace('Ô', 'O') }
    for (const response of [
      await send('POST', null, { ...own, ...taken }),
      await send('PATCH', other.id, { active: false, ...taken }),
    ])
      expect([response.status, response.body.errors]).toEqual([422, TAKEN])
    expect(await rowOf(other.id)).toMatchObject({ name: other.name, active: 1 })
    expect((await send('PATCH', id, taken)).body.data.name).toBe(taken.name) // its own
  })

  it('lets one of eight simultaneous POSTs with one name pass', async () => {
    const body = { name: newName(), ...own }
    const responses = await Promise.all(Array.from({ length: 8 }, () => send('POST', null, body)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)])
    expect(responses.find(({ status }) => status === 422)?.body.errors).toEqual(TAKEN)
  })

  it('PATCH changes what is sent, and records only a change', async () => {
    const before = await create()
    expect((await send('PATCH', before.id, { active: true, name: before.name })).body.data).toEqual(before)
    expect(await auditedActions(String(before.id))).toEqual([`${type}.created`])
    const name = newName()
    const { status, body } = await send('PATCH', before.id, { name, active: false })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { ...before, name, active: false, updated_at: expect.any(String) },
        message: `${noun} atualizad${gender} com sucesso.`,
      },
    ])
    expect(body.data.updated_at > before.updated_at).toBe(true)
    expect((await send('POST', null, { name: before.name, ...own })).status).toBe(201) // free again
    expect(await auditedActions(String(before.id))).toEqual([`${type}.created`, `${type}.updated`])
  })

  it.each([
    [{}, { body: ['Informe ao menos um campo.'] }],
    [{ id: 1 }, { body: ['Informe ao menos um campo.'] }],
    [
      { name: null, active: null },
      { name: ['O campo nome é obrigatório.'], active: ['O campo ativo deve ser verdadeiro ou falso.'] },
    ],
  ])('PATCH rejects %j', async (body, errors) => {
    const response = await send('PATCH', (await create()).id, body)
    expect([response.status, response.body.errors]).toEqual([422, errors])
  })

  it('DELETE deletes a row, unless a user refers to it', async () => {
    const { id } = await create()
    const user = await newUser('informer')
    await env.DB.prepare(`update users set ${reference} = ? where id = ?`).bind(id, user.id).run()
    const refused = await send('DELETE', id)
    const message = 'O registro está em uso: desative-o.'
    expect([refused.status, refused.body]).toEqual([409, { success: false, message }])
    await env.DB.prepare('delete from users where id = ?').bind(user.id).run()
    const deleted = await send('DELETE', id)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { success: true, message: `${noun} excluíd${gender} com sucesso.` },
    ])
    expect(await rowOf(id)).toBeNull()
    expect((await create()).id).toBeGreaterThan(id) // an id is not used again
    expect(await auditedActions(String(id))).toEqual([`${type}.created`, `${type}.deleted`])
  })

  it.each(['x', '0', '-1', '1.5', '01', '999999', '9'.repeat(30), crypto.randomUUID().replace(/./, '1')])(
    '%# is no id of a row: 404',
    async (id) => {
      for (const response of [
        await send('GET', id),
        await send('PATCH', id, { active: false }),
        await send('DELETE', id),
      ])
        expect([response.status, response.body]).toEqual([404, NOT_FOUND])
    },
  )

  it('GET of one is cacheable with the ETag of the list, its 404 is not', async () => {
    const { binding: DB, count } = counting()
    const list = await call(path, { env: { DB } })
    const id = await env.DB.prepare(`select min(id) as id from ${table}`).first<number>('id')
    const one = await call(`${path}/${id}`, { env: { DB } })
    const etag = one.headers.get('ETag') ?? ''
    expect([etag, one.headers.get('Cache-Tag')]).toEqual([list.headers.get('ETag'), path.slice(1)])
    expect(one.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+/)
    expect((await call(`${path}/${id}`, { env: { DB }, headers: { 'If-None-Match': etag } })).status).toBe(304)
    expect((await call(`${path}/0`, { env: { DB } })).headers.get('Cache-Control')).toBe('no-store')
    expect(count.roundTrips).toBe(1)
    const token = await tokenOf('ana@example.org')
    expect((await call(`${path}/${id}`, { token })).headers.get('Cache-Control')).toMatch(/^private/)
  })

  it('needs three round trips to write, and reads the list once for a text', async () => {
    const { id } = await create()
    const rows = (await env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')) ?? 0
    for (const [method, to, body, roundTrips, read] of [
      ['POST', null, { name: newName(), ...own }, 3, rows],
      ['PATCH', id, { name: newName() }, 3, rows],
      ['PATCH', id, { active: false }, 2, 0],
    ] as const) {
      const { binding, count } = counting()
      expect((await send(method, to, body, { env: { DB: binding } })).status).toBeLessThan(300)
      expect(count.roundTrips).toBe(roundTrips)
      expect(count.rowsRead - read).toBeLessThan(20)
    }
    const { binding, count } = counting()
    expect((await send('DELETE', id, undefined, { env: { DB: binding } })).status).toBe(200)
    expect(count.roundTrips).toBe(3)
  })
})

describe('POST /v1/categories', () => {
  const fill = (count: number, bytes: number) =>
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into categories (name, description) select 'cheia ' || i, hex(zeroblob(${bytes / 2})) from n`,
    ).run()
  const post = async (name: string) =>
    callJson('/categories', {
      token: await administratorToken(),
      body: { name, description: 'é'.repeat(2000) },
    })

  it.each([
    [10_000, 0],
    [1000, 4000],
  ])('rejects a row of a list that has %i rows, of %i bytes each', async (count, bytes) => {
    await fill(count, bytes)
    const { status, body } = await post('Cardeal')
    expect([status, body.errors]).toEqual([422, { ...TAKEN, ...TOO_LARGE }])
    const { id } = (await env.DB.prepare('select id from categories limit 1').first<{ id: number }>()) ?? {}
    const token = await administratorToken()
    const deactivated = await callJson(`/categories/${id}`, {
      method: 'PATCH',
      token,
      body: { active: false },
    })
    expect(deactivated.status).toBe(200)
    await env.DB.prepare("delete from categories where name like 'cheia %'").run()
    expect((await post(newName())).status).toBe(201)
  })
})

describe('/v1/dioceses', () => {
  const post = async (body: object) =>
    callJson('/dioceses', { token: await tokenFor(await newUser('administrator')), body })

  it('accept a name again in another state, and no move to where it is taken', async () => {
    const name = newName()
    const [first, second] = [await post({ name, state: 'SP' }), await post({ name, state: 'RJ' })]
    expect([first.status, second.status]).toEqual([201, 201])
    const { status, body } = await callJson(`/dioceses/${second.body.data.id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body: { state: 'SP' },
    })
    expect([status, body.errors]).toEqual([422, TAKEN])
  })

  it.each([undefined, null, '', 'sp', 'SPA', 'SÃ', 7])('rejects the state %j', async (state) => {
    const { body } = await post({ name: newName(), state })
    expect(body.errors).toEqual({
      state: [state == null ? 'O campo estado é obrigatório.' : 'O campo estado deve ser a sigla de um estado.'],
    })
  })
})
