import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEntry, ENTRY, versionsOf } from '../support/changelogs.ts'
import { administratorToken, call, callJson, counting } from '../support/helper.ts'

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

  it('reports every field that fails', async () => {
    const { status, body } = await callJson('/changelogs', { token, body: { title: 7 } })
    expect([status, body.errors]).toEqual([
      422,
      {
        version: ['O campo versão é obrigatório.'],
        date: ['O campo data é obrigatório.'],
        title: ['O campo título deve ser um texto.'],
        description: ['O campo descrição é obrigatório.'],
        category: ['O campo categoria é obrigatório.'],
      },
    ])
  })

  it('rejects a commit of another entry, also in ten simultaneous requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => createEntry({ git_commit_hash: 'b'.repeat(40) })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array(9).fill(422),
    ])
    const rejected = responses.find(({ status }) => status === 422)
    expect(rejected?.body.errors).toEqual({
      git_commit_hash: ['Este commit já está registrado.'],
    })
  })

  it('reports a taken commit together with invalid fields', async () => {
    const { body: other } = await createEntry({ git_commit_hash: 'a'.repeat(40) })
    const taken = ['Este commit já está registrado.']
    const created = await createEntry({ git_commit_hash: 'A'.repeat(40), version: 'x' })
    expect(created.body.errors).toEqual({
      version: [expect.any(String)],
      git_commit_hash: taken,
    })
    const { body: one } = await createEntry()
    const changed = await change(one.data.id, {
      git_commit_hash: 'a'.repeat(40),
      title: '',
    })
    expect(changed.body.errors).toEqual({
      title: [expect.any(String)],
      git_commit_hash: taken,
    })
    const own = await change(other.data.id, {
      git_commit_hash: 'a'.repeat(40),
      title: '',
    })
    expect(Object.keys(own.body.errors)).toEqual(['title'])
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

  it('keeps the own commit of an entry, and rejects that of another', async () => {
    const { body: one } = await createEntry({ git_commit_hash: 'd'.repeat(40) })
    const { body: other } = await createEntry({ git_commit_hash: 'e'.repeat(40) })
    expect((await change(one.data.id, { git_commit_hash: 'D'.repeat(40) })).status).toBe(
      200,
    )
    const { status, body } = await change(one.data.id, {
      title: 'x',
      git_commit_hash: other.data.git_commit_hash,
    })
    expect([status, body.errors]).toEqual([
      422,
      { git_commit_hash: ['Este commit já está registrado.'] },
    ])
    expect(
      (await callJson(`/changelogs/${one.data.id}`, { token })).body.data.title,
    ).toBe(ENTRY.title)
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

  it('needs two round trips, and three for a commit', async () => {
    const { body } = await createEntry()
    for (const [method, fields, roundTrips] of [
      ['PUT', { title: 'x' }, 2],
      ['PUT', { git_commit_hash: 'abcdef7' }, 3],
      ['DELETE', undefined, 2],
    ] as const) {
      const { binding, count } = counting()
      await call(`/changelogs/${body.data.id}`, {
        method,
        token,
        body: fields,
        env: { DB: binding },
      })
      expect(count.roundTrips).toBe(roundTrips)
    }
  })
})
