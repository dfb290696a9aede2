import { describe, expect, it } from 'vitest'
import { callJson } from '../helper.ts'

describe('GET /v1/treatment-pronouns', () => {
  it('lists the pronouns with their description, which a search looks into', async () => {
    const { status, body } = await callJson('/treatment-pronouns?per_page=100')
    expect(status).toBe(200)
    expect(Object.keys(body.data[0])).toEqual(['id', 'name', 'description', 'active', 'created_at', 'updated_at'])
    const [{ description }] = body.data
    const found = await callJson(`/treatment-pronouns?search=${encodeURIComponent(description.slice(0, 100))}`)
    expect(found.body.data).toContainEqual(body.data[0])
  })

  it('ignores a filter that only dioceses have', async () => {
    const { status, body } = await callJson('/treatment-pronouns?state=x')
    expect([status, body.data.length]).toEqual([200, 12])
  })

  it('reports every bad parameter', async () => {
    const { status, body } = await callJson('/treatment-pronouns?active=sim&page=0&per_page=0')
    expect([status, Object.keys(body.errors)]).toEqual([422, ['active', 'page', 'per_page']])
  })
})
