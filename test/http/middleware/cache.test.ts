import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ENTRY } from '../../changelogs.ts'
import {
  administratorToken,
  BASE,
  call,
  callJson,
  interceptedDatabase,
  runAfterTest,
} from '../../helper.ts'
import { referenceLists } from '../../resources.ts'
import { isolate } from '../isolate.ts'
import app from '#index.ts'

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

  it('keeps no list in memory that was read before it', async () => {
    const read = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    let isFirst = true
    const DB = interceptedDatabase(async (query) => {
      const result = await query()
      if (isFirst) {
        isFirst = false
        read.resolve()
        await written.promise
      }
      return result
    })
    const ofIsolate = { env: { DB } }
    const slow = call('/categories', ofIsolate)
    await read.promise
    const token = await administratorToken()
    const { body: created } = await callJson('/categories', {
      token,
      body: { name: 'Lida antes', description: 'Uma.' },
      ...ofIsolate,
    })
    runAfterTest('delete from categories where id = ?', created.data.id)
    written.resolve()
    await slow
    const { body } = await callJson('/categories?search=Lida antes', ofIsolate)
    expect(body.data[0]).toEqual(created.data)
  })
})

describe('the cache in front of the Worker', () => {
  /** Sends a request as an administrator, and returns what it purged. */
  async function write(method: string, path: string, body?: object) {
    const purged: unknown[] = []
    const context = createExecutionContext()
    Object.defineProperty(context, 'cache', {
      value: { purge: async (options: unknown) => purged.push(options) },
    })
    const request = new Request(BASE + path, {
      method,
      headers: {
        Authorization: `Bearer ${await administratorToken()}`,
        'Content-Type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const response = await app.fetch(request, env, context)
    await waitOnExecutionContext(context)
    const { data } = (await response.json()) as { data?: { id: string } }
    return { status: response.status, id: data?.id, purged }
  }

  it.each([
    ...referenceLists.map(({ path, newBody }) => ({ path, newBody, update: 'PATCH' })),
    { path: '/changelogs', newBody: () => ENTRY, update: 'PUT' },
  ])(
    'loses the responses of $path by every write, and by none that fails',
    async ({ path, newBody, update }) => {
      const purged = [{ tags: [path.slice(1)] }]
      expect(await write('POST', path, {})).toMatchObject({ status: 422, purged: [] })
      const created = await write('POST', path, newBody())
      expect(created).toMatchObject({ status: 201, purged })
      const one = `${path}/${created.id}`
      expect(await write(update, one, newBody())).toMatchObject({ status: 200, purged })
      expect(await write('DELETE', one)).toMatchObject({ status: 200, purged })
      expect(await write('DELETE', one)).toMatchObject({ status: 404, purged: [] })
    },
  )

  it('loses the entries that are published', async () => {
    const { version } = ENTRY
    expect(await write('POST', '/changelogs/publish', { version })).toMatchObject({
      status: 200,
      purged: [{ tags: ['changelogs'] }],
    })
  })
})
