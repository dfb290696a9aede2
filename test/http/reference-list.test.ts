import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { administratorToken, call, failingDatabase } from '../helper.ts'
import { logged } from '../logs.ts'
import { isolate } from './isolate.ts'

describe.each(['/categories', '/dioceses', '/treatment-pronouns'])('GET /v1%s', (path) => {
  const SECOND = 1000
  const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'

  it('responds to any other search, filter or page without a round trip', async () => {
    const { count, get } = isolate()
    for (const query of ['', '?search=a', '?search=b&page=2', '?active=false', '?per_page=100&page=3'])
      expect((await get(path + query)).status).toBe(200)
    expect(count.roundTrips).toBe(1)
  })

  it('responds to any other search with the headers of the first, but for its age', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { get } = isolate()
    const headersOf = async (query: string) => Object.fromEntries((await get(path + query)).headers)
    const first = await headersOf('')
    expect(first).toMatchObject({ 'x-frame-options': 'SAMEORIGIN', 'access-control-allow-origin': '*' })
    expect(await headersOf('?search=a')).toEqual(first)
    vi.advanceTimersByTime(57 * SECOND)
    const later: Record<string, unknown> = {
      ...first,
      'cache-control': expect.stringContaining('max-age=3,'),
    }
    expect(await headersOf('?search=b')).toEqual(later)
    expect(await headersOf('?search=a')).toEqual(later)
    const { 'content-type': _, ...unmodified } = later
    const same = await get(`${path}?search=c`, { headers: { 'If-None-Match': first.etag ?? '' } })
    expect([same.status, Object.fromEntries(same.headers)]).toEqual([304, unmodified])
    expect((await headersOf('?page=0'))['cache-control']).toBe('no-store')
    vi.useRealTimers()
  })

  it('is reloaded after the response in its second minute, and before the response later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { count, get } = isolate()
    const age = async () => (await get(`${path}?page=2`)).headers.get('Cache-Control')
    await age()
    vi.advanceTimersByTime(75 * SECOND)
    expect(await age()).toBe('public, max-age=0, stale-while-revalidate=45, stale-if-error=585')
    expect(count.roundTrips).toBe(2)
    expect(await age()).toMatch(/max-age=60/)
    vi.advanceTimersByTime(120 * SECOND)
    expect(await age()).toMatch(/max-age=60/)
    expect(count.roundTrips).toBe(3)
    vi.useRealTimers()
  })

  it('shows a write when it is read again, with another ETag', async () => {
    const { get } = isolate()
    const token = await administratorToken()
    const table = path.slice(1).replace('-', '_')
    const read = async () => {
      const response = await get(path, { token, headers: { 'x-d1-bookmark': '0' } })
      const { data } = (await response.json()) as { data: { name: string }[] }
      return { first: data[0]?.name, etag: response.headers.get('ETag') }
    }
    const { etag, first } = await read()
    expect(await read()).toEqual({ etag, first })
    await env.DB.prepare(`update ${table} set name = '0' where name = ?`).bind(first).run()
    expect(await read()).toEqual({ etag: expect.not.stringMatching(etag ?? ''), first: '0' })
    await env.DB.prepare(`update ${table} set name = ? where name = '0'`).bind(first).run()
    expect((await read()).first).toBe(first)
  })

  it('has another ETag in another version of the Worker', async () => {
    const etagIn = async (id: string) => {
      const VERSION = { id, tag: '', timestamp: '' }
      return (await call(path, { env: { DB: isolate().binding, VERSION } })).headers.get('ETag')
    }
    expect(await etagIn('a')).toMatch(/^"[0-9a-f]{16}\.a"$/)
    expect(await etagIn('b')).not.toBe(await etagIn('a'))
  })

  it('is reloaded once for many requests of its second minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { count, get } = isolate()
    await get(path)
    vi.advanceTimersByTime(75 * SECOND)
    await Promise.all(Array.from({ length: 5 }, (_, page) => get(`${path}?page=${page + 2}`)))
    expect(count.roundTrips).toBe(2)
    vi.useRealTimers()
  })

  it('is reloaded by the next request if reloading after the response has failed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let isFailing = false
    const DB = failingDatabase(OVERLOADED, () => isFailing)
    const age = async (page: number) =>
      (await call(`${path}?page=${page}`, { env: { DB } })).headers.get('Cache-Control')
    await age(1)
    vi.advanceTimersByTime(75 * SECOND)
    isFailing = true
    expect(await age(2)).toMatch(/max-age=0/)
    isFailing = false
    expect(await age(3)).toMatch(/max-age=0/)
    expect(await age(4)).toMatch(/max-age=60/)
    vi.useRealTimers()
  })

  it('serves stale data for ten minutes while the database fails, then 503', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let isFailing = false
    const DB = failingDatabase(OVERLOADED, () => isFailing)
    const status = async () => (await call(path, { env: { DB } })).status
    expect(await status()).toBe(200)
    isFailing = true
    const statuses: number[] = []
    for (let minute = 1; minute <= 11; minute++) {
      vi.advanceTimersByTime(60 * SECOND)
      statuses.push(await status())
    }
    expect(statuses).toEqual([...Array(10).fill(200), 503])
    expect(logged('error').length).toBeGreaterThanOrEqual(10)
    for (const line of logged('error').slice(0, 10))
      expect(line).toMatchObject({
        event: `${path.slice(1)} refresh failed`,
        request_id: expect.any(String),
        error: 'DatabaseError',
      })
    isFailing = false
    expect(await status()).toBe(200)
    vi.useRealTimers()
  })
})
