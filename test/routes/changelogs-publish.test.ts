import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createEntry } from '../support/changelogs.ts'
import { administratorToken, callJson, counting, UNKNOWN_ID } from '../support/helper.ts'
import { auditedActions } from '../support/users.ts'

const publish = async (body: unknown, options = {}) =>
  callJson('/changelogs/publish', { token: await administratorToken(), body, ...options })

let major = 100

/** Entries of a new version; drafts, except the published ones. */
async function createEntries(drafts: number, published = 0) {
  major += 1
  const version = `v${major}.0.0`
  const ids: string[] = []
  for (let index = 0; index < drafts + published; index++) {
    const { body } = await createEntry({
      version,
      date: `2026-01-0${index + 1}`,
      is_published: index >= drafts,
    })
    ids.push(body.data.id)
  }
  return { version, ids }
}

const stateOf = async (ids: string[]) => {
  const { results } = await env.DB.prepare(
    'select id, is_published, updated_at from changelogs where id in (select value from json_each(?)) order by date',
  )
    .bind(JSON.stringify(ids))
    .all<{ id: string; is_published: number; updated_at: string }>()
  return results
}

const eventsOf = async (ids: string[]) =>
  env.DB.prepare(
    "select count(*) as n from audit_events where action = 'changelog.published' and subject_id in (select value from json_each(?))",
  )
    .bind(JSON.stringify(ids))
    .first<number>('n')

