import { describe, expect, it } from 'vitest'
import { callJson } from '../support/helper.ts'

describe('GET /v1/treatment-pronouns', () => {
  it('lists the pronouns with their name and description, which a search looks into', async () => {
    const { status, body } = await callJson('/treatment-pronouns?per_page=100')
    expect(status).toBe(200)
    const [{ description }] = body.data
    for (const [text, name] of [
      [description.slice(0, 100), body.data[0].name],
      ['dom', 'Dom'],
    ]) {
      const found = await callJson(
        `/treatment-pronouns?per_page=100&search=${encodeURIComponent(text)}`,
      )
      expect(found.body.data.map((pronoun: { name: string }) => pronoun.name)).toContain(
        name,
      )
    }
  })

  it('ignores a filter that only dioceses have', async () => {
    const { status, body } = await callJson('/treatment-pronouns?state=x')
    expect([status, body.data.length]).toEqual([200, 12])
  })
})
