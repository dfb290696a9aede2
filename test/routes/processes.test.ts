import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { administratorToken, callJson } from '../support/helper.ts'

const get = async (query = '', options = {}) =>
  callJson(`/processes${query}`, { token: await administratorToken(), ...options })

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
    ['PROVISAO', 2],
    ['vila', 1],
    ['002 provisao', 1],
    ['br-2026-002', 1],
    ['2026-00', 2],
    ['%', 0],
    ['', 2],
  ])('finds by %j in name and protocol', async (search, found) => {
    const { status, body } = await get(`?search=${encodeURIComponent(search)}`)
    expect([status, body.data.length, body.pagination.total]).toEqual([200, found, found])
  })

  it('pages, and is empty past the end', async () => {
    const second = await get('?per_page=1&page=2')
    expect(
      second.body.data.map(({ protocol }: { protocol: string }) => protocol),
    ).toEqual(['BR-2026-002'])
    const past = await get('?per_page=1&page=9007199254740991')
    expect([past.status, past.body.data, past.body.pagination.total]).toEqual([
      200,
      [],
      2,
    ])
  })

  it('shows a process without groups, and a group without questionnaires', async () => {
    const [process, empty] = [crypto.randomUUID(), crypto.randomUUID()]
    await env.DB.batch([
      env.DB.prepare(
        "insert into processes (id, name, name_folded, protocol, protocol_folded) values (?, 'Sé', 'se', 'A-1', 'a-1')",
      ).bind(process),
      env.DB.prepare(
        "insert into processes (id, name, name_folded, protocol, protocol_folded) values (?, 'Vazia', 'vazia', 'A-0', 'a-0')",
      ).bind(empty),
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