describe('POST /v1/changelogs/publish', () => {
  it('publishes the drafts of a version, newest first', async () => {
    const { version, ids } = await createEntries(3, 1)
    const before = await stateOf(ids)
    const { status, body } = await publish({ version })
    expect([status, body.message, body.data.published]).toEqual([
      200,
      'Registros publicados com sucesso.',
      3,
    ])
    expect(body.data.entries.map(({ id }: { id: string }) => id)).toEqual(
      ids.slice(0, 3).toReversed(),
    )
    const shown = await callJson(`/changelogs/${ids[0]}`)
    expect(body.data.entries[2]).toEqual(shown.body.data)
    expect(shown.body.data.is_published).toBe(true)
    expect((await stateOf(ids))[3]).toEqual(before[3])
    expect(await eventsOf(ids)).toBe(4) // and of the one that was created as published
  })

  it('publishes 0 for a version without drafts', async () => {
    const { version, ids } = await createEntries(1)
    await publish({ version })
    const { status, body } = await publish({ version })
    expect([status, body.data]).toEqual([200, { published: 0, entries: [] }])
    expect(await eventsOf(ids)).toBe(1)
  })

  it.each([true, false])(
    'rejects a version that no entry has, with is_published %s',
    async (is_published) => {
      const { status, body } = await publish({ version: 'v9999.0.0', is_published })
      expect([status, body.errors]).toEqual([
        422,
        { version: ['Não há registros desta versão.'] },
      ])
    },
  )

  it('publishes entries by their ids, each once, in either case', async () => {
    const { ids } = await createEntries(3, 1)
    const [first = '', second = '', third = '', published = ''] = ids
    const { status, body } = await publish({
      version: null,
      ids: [first, second.toUpperCase(), first, published],
    })
    expect([status, body.data.published]).toEqual([200, 2])
    expect(body.data.entries.map(({ id }: { id: string }) => id)).toEqual([second, first])
    expect((await stateOf([third])).map(({ is_published }) => is_published)).toEqual([0])
    const nothing = await publish({ ids: [] })
    expect([nothing.status, nothing.body.data]).toEqual([
      200,
      { published: 0, entries: [] },
    ])
  })

  it.each([UNKNOWN_ID, 'x', '', '\u0000'])(
    'publishes nothing where %j is no entry',
    async (unknown) => {
      const { ids } = await createEntries(2)
      const { status, body } = await publish({ ids: [...ids, unknown] })
      expect([status, body.errors]).toEqual([
        422,
        { ids: ['Há registros que não existem.'] },
      ])
      expect((await stateOf(ids)).map(({ is_published }) => is_published)).toEqual([0, 0])
      expect(await eventsOf(ids)).toBe(0)
    },
  )

  const choose = { body: ['Informe a versão ou os registros.'] }
  const list = { ids: ['Os registros devem ser uma lista de identificadores.'] }
  const form = { version: ['A versão deve ter a forma v<maior>.<menor>.<correção>.'] }
  it.each([
    [{}, choose],
    [{ version: 'v1.0.0', ids: [] }, choose],
    [{ version: '1.0' }, form],
    [{ ids: 'x' }, list],
    [{ ids: [7] }, list],
    [{ ids: Array(1001).fill(7) }, { ids: ['Envie no máximo 1.000 registros por vez.'] }],
    [
      { version: '1.0', ids: [7] },
      { ...form, ...list, ...choose },
    ],
  ])('rejects %j', async (body, errors) => {
    const response = await publish(body)
    expect([response.status, response.body.errors]).toEqual([422, errors])
  })

  it('takes 1,000 ids, in three round trips', async () => {
    const ids = Array.from({ length: 1000 }, () => crypto.randomUUID())
    await env.DB.prepare(
      "insert into changelogs (id, version, date, title, description, category) select value, 'v77.0.0', '2026-01-31', 'Um', 'Dois', 'Melhoria' from json_each(?)",
    )
      .bind(JSON.stringify(ids))
      .run()
    const { binding, count } = counting()
    const { status, body } = await publish({ ids }, { env: { DB: binding } })
    expect([status, body.data.published, body.data.entries.length]).toEqual([
      200, 1000, 1000,
    ])
    expect(count.roundTrips).toBe(3)
  })

  it('publishes a version of thousands of entries, and shows the newest 1,000', async () => {
    await env.DB.prepare(
      "insert into changelogs (id, version, date, title, description, category) select value, 'v78.0.0', date('2020-01-01', key || ' days'), 'Um', printf('%.10000c', 'x'), 'Melhoria' from json_each(?)",
    )
      .bind(JSON.stringify(Array.from({ length: 5000 }, () => crypto.randomUUID())))
      .run()
    const { binding, count } = counting()
    const { status, body } = await publish(
      { version: 'v78.0.0' },
      { env: { DB: binding } },
    )
    expect([status, body.data.published, body.data.entries.length]).toEqual([
      200, 5000, 1000,
    ])
    expect(body.data.entries[0].date).toBe('2033-09-08')
    expect(count.roundTrips).toBe(3)
  })

  it('at once publishes each draft once', async () => {
    const { version, ids } = await createEntries(4)
    const responses = await Promise.all([
      ...Array.from({ length: 4 }, () => publish({ version })),
      publish({ ids: ids.slice(1) }),
    ])
    expect(responses.reduce((sum, { body }) => sum + body.data.published, 0)).toBe(4)
    expect(await eventsOf(ids)).toBe(4)
  })

  it('takes entries back, by version or by ids, once', async () => {
    const { version, ids } = await createEntries(3, 1)
    await publish({ version })
    const { status, body } = await publish({ ids: ids.slice(0, 2), is_published: false })
    expect([status, body.message, body.data.unpublished]).toEqual([
      200,
      'Registros retirados com sucesso.',
      2,
    ])
    expect(body.data.entries.map(({ id }: { id: string }) => id)).toEqual(
      ids.slice(0, 2).toReversed(),
    )
    expect((await callJson(`/changelogs/${ids[0]}`)).status).toBe(404)
    expect((await publish({ version, is_published: false })).body.data.unpublished).toBe(
      2,
    )
    expect((await publish({ version, is_published: false })).body.data.unpublished).toBe(
      0,
    )
    expect(await auditedActions(ids[0] ?? '')).toEqual([
      'changelog.created',
      'changelog.published',
      'changelog.unpublished',
    ])
  })
})
