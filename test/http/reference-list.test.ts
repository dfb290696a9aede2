import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call, failingDatabase, runAfterTest } from '../support/helper.ts'
import { isolate } from '../support/isolate.ts'
import { logged } from '../support/logs.ts'
import { create, referenceLists } from '../support/resources.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

describe.each(referenceLists)('GET /v1$path', (list) => {
  const { path, table } = list
  const MINUTE = 60_000
  const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'

  it('responds to any other search, filter or page without a round trip, and reads each row once', async () => {
    await create(list)
    const { count, get } = isolate()
    for (const query of [
      '',
      '?search=a',
      '?search=b&page=2',
      '?active=false',
      '?per_page=100&page=3',
    ]) {
      expect((await get(path + query)).status).toBe(200)
    }
    expect(count.roundTrips).toBe(1)
    expect(count.rowsRead).toBe(
      await env.DB.prepare(`select count(*) as n from ${table}`).first('n'),
    )
  })

  it('shows a write when it is read again, with another ETag', async () => {
    await create(list)
    const { get } = isolate()
    const read = async () => {
      const response = await get(path)
      const { data } = (await response.json()) as { data: { name: string }[] }
      return { first: data[0]?.name, etag: response.headers.get('ETag') }
    }
    const before = await read()
    await env.DB.prepare(`update ${table} set name = '0' where name = ?`)
      .bind(before.first)
      .run()
    runAfterTest(`update ${table} set name = ? where name = '0'`, before.first)
    expect(await read()).toEqual(before)
    vi.advanceTimersByTime(MINUTE)
    expect(await read()).toEqual({
      etag: expect.not.stringMatching(before.etag ?? ''),
      first: '0',
    })
  })

  it('has another ETag in another version of the Worker', async () => {
    const etagIn = async (id: string) => {
      const VERSION = { id, tag: '', timestamp: '' }
      return (await call(path, { env: { DB: isolate().binding, VERSION } })).headers.get(
        'ETag',
      )
    }
    expect(await etagIn('a')).toMatch(/^"[\w-]{43}\.a"$/)
    expect(await etagIn('b')).not.toBe(await etagIn('a'))
  })

  it('serves stale data for ten minutes while the database fails, then 503', async () => {
    let isFailing = false
    const DB = failingDatabase(OVERLOADED, () => isFailing)
    const status = async () => (await call(path, { env: { DB } })).status
    expect(await status()).toBe(200)
    isFailing = true
    const statuses: number[] = []
    for (let minute = 1; minute <= 11; minute++) {
      vi.advanceTimersByTime(MINUTE)
      statuses.push(await status())
    }
    expect(statuses).toEqual([...Array(10).fill(200), 503])
    for (const line of logged('error').slice(0, 10)) {
      expect(line).toMatchObject({
        event: `${path.slice(1)} not refreshed`,
        request_id: expect.any(String),
        error: 'DatabaseError',
      })
    }
    isFailing = false
    expect(await status()).toBe(200)
  })
})
