import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEntry, ENTRY, versionsOf } from '../support/changelogs.ts'
import { administratorToken, call, callJson } from '../support/helper.ts'
import { fieldErrors } from '#http/request/validation.ts'
import { createEntryBody } from '#routes/changelogs/schemas.ts'

const TAKEN = ['Este commit já está registrado.']
const NOT_FOUND = { success: false, message: 'Registro não encontrado.' }

let token: string
beforeEach(async () => {
  token = await administratorToken()
  // every test begins with the entries of the demo data
  await env.DB.prepare('delete from changelogs where version like ?').bind('v2.%').run()
  await env.DB.prepare('delete from imported_commits').run()
})

const change = (id: string, body: object) =>
  callJson(`/changelogs/${id}`, { method: 'PUT', token, body })
const remove = (id: string) => callJson(`/changelogs/${id}`, { method: 'DELETE', token })

describe('POST /v1/changelogs', () => {
  it('creates a draft', async () => {
    const { status, body } = await createEntry({
      title: '  Um título ',
      description: 'Linha\r\n\tlinha\n',
    })
    expect([status, body.message]).toEqual([201, 'Registro criado com sucesso.'])
    const description = 'Linha\r\n\tlinha'
    expect(body.data).toMatchObject({
      ...ENTRY,
      description,
      is_published: false,
      git_commit_hash: null,
    })
  })

  it('creates a published entry, which the public sees at once', async () => {
    const { body } = await createEntry({ is_published: true, git_commit_hash: 'ABCDEF1' })
    expect(body.data).toMatchObject({ is_published: true, git_commit_hash: 'abcdef1' })
    expect((await callJson(`/changelogs/${body.data.id}`)).status).toBe(200)
    expect(versionsOf((await callJson('/changelogs')).body)[0]).toBe('v2.0.0')
  })

  const FORM = 'A versão deve ter a forma v<maior>.<menor>.<correção>.'
  const DAY = 'A data deve ser uma data real na forma AAAA-MM-DD.'
  const HASH = 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'
  const CATEGORIES =
    'A categoria deve ser uma destas: Nova Funcionalidade, Correção, Melhoria, Atualização.'
  const FLAG = 'O campo publicado deve ser verdadeiro ou falso.'
  const required = (label: string) => `O campo ${label} é obrigatório.`

  it.each<[field: string, message: string, values: unknown[]]>([
    ['version', required('versão'), [undefined, null, ' ']],
    ['version', 'O campo versão deve ser um texto.', [1]],
    ['version', FORM, ['2.0.0', 'v2.0.0.0']],
    ['date', required('data'), [undefined]],
    ['date', DAY, ['2026-02-29', '2026-13-01', '2026-02-01T00:00:00Z', '0000-01-01']],
    ['title', required('título'), ['']],
    ['title', 'O campo título deve ter no máximo 255 caracteres.', ['é'.repeat(256)]],
    ['title', 'O campo título contém caracteres inválidos.', ['a\nb']],
    ['description', required('descrição'), [undefined, '\n', '\u200b']],
    ['description', 'O campo descrição deve ser um texto.', [['x']]],
    [
      'description',
      'O campo descrição deve ter no máximo 10.000 caracteres.',
      ['x'.repeat(10_001)],
    ],
    ['description', 'O campo descrição contém caracteres inválidos.', ['a\u0000b']],
    ['category', required('categoria'), [undefined]],
    ['category', CATEGORIES, ['Outra']],
    ['is_published', FLAG, ['true', 1]],
    ['git_commit_hash', HASH, ['', 'abcdef', 'g'.repeat(40), 'a'.repeat(65)]],
  ])('rejects a %s: %s', (field, message, values) => {
    for (const value of values) {
      const { error } = createEntryBody.safeParse({ ...ENTRY, [field]: value })
      expect(error && fieldErrors(error)).toEqual({ [field]: [message] })
    }
  })

  it('accepts each commit once, also in ten simultaneous requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => createEntry({ git_commit_hash: 'b'.repeat(40) })),
    )
    const refused = responses.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(9)
    for (const { status, body } of refused) {
      expect([status, body.errors]).toEqual([422, { git_commit_hash: TAKEN }])
    }
  })

  it('reports the commit of another entry together with invalid fields', async () => {
    await createEntry({ git_commit_hash: 'a'.repeat(40) })
    const body = { version: 'x', title: 7, git_commit_hash: 'A'.repeat(40) }
    expect((await callJson('/changelogs', { token, body })).body.errors).toEqual({
      version: [FORM],
      date: [required('data')],
      title: ['O campo título deve ser um texto.'],
      description: [required('descrição')],
      category: [required('categoria')],
      git_commit_hash: TAKEN,
    })
  })
})

describe('PUT /v1/changelogs/{changelog}', () => {
  it('changes some fields and leaves the others', async () => {
    const { body: created } = await createEntry({ git_commit_hash: 'c'.repeat(40) })
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
    expect((await callJson(`/changelogs/${created.data.id}`)).body.data).toEqual(
      body.data,
    )
  })

  it('takes back what was published', async () => {
    const { body } = await createEntry({ is_published: true })
    await change(body.data.id, { is_published: false })
    expect((await call(`/changelogs/${body.data.id}`)).status).toBe(404)
  })

  it('keeps the own commit of an entry, and rejects that of another beside invalid fields', async () => {
    const { body: one } = await createEntry({ git_commit_hash: 'd'.repeat(40) })
    const { body: other } = await createEntry({ git_commit_hash: 'e'.repeat(40) })
    const own = { git_commit_hash: 'D'.repeat(40) }
    expect((await change(one.data.id, own)).status).toBe(200)

    const { git_commit_hash } = other.data
    const taken = await change(one.data.id, { title: 'x', git_commit_hash })
    expect([taken.status, taken.body.errors]).toEqual([422, { git_commit_hash: TAKEN }])
    const both = await change(one.data.id, { title: '', git_commit_hash })
    expect(Object.keys(both.body.errors).sort()).toEqual(['git_commit_hash', 'title'])

    const shown = await callJson(`/changelogs/${one.data.id}`, { token })
    expect(shown.body.data.title).toBe(ENTRY.title)
  })

  it.each([[{}], [{ unknown: 1 }], [{ title: null, version: null }]])(
    'rejects %j: nothing to change',
    async (fields) => {
      const { body: created } = await createEntry()
      const { status, body } = await change(created.data.id, fields)
      expect([status, body.errors]).toEqual([
        422,
        { body: ['Informe ao menos um campo.'] },
      ])
    },
  )

  it.each(['00000000-0000-4000-8000-000000000000', '1', 'sync-from-git'])(
    'does not find %s',
    async (id) => {
      expect(await change(id, { title: 'x' })).toMatchObject({
        status: 404,
        body: NOT_FOUND,
      })
      expect(await remove(id)).toMatchObject({ status: 404, body: NOT_FOUND })
    },
  )
})

describe('DELETE /v1/changelogs/{changelog}', () => {
  it('deletes an entry, once', async () => {
    const { body } = await createEntry({ is_published: true })
    const deleted = await remove(body.data.id)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { success: true, message: 'Registro excluído com sucesso.' },
    ])
    expect((await call(`/changelogs/${body.data.id}`)).status).toBe(404)
    expect((await remove(body.data.id)).status).toBe(404)
  })

  it('lets its commit be entered by hand again', async () => {
    const { body } = await createEntry({ git_commit_hash: 'f'.repeat(40) })
    await remove(body.data.id)
    expect((await createEntry({ git_commit_hash: 'f'.repeat(40) })).status).toBe(201)
  })
})
