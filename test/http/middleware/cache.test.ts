import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import app from '../../../src/index.ts'
import { ENTRY } from '../../changelogs.ts'
import { administratorToken, BASE, call } from '../../helper.ts'
import { isolate } from '../isolate.ts'

describe('a write', () => {
  const entry = {
    ...ENTRY,
    version: 'v5.0.0',
    date: '2026-11-20',
    title: 'x',
    is_published: true,
  }

  it('is visible at once', async () => {
    const { get } = isolate()
    const token = await administratorToken()
    const titles = async () =>
      (
        (await (await get('/changelogs')).json()) as { data: { title: string }[] }
      ).data.map(({ title }) => title)
    const before = await titles()
    const created = await get('/changelogs', { token, body: entry })
    const { data } = (await created.json()) as { data: { id: string } }
    expect(await titles()).toEqual(['x', ...before])
    await get(`/changelogs/${data.id}`, { method: 'PUT', token, body: { title: 'y' } })
    expect(await titles()).toEqual(['y', ...before])
    await get(`/changelogs/${data.id}`, { method: 'DELETE', token })
    expect(await titles()).toEqual(before)
  })

  it('that fails leaves the list in memory', async () => {
    const { count, get } = isolate()
    await get('/categories')
    const token = await administratorToken()
    expect((await get('/categories', { token, body: {} })).status).toBe(422)
    const trips = count.roundTrips
    await get('/categories')
    expect(count.roundTrips).toBe(trips)
  })

  it('purges its tag from a shared cache, if there is one', async () => {
    const purged: unknown[] = []
    const context = createExecutionContext()
    Object.defineProperty(context, 'cache', {
      value: { purge: async (options: unknown) => purged.push(options) },
    })
    const request = new Request(`${BASE}/changelogs`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await administratorToken()}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(entry),
    })
    const response = await app.fetch(request, env, context)
    await waitOnExecutionContext(context)
    expect(response.status).toBe(201)
    expect(purged).toEqual([{ tags: ['changelogs'] }])
    const { data } = (await response.json()) as { data: { id: string } }
    await call(`/changelogs/${data.id}`, {
      method: 'DELETE',
      token: await administratorToken(),
    })
  })
})
