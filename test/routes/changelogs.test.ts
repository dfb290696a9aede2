import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { administratorToken, call, callJson, counting, newUser, tokenFor, tokenOf } from '../helper.ts'

const ENTRY = {
  version: 'v2.0.0',
  date: '2026-11-01',
  title: 'Um título',
  description: 'Uma descrição.',
  category: 'Melhoria',
}
const UNKNOWN = '/changelogs/00000000-0000-4000-8000-000000000000'
const NOT_FOUND = { success: false, message: 'Registro não encontrado.' }

let token: string
beforeEach(async () => {
  token = await administratorToken()
  // every test begins with the entries of the demo data
  await env.DB.prepare('delete from changelogs where version like ?').bind('v2.%').run()
  await env.DB.prepare('delete from imported_commits').run()
})

const create = (fields: object = {}) => callJson('/changelogs', { token, body: { ...ENTRY, ...fields } })
const change = (id: string, body: object) => callJson(`/changelogs/${id}`, { method: 'PUT', token, body })
const remove = (id: string) => callJson(`/changelogs/${id}`, { method: 'DELETE', token })
const versionsOf = (body: { data: { version: string }[] }) => body.data.map(({ version }) => version)

describe('GET /v1/changelogs', () => {
  it('shows published entries to the public, newest first', async () => {
    const { status, body, headers } = await callJson('/changelogs')
    expect(status).toBe(200)
    expect(versionsOf(body)).toEqual(['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0'])
    expect(Object.keys(body.data[0])).toEqual([
      'id',
      'version',
      'date',
      'title',
      'description',
      'category',
      'is_published',
      'git_commit_hash',
      'created_at',
      'updated_at',
    ])
    expect(body.pagination).toMatchObject({ total: 4, per_page: 12, last_page: 1 })
    expect(headers.get('Cache-Control')).toMatch(/^public, max-age=/)
    expect(headers.get('Vary')).toContain('Authorization')
    expect(headers.has('X-Request-Id')).toBe(false)
  })

  it('shows an informer the same, privately cacheable', async () => {
    const own = await callJson('/changelogs', { token: await tokenOf('ana@example.org') })
    expect(own.body).toEqual((await callJson('/changelogs')).body)
    expect(own.headers.get('Cache-Control')).toMatch(/^private, max-age=/)
  })

  it.each([
    ['', ['v1.1.0', 'v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
    ['?is_published=false', ['v1.1.0']],
    ['?is_published=0', ['v1.1.0']],
    ['?is_published=true', ['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
    ['?is_published=1', ['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
  ])('shows an administrator with "%s" %j, not cacheable', async (query, versions) => {
    const { body, headers } = await callJson(`/changelogs${query}`, { token })
    expect(versionsOf(body)).toEqual(versions)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.has('X-Request-Id')).toBe(true)
  })

  it('orders by date, then by version as numbers, then by newest created', async () => {
    for (const version of ['v2.9.0', 'v2.10.0', 'v2.1.10', 'v2.1.9']) await create({ version })
    await create({ version: 'v2.9.0', title: 'Depois' })
    await create({ version: 'v2.0.1', date: '2026-11-02' })
    const { body } = await callJson('/changelogs?date_from=2026-11-01&date_to=2026-11-02', { token })
    expect(versionsOf(body)).toEqual(['v2.0.1', 'v2.10.0', 'v2.9.0', 'v2.9.0', 'v2.1.10', 'v2.1.9'])
    expect(body.data[2].title).toBe('Depois')
  })

  it.each([
    ['category=Nova%20Funcionalidade', ['v1.0.0', 'v0.9.0']],
    ['category=Corre%C3%A7%C3%A3o', ['v1.0.1']],
    ['category=Atualiza%C3%A7%C3%A3o', []],
    ['version=v0.10.0', ['v0.10.0']],
    ['version=v9.9.9', []],
    ['date_from=2026-10-05', ['v1.0.1', 'v1.0.0']],
    ['date_to=2026-09-14', ['v0.10.0', 'v0.9.0']],
    ['date_from=2026-09-14&date_to=2026-10-05', ['v1.0.0', 'v0.10.0']],
    ['date_from=2026-10-05&date_to=2026-10-05', ['v1.0.0']],
    ['date_from=2026-09-01&category=Nova%20Funcionalidade', ['v1.0.0']],
    ['per_page=2&page=2', ['v0.10.0', 'v0.9.0']],
    ['page=3', []],
    ['is_published=true', ['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
  ])('filtered by %s shows %j', async (query, versions) => {
    const { status, body } = await callJson(`/changelogs?${query}`)
    expect([status, versionsOf(body)]).toEqual([200, versions])
  })

  it.each([
    ['category=Novidade', 'category'],
    ['category=', 'category'],
    ['category=melhoria', 'category'],
    ['version=1.0.0', 'version'],
    ['version=v1.0', 'version'],
    ['version=v01.0.0', 'version'],
    ['version=v1.0.0-beta', 'version'],
    ['version=', 'version'],
    ['is_published=yes', 'is_published'],
    ['is_published=', 'is_published'],
    ['is_published=TRUE', 'is_published'],
    ['date_from=2026-02-30', 'date_from'],
    ['date_from=01/02/2026', 'date_from'],
    ['date_to=2026-1-1', 'date_to'],
    ['date_to=', 'date_to'],
    ['date_from=2026-02-02&date_to=2026-02-01', 'date_to'],
    ['page=0', 'page'],
    ['per_page=101', 'per_page'],
  ])('rejects %s', async (query, field) => {
    const { status, body } = await callJson(`/changelogs?${query}`)
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual([field])
    expect(body.errors[field]).toHaveLength(1)
  })

  it('needs one round trip, for the public as for an administrator', async () => {
    for (const caller of [undefined, token]) {
      const { binding, count } = counting()
      expect((await call('/changelogs?page=1', { token: caller, env: { DB: binding } })).status).toBe(200)
      expect(count.roundTrips).toBe(1)
    }
  })

  it('rejects a former administrator', async () => {
    const gone = await tokenFor({ id: crypto.randomUUID(), role: 'administrator' })
    expect((await call('/changelogs', { token: gone })).status).toBe(401)
    expect((await call(UNKNOWN, { token: gone })).status).toBe(401)
  })
})

describe('GET /v1/changelogs/{id}', () => {
  it('shows the public a published entry, and responds 304 to a current ETag', async () => {
    const { body: list } = await callJson('/changelogs')
    const { status, body, headers } = await callJson(`/changelogs/${list.data[0].id}`)
    expect([status, body]).toEqual([200, { success: true, data: list.data[0] }])
    expect(headers.get('Cache-Control')).toMatch(/^public, max-age=/)
    const again = await call(`/changelogs/${list.data[0].id.toUpperCase()}`, {
      headers: { 'If-None-Match': headers.get('ETag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  it('shows a draft only to administrators', async () => {
    const { body } = await create()
    const path = `/changelogs/${body.data.id}`
    expect(await callJson(path)).toMatchObject({ status: 404, body: NOT_FOUND })
    expect((await call(path, { token: await tokenOf('ana@example.org') })).status).toBe(404)
    const own = await callJson(path, { token })
    expect([own.status, own.body.data]).toEqual([200, body.data])
    expect(own.headers.get('Cache-Control')).toBe('no-store')
  })

  it.each([UNKNOWN, '/changelogs/1', '/changelogs/sync-from-git', '/changelogs/%00', '/changelogs/null'])(
    'does not find %s',
    async (path) => {
      for (const caller of [undefined, token]) {
        const { status, body, headers } = await callJson(path, { token: caller })
        expect([status, body]).toEqual([404, NOT_FOUND])
        expect(headers.get('Cache-Control')).toBe('no-store')
      }
    },
  )
})

describe('POST /v1/changelogs', () => {
  it('creates a draft', async () => {
    const { status, body } = await create({ title: '  Um título ', description: 'Linha\r\n\tlinha\n' })
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      data: {
        ...ENTRY,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        description: 'Linha\r\n\tlinha',
        is_published: false,
        git_commit_hash: null,
        created_at: expect.stringMatching(/\.\d{6}Z$/),
        updated_at: expect.any(String),
      },
      message: 'Registro criado com sucesso.',
    })
  })

  it('creates a published entry, which the public sees at once', async () => {
    const { body } = await create({ is_published: true, git_commit_hash: 'ABCDEF1' })
    expect(body.data).toMatchObject({ is_published: true, git_commit_hash: 'abcdef1' })
    expect((await callJson(`/changelogs/${body.data.id}`)).status).toBe(200)
    expect(versionsOf((await callJson('/changelogs')).body)[0]).toBe('v2.0.0')
  })

  const form = 'A versão deve ter a forma v<maior>.<menor>.<correção>.'
  const day = 'A data deve ser uma data real na forma AAAA-MM-DD.'
  it.each([
    ['version', undefined, 'O campo versão é obrigatório.'],
    ['version', null, 'O campo versão é obrigatório.'],
    ['version', ' ', 'O campo versão é obrigatório.'],
    ['version', 1, 'O campo versão deve ser um texto.'],
    ['version', '2.0.0', form],
    ['version', 'v2.0.00', form],
    ['version', 'v2.0.0.0', form],
    ['version', 'V2.0.0', form],
    ['version', 'v2.0.9999999999999999', form],
    ['date', undefined, 'O campo data é obrigatório.'],
    ['date', '2026-02-29', day],
    ['date', '2026-13-01', day],
    ['date', '2026-02-01T00:00:00Z', day],
    ['date', '0000-01-01', day],
    ['title', '', 'O campo título é obrigatório.'],
    ['title', 'é'.repeat(256), 'O campo título deve ter no máximo 255 caracteres.'],
    ['title', 'a\nb', 'O campo título contém caracteres inválidos.'],
    ['description', undefined, 'O campo descrição é obrigatório.'],
    ['description', '\n', 'O campo descrição é obrigatório.'],
    ['description', '\u200b', 'O campo descrição é obrigatório.'],
    ['description', ['x'], 'O campo descrição deve ser um texto.'],
    ['description', 'x'.repeat(10_001), 'O campo descrição deve ter no máximo 10.000 caracteres.'],
    ['description', 'a\u0000b', 'O campo descrição contém caracteres inválidos.'],
    ['category', undefined, 'O campo categoria é obrigatório.'],
    [
      'category',
      'Outra',
      'A categoria deve ser uma destas: Nova Funcionalidade, Correção, Melhoria, Atualização.',
    ],
    ['is_published', 'true', 'O campo publicado deve ser verdadeiro ou falso.'],
    ['is_published', 1, 'O campo publicado deve ser verdadeiro ou falso.'],
    ['git_commit_hash', 'abcdef', 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'],
    ['git_commit_hash', 'g'.repeat(40), 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'],
    ['git_commit_hash', 'a'.repeat(65), 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'],
    ['git_commit_hash', '', 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'],
  ])('rejects %s %j', async (field, value, text) => {
    const { status, body } = await create({ [field]: value })
    expect([status, body.errors]).toEqual([422, { [field]: [text] }])
  })

  it('reports every field that fails', async () => {
    const { body } = await callJson('/changelogs', { token, body: {} })
    expect(Object.keys(body.errors)).toEqual(['version', 'date', 'title', 'description', 'category'])
  })

  it('rejects a commit of another entry, also in ten simultaneous requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => create({ git_commit_hash: 'b'.repeat(40) })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)])
    const rejected = responses.find(({ status }) => status === 422)
    expect(rejected?.body.errors).toEqual({ git_commit_hash: ['Este commit já está registrado.'] })
  })

  it('reports a taken commit together with invalid fields', async () => {
    const { body: other } = await create({ git_commit_hash: 'a'.repeat(40) })
    const taken = ['Este commit já está registrado.']
    const created = await create({ git_commit_hash: 'A'.repeat(40), version: 'x' })
    expect(created.body.errors).toEqual({ version: [expect.any(String)], git_commit_hash: taken })
    const { body: one } = await create()
    const changed = await change(one.data.id, { git_commit_hash: 'a'.repeat(40), title: '' })
    expect(changed.body.errors).toEqual({ title: [expect.any(String)], git_commit_hash: taken })
    const own = await change(other.data.id, { git_commit_hash: 'a'.repeat(40), title: '' })
    expect(Object.keys(own.body.errors)).toEqual(['title'])
  })

  it('needs two round trips', async () => {
    const { binding, count } = counting()
    await callJson('/changelogs', { token, body: ENTRY, env: { DB: binding } })
    expect(count.roundTrips).toBe(2)
  })
})

describe('PUT /v1/changelogs/{changelog}', () => {
  it('changes some fields and leaves the others', async () => {
    const { body: created } = await create({ git_commit_hash: 'c'.repeat(40) })
    const { status, body } = await change(created.data.id, {
      title: 'Outro',
      is_published: true,
      version: null,
    })
    expect([status, body.message]).toEqual([200, 'Registro atualizado com sucesso.'])
    expect(body.data).toEqual({
      ...created.data,
      title: 'Outro',
      is_published: true,
      updated_at: expect.any(String),
    })
    expect(body.data.updated_at >= created.data.updated_at).toBe(true)
    expect((await callJson(`/changelogs/${created.data.id}`)).body.data).toEqual(body.data)
  })

  it('takes back what was published', async () => {
    const { body } = await create({ is_published: true })
    await change(body.data.id, { is_published: false })
    expect((await call(`/changelogs/${body.data.id}`)).status).toBe(404)
  })

  it('keeps the own commit of an entry, and rejects that of another', async () => {
    const { body: one } = await create({ git_commit_hash: 'd'.repeat(40) })
    const { body: other } = await create({ git_commit_hash: 'e'.repeat(40) })
    expect((await change(one.data.id, { git_commit_hash: 'D'.repeat(40) })).status).toBe(200)
    const { status, body } = await change(one.data.id, {
      title: 'x',
      git_commit_hash: other.data.git_commit_hash,
    })
    expect([status, body.errors]).toEqual([422, { git_commit_hash: ['Este commit já está registrado.'] }])
    expect((await callJson(`/changelogs/${one.data.id}`, { token })).body.data.title).toBe(ENTRY.title)
  })

  it.each([[{}], [{ unknown: 1 }], [{ title: null, version: null }]])(
    'rejects %j: nothing to change',
    async (fields) => {
      const { body: created } = await create()
      const { status, body } = await change(created.data.id, fields)
      expect([status, body.errors]).toEqual([422, { body: ['Informe ao menos um campo.'] }])
    },
  )

  it.each([
    [{ title: ' ' }, { title: ['O campo título é obrigatório.'] }],
    [
      { version: 'x', date: 'y' },
      { version: [expect.any(String)], date: [expect.any(String)] },
    ],
    [{ is_published: 'no' }, { is_published: ['O campo publicado deve ser verdadeiro ou falso.'] }],
  ])('rejects %j', async (fields, errors) => {
    const { body: created } = await create()
    const { status, body } = await change(created.data.id, fields)
    expect([status, body.errors]).toEqual([422, errors])
  })

  it.each(['00000000-0000-4000-8000-000000000000', '1', 'sync-from-git'])('does not find %s', async (id) => {
    expect(await change(id, { title: 'x' })).toMatchObject({ status: 404, body: NOT_FOUND })
    expect(await remove(id)).toMatchObject({ status: 404, body: NOT_FOUND })
  })
})

describe('DELETE /v1/changelogs/{changelog}', () => {
  it('deletes an entry, once', async () => {
    const { body } = await create({ is_published: true })
    const deleted = await remove(body.data.id)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { success: true, message: 'Registro excluído com sucesso.' },
    ])
    expect((await call(`/changelogs/${body.data.id}`)).status).toBe(404)
    expect((await remove(body.data.id)).status).toBe(404)
  })

  it('lets its commit be entered by hand again', async () => {
    const { body } = await create({ git_commit_hash: 'f'.repeat(40) })
    await remove(body.data.id)
    expect((await create({ git_commit_hash: 'f'.repeat(40) })).status).toBe(201)
  })

  it('needs three round trips, a change two', async () => {
    const { body } = await create()
    for (const [method, fields, roundTrips] of [
      ['PUT', { title: 'x' }, 2],
      ['DELETE', undefined, 3], // one more, to check whether the entry exists
    ] as const) {
      const { binding, count } = counting()
      await call(`/changelogs/${body.data.id}`, { method, token, body: fields, env: { DB: binding } })
      expect(count.roundTrips).toBe(roundTrips)
    }
  })
})

describe('methods', () => {
  it.each([
    ['POST', UNKNOWN, 'GET, HEAD, PUT, DELETE'],
    ['PATCH', '/changelogs', 'GET, HEAD, POST'],
  ])('%s %s is not allowed', async (method, path, allow) => {
    const response = await call(path, { method, token: await tokenFor(await newUser('administrator')) })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, allow])
  })
})
