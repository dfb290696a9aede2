import { describe, expect, it, vi } from 'vitest'
import { responseCacheOf } from '../../../src/http/middleware/response-cache.ts'
import { tokenOf } from '../../helper.ts'
import { isolate } from '../isolate.ts'

const LISTS = ['/categories', '/dioceses', '/treatment-pronouns', '/changelogs'] as const

describe('the cache of an isolate', () => {
  const newCache = () => responseCacheOf({} as D1Database)
  const entryOf = (body: string, readAt = Date.now()) => ({
    tag: 'categories' as const,
    body,
    revision: { etag: '"e"', readAt },
  })
  const MEGABYTE = 'x'.repeat(1_000_000)

  it('keeps 500 responses, and evicts the oldest first', () => {
    const cache = newCache()
    for (let url = 0; url < 500; url++) cache.set(`${url}`, entryOf('x'))
    expect(cache.get('0')?.body).toBe('x')
    cache.set('500', entryOf('x'))
    expect([cache.get('0'), cache.get('1')?.body, cache.get('500')?.body]).toEqual([null, 'x', 'x'])
  })

  it('keeps at most 4 MB, however often one of them is replaced', () => {
    const cache = newCache()
    for (let again = 0; again < 10; again++) cache.set('one', entryOf(MEGABYTE))
    for (const url of ['two', 'three']) cache.set(url, entryOf(MEGABYTE))
    expect(['one', 'two', 'three'].map((url) => cache.get(url) !== null)).toEqual([true, true, true])
    cache.set('four', entryOf(MEGABYTE))
    expect(['one', 'two', 'four'].map((url) => cache.get(url) !== null)).toEqual([false, true, true])
  })

  it('has room again after a minute, and after a write', () => {
    const cache = newCache()
    const remains = () => ['a', 'b', 'c'].map((url) => cache.get(url) !== null)
    const fill = () => {
      for (const url of ['a', 'b', 'c']) cache.set(url, entryOf(MEGABYTE))
    }
    for (const url of ['x', 'y', 'z']) cache.set(url, entryOf(MEGABYTE, Date.now() - 60_000))
    expect(['x', 'y', 'z'].map((url) => cache.get(url))).toEqual([null, null, null])
    fill()
    expect(remains()).toEqual([true, true, true])
    cache.invalidate(null)
    expect(remains()).toEqual([false, false, false])
    fill()
    expect(remains()).toEqual([true, true, true])
  })

  it('knows the bookmark of the latest write', () => {
    const cache = newCache()
    const bookmarks = ['00000002-0000', '00000010-0000', '00000009-0000', null].map((bookmark) => {
      cache.invalidate(bookmark)
      return cache.lastBookmark
    })
    expect(bookmarks).toEqual(['00000002-0000', '00000010-0000', '00000010-0000', '00000010-0000'])
  })
})

