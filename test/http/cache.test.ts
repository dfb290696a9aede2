import { describe, expect, it } from 'vitest'
import { ENTRY } from '../support/changelogs.ts'
import {
  administratorToken,
  call,
  callJson,
  interceptedDatabase,
  runAfterTest,
} from '../support/helper.ts'
import { isolate } from '../support/isolate.ts'

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
