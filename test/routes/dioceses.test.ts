import { describe, expect, it } from 'vitest'
import { callJson } from '../support/helper.ts'

type Diocese = { name: string; state: string }

describe('GET /v1/dioceses', () => {
  it('lists the dioceses with their state, by name without case or accents', async () => {
    const { status, body } = await callJson('/dioceses?per_page=100')
    expect(status).toBe(200)
    const plain = body.data.map(({ name }: Diocese) =>
      name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
    )
    expect(plain).toEqual([...plain].sort())
    expect(body.pagination).toMatchObject({ current_page: 1, per_page: 100 })
  })

  it('filters by state, also with a search', async () => {
    const { body } = await callJson('/dioceses?state=SP&per_page=100')
    expect(new Set(body.data.map(({ state }: Diocese) => state))).toEqual(new Set(['SP']))
    const all = await callJson('/dioceses?per_page=1')
    expect(body.pagination.total).toBeLessThan(all.body.pagination.total)
    const found = await callJson('/dioceses?state=SP&search=SAO&per_page=100')
    expect(found.body.pagination.total).toBeGreaterThan(0)
    expect(found.body.data.every(({ name }: Diocese) => /s[aã]o/i.test(name))).toBe(true)
    expect((await callJson('/dioceses?state=ZZ')).body.data).toEqual([])
  })

  it('does not search the state', async () => {
    const { body } = await callJson('/dioceses?search=sp&per_page=100')
    expect(body.data.every(({ name }: Diocese) => /sp/i.test(name))).toBe(true)
  })

  it.each(['sp', 'S', 'SPA', '', 'S%C3%83'])('rejects the state %s', async (state) => {
    const { status, body } = await callJson(`/dioceses?state=${state}`)
    expect([status, body.errors]).toEqual([
      422,
      { state: ['O parâmetro state deve ser a sigla de um estado.'] },
    ])
  })
})
