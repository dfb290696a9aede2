import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
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

  it('is visible at once in its own isolate', async () => {
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

  it('that fails invalidates nothing', async () => {
    const { count, get } = isolate()
    await get('/changelogs')
    expect(
      (await get('/changelogs', { token: await administratorToken(), body: {} })).status,
    ).toBe(422)
    const trips = count.roundTrips
    await get('/changelogs')
    expect(count.roundTrips).toBe(trips)
  })

  it('keeps a response out of the cache that was read before it', async () => {
    const { binding, count, get } = isolate()
    const token = await administratorToken()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const withSession = binding.withSession
    binding.withSession = (constraint) => {
      const session = withSession(constraint)
      return {
        ...session,
        batch: async (statements: D1PreparedStatement[]) => {
          const results = await session.batch(statements)
          await held
          return results
        },
      } as D1DatabaseSession
    }
    const slow = get('/changelogs')
    binding.withSession = withSession
    await vi.waitFor(() => expect(count.roundTrips).toBe(1))
    const created = await get('/changelogs', { token, body: entry })
    release()
    await slow
    const fresh = (await (await get('/changelogs')).json()) as {
      data: { title: string }[]
    }
    expect(fresh.data[0]?.title).toBe('x')
    const { data } = (await created.json()) as { data: { id: string } }
    await get(`/changelogs/${data.id}`, { method: 'DELETE', token })
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