describe.each(LISTS)('GET /v1%s', (path) => {
  it('takes one round trip the first time, and none when it is repeated, under every address', async () => {
    const { count, get } = isolate()
    const first = await (await get(`${path}?page=1&per_page=5`)).json()
    expect(count.roundTrips).toBe(1)
    for (let repeated = 0; repeated < 3; repeated++)
      expect(await (await get(`${path}?page=1&per_page=5`)).json()).toEqual(first)
    expect(count.roundTrips).toBe(1)
    for (const prefix of ['/v1/api', '/api/v1'])
      expect(await (await get(`https://service.example${prefix}${path}?page=1&per_page=5`)).json()).toEqual(
        first,
      )
  })

  it('sends 304 to a client that has it, also with a token', async () => {
    const { get } = isolate()
    const first = await get(path)
    const own = await get(path, { token: await tokenOf('ana@example.org') })
    expect(own.headers.get('Cache-Control')).toMatch(/^private/)
    expect(await own.text()).toBe(await first.text())
    for (const token of [undefined, await tokenOf('ana@example.org')]) {
      const same = await get(path, { token, headers: { 'If-None-Match': first.headers.get('ETag') ?? '' } })
      expect([same.status, await same.text()]).toEqual([304, ''])
    }
  })

  it('responds to simultaneous first requests, each with its own read', async () => {
    const { count, get } = isolate()
    const responses = await Promise.all(Array.from({ length: 20 }, () => get(path)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1)
    expect(count.roundTrips).toBeGreaterThan(1)
  })

  it('responds from memory with the same headers, also to HEAD', async () => {
    const { get } = isolate()
    const headersOf = ({ headers }: Response) => Object.fromEntries(headers)
    const first = headersOf(await get(path))
    expect(headersOf(await get(path))).toEqual(first)
    const head = await get(path, { method: 'HEAD' })
    expect([headersOf(head), await head.text()]).toEqual([first, ''])
  })

  it('responds to any token with the headers of the first, but for ETag and age', async () => {
    const { get } = isolate()
    const headersOf = async (email: string, query = '') =>
      Object.fromEntries((await get(path + query, { token: await tokenOf(email) })).headers)
    const first = await headersOf('ana@example.org')
    expect(first).toMatchObject({
      'cache-control': 'private, max-age=60, stale-while-revalidate=60, stale-if-error=600',
      'access-control-allow-origin': '*',
      'x-frame-options': 'SAMEORIGIN',
    })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 57_000 })
    const age = path === '/changelogs' ? 60 : 3 // lists are in memory
    const control = `private, max-age=${age}, stale-while-revalidate=60, stale-if-error=600`
    expect(await headersOf('bento@example.org')).toEqual({ ...first, 'cache-control': control })
    const { etag, ...others } = await headersOf('bento@example.org', '?search=x&page=7')
    const { etag: firstEtag, ...firstOthers } = first
    expect(others).toEqual({ ...firstOthers, 'cache-control': control })
    expect(etag === firstEtag).toBe(path !== '/changelogs')
    vi.useRealTimers()
  })

  it('keeps no response to a token, and serves no other method', async () => {
    const { count, get } = isolate()
    expect(
      (await get(path, { token: await tokenOf('ana@example.org') })).headers.get('Cache-Control'),
    ).toMatch(/^private/)
    expect((await get(path)).headers.get('Cache-Control')).toMatch(/^public/)
    expect(count.roundTrips).toBe(path === '/changelogs' ? 2 : 1) // lists are in memory
    expect((await get(path, { method: 'DELETE' })).status).toBe(405)
  })

  it('lets a page of any origin read a 304', async () => {
    const { get } = isolate()
    const etag = (await get(path)).headers.get('ETag') ?? ''
    const { status, headers } = await get(`${path}?page=2`, { headers: { 'If-None-Match': etag } })
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([
      path === '/changelogs' ? 200 : 304,
      '*',
    ])
    expect(headers.get('Access-Control-Expose-Headers')).toContain('ETag')
  })

  it('rejects an invalid token even if the response is cached', async () => {
    const { get } = isolate()
    await get(path)
    expect((await get(path, { token: 'x.y.z' })).status).toBe(401)
    expect((await get(path, { headers: { Authorization: '' } })).status).toBe(401)
    expect((await get(path)).status).toBe(200)
  })

  it('ignores the bookmark of an anonymous caller', async () => {
    const { count, get } = isolate()
    await get(path, { headers: { 'x-d1-bookmark': '0000-0000' } })
    await get(`${path}?page=2`, { headers: { 'x-d1-bookmark': '0000-0000' } })
    expect(new Set(count.sessions)).toEqual(new Set(['first-unconstrained']))
  })

  it('is read first for a caller with a token and a bookmark', async () => {
    const { count, get } = isolate()
    await get(path)
    await get(path, {
      token: await tokenOf('ana@example.org'),
      headers: { 'x-d1-bookmark': '00000000-00000000' },
    })
    expect(count.sessions.at(-1)).toBe('00000000-00000000')
    expect(count.roundTrips).toBe(2)
  })

  it('caches no error', async () => {
    const { binding, count, get } = isolate()
    const withSession = binding.withSession
    binding.withSession = () => {
      throw new Error('once')
    }
    expect((await get(path)).status).toBe(500)
    binding.withSession = withSession
    expect((await get(path)).status).toBe(200)
    expect((await get(`${path}?page=0`)).status).toBe(422)
    expect((await get(`${path}?page=0`)).status).toBe(422)
    expect(count.roundTrips).toBe(1)
  })

  it('shows only what is left of the minute for which it is fresh', async () => {
    const { get } = isolate()
    vi.useFakeTimers({ toFake: ['Date'] })
    const control = async (query = '') => (await get(path + query)).headers.get('Cache-Control')
    expect(await control()).toBe('public, max-age=60, stale-while-revalidate=60, stale-if-error=600')
    vi.advanceTimersByTime(57_000)
    expect(await control()).toBe('public, max-age=3, stale-while-revalidate=60, stale-if-error=600')
    vi.useRealTimers()
  })
})

describe('GET /v1/changelogs', () => {
  it('is read again after a minute', async () => {
    const { count, get } = isolate()
    vi.useFakeTimers({ toFake: ['Date'] })
    await get('/changelogs')
    vi.advanceTimersByTime(59_999)
    await get('/changelogs')
    expect(count.roundTrips).toBe(1)
    vi.advanceTimersByTime(1)
    await get('/changelogs')
    expect(count.roundTrips).toBe(2)
    vi.useRealTimers()
  })
})
