import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  administratorToken,
  call,
  callJson,
  counting,
  newUser,
  tokenOfNew,
  tokenOf,
} from '../support/helper.ts'
import { isolate } from '../support/isolate.ts'
import { newText as newName, referenceLists } from '../support/resources.ts'

const ROW = {
  id: expect.any(Number),
  active: true,
  created_at: expect.any(String),
  updated_at: expect.any(String),
}
const TAKEN = { name: ['Este nome já está cadastrado.'] }

describe.each(referenceLists)('$path', ({ path, own, longest }) => {
  const send = async (method: string, id: unknown, body?: unknown, options = {}) =>
    callJson(id === null ? path : `${path}/${id}`, {
      method,
      token: await administratorToken(),
      ...(body === undefined ? {} : { body }),
      ...options,
    })
  const create = async (fields = {}) =>
    (await send('POST', null, { name: newName(), ...own, ...fields })).body.data

  it('POST creates a row, which the list and the GET of one show at once', async () => {
    const { binding: DB } = counting() // of one isolate
    const name = newName()
    await call(`${path}?search=${name}`, { env: { DB } })
    const body = { name: `  ${name.normalize('NFD')} `, ...own }
    const created = await send('POST', null, body, { env: { DB } })
    expect([created.status, created.body]).toEqual([
      201,
      { success: true, data: { ...ROW, name, ...own }, message: expect.any(String) },
    ])
    const { data } = created.body
    expect((await callJson(`${path}?search=${name}`, { env: { DB } })).body.data).toEqual(
      [data],
    )
    const one = await callJson(`${path}/${data.id}`, { env: { DB } })
    expect([one.status, one.body]).toEqual([200, { success: true, data }])
  })

  it('POST takes active, and reports every bad field in one 422', async () => {
    expect((await create({ active: false })).active).toBe(false)
    expect((await create({ active: null })).active).toBe(true)
    const bad = {
      name: ' ',
      active: 'sim',
      ...Object.fromEntries(Object.keys(own).map((key) => [key, 7])),
    }
    const { status, body } = await send('POST', null, bad)
    expect([status, body.errors]).toEqual([
      422,
      {
        name: ['O campo nome é obrigatório.'],
        active: ['O campo ativo deve ser verdadeiro ou falso.'],
        ...Object.fromEntries(
          Object.keys(own).map((field) => [field, [expect.stringMatching(/^O campo /)]]),
        ),
      },
    ])
    expect(
      (await send('POST', null, { name: 'x'.repeat(longest + 1), ...own })).body.errors,
    ).toEqual({
      name: [`O campo nome deve ter no máximo ${longest} caracteres.`],
    })
  })

  it('PATCH leaves what is not sent, and frees the name', async () => {
    const before = await create()
    const [name, active] = [newName(), false]
    const { body } = await send('PATCH', before.id, { name, active })
    expect(body.data).toEqual({ ...before, name, active, updated_at: expect.any(String) })
    expect(body.data.updated_at > before.updated_at).toBe(true)
    expect((await send('POST', null, { name: before.name, ...own })).status).toBe(201)
    const { body: refused } = await send('PATCH', before.id, { active: null })
    expect(refused.errors).toEqual({
      active: ['O campo ativo deve ser verdadeiro ou falso.'],
    })
  })

  it('DELETE frees the name, but not the id', async () => {
    const { id, name } = await create()
    await send('DELETE', id)
    expect((await create({ name })).id).toBeGreaterThan(id)
  })

  it('GET of one is cacheable with the ETag of the list', async () => {
    const { count, get } = isolate()
    const list = await get(path)
    const { id } = ((await list.json()) as { data: [{ id: number }] }).data[0]
    const etag = list.headers.get('ETag') ?? ''
    const one = await get(`${path}/${id}`)
    expect(Object.fromEntries(one.headers)).toMatchObject({
      etag,
      'cache-tag': path.slice(1),
      'cache-control': expect.stringMatching(/^public, max-age=\d+/),
    })
    const again = await get(`${path}/${id}`, { headers: { 'If-None-Match': etag } })
    expect([again.status, count.roundTrips]).toEqual([304, 1])
    const token = await tokenOf('ana@example.org')
    const own = await get(`${path}/${id}`, { token })
    expect(own.headers.get('Cache-Control')).toMatch(/^private/)
  })
})

describe('/v1/dioceses', () => {
  const post = async (body: object) =>
    callJson('/dioceses', {
      token: await tokenOfNew(await newUser('administrator')),
      body,
    })

  it('accept a name again in another state, and no move to where it is taken', async () => {
    const name = newName()
    const [first, second] = [
      await post({ name, state: 'SP' }),
      await post({ name, state: 'RJ' }),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    const { status, body } = await callJson(`/dioceses/${second.body.data.id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body: { state: 'SP' },
    })
    expect([status, body.errors]).toEqual([422, TAKEN])
  })

  it('reject what is no abbreviation of a state', async () => {
    for (const state of [undefined, null, '', 'sp', 'SPA', 'SÃ', 7]) {
      const { body } = await post({ name: newName(), state })
      const message =
        state == null
          ? 'O campo estado é obrigatório.'
          : 'O campo estado deve ser a sigla de um estado.'
      expect([state, body.errors]).toEqual([state, { state: [message] }])
    }
  })
})

describe('/v1/treatment-pronouns', () => {
  const post = async (name: string) =>
    callJson('/treatment-pronouns', {
      token: await administratorToken(),
      body: { name, description: 'Um.' },
    })

  it.each([
    'Exmo. e Revmo. Sr.',
    'Sua Beatitude (D’Ávila-Sé)',
    'V. Ex.ª Rev.ª',
    'Il.º Sr.',
    'x'.repeat(60),
  ])('accept the name %j', async (name) => {
    expect((await post(name)).status).toBe(201)
  })

  it.each([
    'Vossa senha expirou: https://example.org',
    'Ex.ma',
    '2ª Senhora',
    'Um, dois',
    'Dom!',
  ])('reject the name %j', async (name) => {
    const { status, body } = await post(name)
    expect([status, body.errors]).toEqual([
      422,
      { name: ['O nome deve ter só letras, espaços e pontos.'] },
    ])
  })

  it('keep a stored name until another is sent', async () => {
    const token = await administratorToken()
    const stored = await env.DB.prepare(
      `insert into treatment_pronouns (name, name_folded, description)
       values ('www.example.org', 'www.example.org', 'Um.') returning id`,
    ).first<number>('id')
    const patch = (body: object) =>
      callJson(`/treatment-pronouns/${stored}`, { method: 'PATCH', token, body })
    expect((await patch({ active: false })).status).toBe(200)
    expect((await patch({ name: 'www.example.org' })).status).toBe(422)
  })
})
