import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { call, callJson, counting, runAfterTest } from '../support/helper.ts'

const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name)

describe('GET /v1/categories', () => {
  it('lists twelve categories a page, by name without case or accents', async () => {
    const { status, body } = await callJson('/categories')
    expect(status).toBe(200)
    expect(body.success).toBe(true)
    expect(body.data).toHaveLength(12)
    expect(body.pagination).toEqual({
      current_page: 1,
      per_page: 12,
      total: 100,
      last_page: 9,
      from: 1,
      to: 12,
      has_more_pages: true,
    })
    const all = names((await callJson('/categories?per_page=100')).body)
    const plain = all.map((name) =>
      name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
    )
    expect(plain).toEqual([...plain].sort())
    expect(all.slice(0, 12)).toEqual(names(body))
  })

  it.each(['conego', 'CÔNEGO', 'Co\u0302nego', '%20c%C3%B4nego%20'])(
    'finds Cônego by %s',
    async (search) => {
      const { body } = await callJson(`/categories?search=${search}&per_page=100`)
      expect(names(body)).toContain('Cônego')
    },
  )

  it('finds the words of a search in any order', async () => {
    const { body } = await callJson('/categories?search=emerito%20%20arcebispo')
    expect(names(body)).toEqual(['Arcebispo Emérito'])
  })

  it('searches the description too', async () => {
    const { body } = await callJson('/categories?search=CONCLAVE')
    expect(names(body)).toEqual(['Cardeal'])
  })

  it('filters by active or inactive, also with a search', async () => {
    await env.DB.prepare(
      "update categories set active = 0 where name in ('Cardeal', 'Abade')",
    ).run()
    runAfterTest('update categories set active = 1')
    expect((await callJson('/categories?active=true')).body.pagination.total).toBe(98)
    const { body } = await callJson('/categories?active=false')
    expect(names(body)).toEqual(['Abade', 'Cardeal'])
    expect(body.data[0].active).toBe(false)
    expect(
      names((await callJson('/categories?active=false&search=conclave')).body),
    ).toEqual(['Cardeal'])
  })

  it('shows the last page, and nothing past it', async () => {
    const last = await callJson('/categories?page=4&per_page=30')
    expect(last.body.data).toHaveLength(10)
    expect(last.body.pagination).toMatchObject({
      from: 91,
      to: 100,
      last_page: 4,
      has_more_pages: false,
    })
    for (const page of [
      '5',
      '1000000000',
      String(Number.MAX_SAFE_INTEGER),
      '9'.repeat(20),
      '9'.repeat(400),
    ]) {
      const { status, body } = await callJson(`/categories?per_page=30&page=${page}`)
      expect([status, body.data]).toEqual([200, []])
      expect(body.pagination).toMatchObject({
        current_page: Math.min(Number(page), Number.MAX_SAFE_INTEGER),
        from: 0,
        to: 0,
        has_more_pages: false,
      })
    }
  })

  it('ignores an empty search', async () => {
    expect((await callJson('/categories?search=')).body.pagination.total).toBe(100)
    expect((await callJson('/categories?search=%20')).body.pagination.total).toBe(100)
  })

  const page = 'O parâmetro page deve ser um número inteiro a partir de 1.'
  const perPage = 'O parâmetro per_page deve ser um número inteiro de 1 a 500.'
  it.each([
    ['page=%2B1', { page: [page] }],
    ['page=1&page=2', { page: ['O parâmetro page só pode ser informado uma vez.'] }],
    ['per_page=0&page=x', { page: [page], per_page: [perPage] }],
    ['per_page=501', { per_page: [perPage] }],
    ['active=', { active: ['O parâmetro active deve ser true ou false.'] }],
    ['active=1', { active: ['O parâmetro active deve ser true ou false.'] }],
    [
      'search=a&search=b',
      { search: ['O parâmetro search só pode ser informado uma vez.'] },
    ],
  ])('rejects %s', async (query, errors) => {
    const { status, body } = await callJson(`/categories?${query}`)
    expect([status, body.errors]).toEqual([422, errors])
  })

  it.each([
    ['page=1', 'per_page=1'],
    ['page=001', 'per_page=500'],
    [`search=${'😀'.repeat(100)}`, 'x=ignored'],
  ])('accepts %s and %s', async (one, other) => {
    expect((await call(`/categories?${one}&${other}`)).status).toBe(200)
  })

  it('rejects without a round trip', async () => {
    const { binding, count } = counting()
    expect((await call('/categories?page=0', { env: { DB: binding } })).status).toBe(422)
    expect(
      (await call('/categories', { token: 'x.y.z', env: { DB: binding } })).status,
    ).toBe(401)
    expect(count.roundTrips).toBe(0)
  })
})
