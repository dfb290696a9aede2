import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { send } from '../support/processes.ts'

const get = async (query = '') => send('GET', `/processes${query}`)

describe('GET /v1/processes', () => {
  it('shows the processes by protocol, with their groups, counts and questionnaires', async () => {
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(body.data.map(({ protocol }: { protocol: string }) => protocol)).toEqual([
      'BR-2026-001',
      'BR-2026-002',
    ])
    const [{ groups, ...process }] = body.data
    expect(process).toMatchObject({
      name: 'Provisão da Diocese de Vila Serena',
      protocol: 'BR-2026-001',
    })
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `Grupo ${n}`),
    )
    expect(groups[2].questionnaires).toContainEqual({
      id: expect.any(String),
      title: 'Situação da diocese',
    })
    expect(groups.map(({ informers }: { informers: number }) => informers)).toEqual([
      0, 0, 1, 0, 1, 0,
    ]) // Ana, Bento
    expect(body.pagination).toMatchObject({ per_page: 12, total: 2, last_page: 1 })
    expect(groups[1].cover_texts).toEqual({ line_1: null, line_2: null })
    expect(groups[4].cover_texts).toEqual({
      line_1: 'SOB SEGREDO PONTIFÍCIO',
      line_2: 'Sua violação é um pecado grave e punível sob a lei canônica.',
    })
  })

  it.each([
    ['search=PROVISAO', 2, 2],
    ['search=002+provisao', 1, 1],
    ['search=br-2026-002', 1, 1],
    ['search=%25', 0, 0],
    ['per_page=1&page=2', 1, 2],
    ['per_page=1&page=9007199254740991', 0, 2],
  ])('?%s shows %i of %i', async (query, shown, total) => {
    const { status, body } = await get(`?${query}`)
    expect([status, body.data.length, body.pagination.total]).toEqual([200, shown, total])
    if (shown === 1) expect(body.data).toMatchObject([{ protocol: 'BR-2026-002' }])
  })

  it('shows a process without groups, and a group without questionnaires', async () => {
    const [process, empty] = [crypto.randomUUID(), crypto.randomUUID()]
    const insertProcess = `insert into processes (id, name, name_folded, protocol, protocol_folded)
      values (?, 'Sé', 'se', ?2, lower(?2))`
    await env.DB.batch([
      env.DB.prepare(insertProcess).bind(process, 'A-1'),
      env.DB.prepare(insertProcess).bind(empty, 'A-0'),
      env.DB.prepare(
        "insert into groups (id, process_id, name, name_folded, color, description) values (?, ?, 'G', 'g', '#000000', '')",
      ).bind(crypto.randomUUID(), process),
    ])
    const { body } = await get('?search=a-')
    expect(body.data.map(({ groups }: { groups: object[] }) => groups)).toEqual([
      [],
      [expect.objectContaining({ informers: 0, questionnaires: [] })],
    ])
  })
})
