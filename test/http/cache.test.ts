import fc from 'fast-check'
import { getQueryParams } from 'hono/utils/url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Cache } from '../../src/http/cache.ts'
import { BASE, tokenOf } from '../helper.ts'
import { isolate } from './isolate.ts'

const LISTS = ['/categories', '/dioceses', '/treatment-pronouns', '/changelogs'] as const

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

describe('the cache of an isolate', () => {
  const request = (path: string | number, headers = {}) =>
    new Request(`${BASE}/${path}`, { headers })
  const put = (cache: Cache, path: string | number, body = 'x', readAt = Date.now()) =>
    cache.put(request(path), { body, etag: '"e"', readAt }, new Headers({ ETag: '"e"' }))
  const has = (cache: Cache, ...paths: (string | number)[]) =>
    paths.map((path) => cache.match(request(path)) !== null)

  it('keeps 200 responses, and evicts the oldest first', () => {
    const cache = new Cache()
    for (let path = 0; path < 200; path++) put(cache, path)
    put(cache, 0)
    expect(has(cache, 0, 1)).toEqual([true, true])
    put(cache, 200)
    expect(has(cache, 0, 1, 2, 200)).toEqual([true, false, true, true])
    cache.clear()
    expect(has(cache, 0, 200)).toEqual([false, false])
  })

  it('keeps no long response', () => {
    const cache = new Cache()
    put(cache, 'a', 'x'.repeat(50_000))
    put(cache, 'b', 'x'.repeat(50_001))
    expect(has(cache, 'a', 'b')).toEqual([true, false])
  })

  it('keeps the later of two reads, whichever is stored last', async () => {
    const cache = new Cache()
    const now = Date.now()
    put(cache, 'a', 'new', now)
    put(cache, 'a', 'old', now - 1)
    expect(await cache.match(request('a'))?.text()).toBe('new')
    const list = (etag: string, readAt: number) => ({ entries: [], etag, readAt })
    cache.putList('categories', list('new', now), 0)
    cache.putList('categories', list('old', now - 1), 0)
    expect(cache.list('categories')?.etag).toBe('new')
    cache.clear()
    cache.putList('categories', list('read before the write', now + 1), 0)
    expect(cache.list('categories')).toBeNull()
  })

  it.each([
    ['a?utm_source=x', 'a'],
    ['a?utm_source=x&page=2', 'a?page=2'],
    ['a/', 'a'],
    ['a?search=%C3%A9', 'a?search=%C3%A9'],
  ])('has one response for %s and %s', (one, other) => {
    const cache = new Cache()
    put(cache, one)
    expect(has(cache, other)).toEqual([true])
  })

  it.each([
    ['a?page=2', 'a?page=3'],
    ['a?p%61ge=2', 'a'],
    ['a?page=2', 'a'],
    ['a', 'b'],
    ['a?search=%FF', 'a?search=%EF%BF%BD'],
    ['a??&page=9', 'a'],
    ['a?search=b?c', 'a?search=b'],
    ['a?page=2', 'a#?page=2'],
  ])('has two responses for %s and %s', (one, other) => {
    const cache = new Cache()
    put(cache, one)
    expect(has(cache, other)).toEqual([false])
  })

  it('has one response for two addresses only if the router reads the same parameters from them', () => {
    const part = fc.constantFrom(
      '?',
      '&',
      '#',
      '=',
      '%',
      '+',
      '/',
      'page=1',
      'page',
      'p%61ge',
      'search',
      'x=1',
      'x',
    )
    const address = fc.string({ unit: part, maxLength: 5 }).map((rest) => `a?${rest}`)
    const known = (path: string) => {
      const parameters = getQueryParams(`${BASE}/${path}`) as Record<string, string[]>
      return ['page', 'search'].map((name) => parameters[name])
    }
    fc.assert(
      fc.property(address, address, (one, other) => {
        const cache = new Cache()
        put(cache, one)
        if (has(cache, other)[0]) expect(known(other)).toEqual(known(one))
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['"e"', 304],
    ['W/"e"', 304],
    ['"x", "e"', 304],
    ['*', 304],
    ['"x"', 200],
    ['e', 200],
  ])('responds to If-None-Match %s with %i', (etag, status) => {
    const cache = new Cache()
    put(cache, 'a')
    expect(cache.match(request('a', { 'If-None-Match': etag }))?.status).toBe(status)
  })
})

describe.each(LISTS)('GET /v1%s', (path) => {
  const SECOND = 1000
  const isList = path !== '/changelogs'
  const headersOf = ({ headers }: Response) => Object.fromEntries(headers)

  it('takes one round trip the first time, and none when it is repeated, under every address', async () => {
    const { count, get } = isolate()
    const first = await (await get(`${path}?page=1&per_page=5`)).json()
    expect(count.roundTrips).toBe(1)
    for (const address of [
      BASE,
      'https://service.example/v1/api',
      'https://service.example/api/v1',
    ])
      for (const query of ['page=1&per_page=5', 'page=1&per_page=5&x=1', 'x=2&page=1&per_page=5'])
        expect(await (await get(`${address}${path}?${query}`)).json()).toEqual(first)
    expect(count.roundTrips).toBe(1)
  })

  it('responds from memory with the same headers, but for its age, also to HEAD and with a 304', async () => {
    const { count, get } = isolate()
    const first = headersOf(await get(path))
    expect(first).toMatchObject({
      'cache-control': 'public, max-age=60, stale-while-revalidate=60, stale-if-error=600',
      'access-control-allow-origin': '*',
      'x-frame-options': 'DENY',
      vary: 'Authorization',
    })
    vi.advanceTimersByTime(57 * SECOND)
    const later = {
      ...first,
      'cache-control': 'public, max-age=3, stale-while-revalidate=60, stale-if-error=600',
    }
    expect(headersOf(await get(path))).toEqual(later)
    const head = await get(path, { method: 'HEAD' })
    expect([headersOf(head), await head.text()]).toEqual([later, ''])
    const same = await get(path, { headers: { 'If-None-Match': first.etag ?? '' } })
    const { 'content-type': _, ...unmodified } = later as Record<string, string>
    expect([same.status, headersOf(same), await same.text()]).toEqual([304, unmodified, ''])
    expect(count.roundTrips).toBe(1)
  })

  it('is read again after a minute', async () => {
    const { count, get } = isolate()
    await get(path)
    vi.advanceTimersByTime(60 * SECOND - 1)
    await get(path)
    expect(count.roundTrips).toBe(1)
    vi.advanceTimersByTime(1)
    expect((await get(path)).headers.get('Cache-Control')).toMatch(/max-age=60/)
    expect(count.roundTrips).toBe(2)
  })

  it('is read for every token, privately, and with a 304 if it is known', async () => {
    const { count, get } = isolate()
    const token = await tokenOf('ana@example.org')
    const first = await get(path)
    const own = await get(path, { token })
    expect(own.headers.get('Cache-Control')).toMatch(/^private, max-age=60,/)
    expect(await own.text()).toBe(await first.text())
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    const same = await get(path, { token, headers })
    expect([same.status, await same.text()]).toEqual([304, ''])
    expect([count.roundTrips, count.sessions]).toEqual([
      3,
      ['first-unconstrained', 'first-primary', 'first-primary'],
    ])
    expect((await get(path)).headers.get('Cache-Control')).toMatch(/^public/)
    expect(count.roundTrips).toBe(3)
  })

  it('responds to simultaneous first requests, each with its own read', async () => {
    const { count, get } = isolate()
    const responses = await Promise.all(Array.from({ length: 20 }, () => get(path)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1)
    expect(count.roundTrips).toBeGreaterThan(1)
  })

  it('lets a page of any origin read a 304', async () => {
    const { get } = isolate()
    const etag = (await get(path)).headers.get('ETag') ?? ''
    const { status, headers } = await get(`${path}?page=2`, { headers: { 'If-None-Match': etag } })
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([isList ? 304 : 200, '*'])
    expect(headers.get('Access-Control-Expose-Headers')).toContain('ETag')
  })

  it('rejects an invalid token and other methods even if the response is cached', async () => {
    const { get } = isolate()
    await get(path)
    expect((await get(path, { token: 'x.y.z' })).status).toBe(401)
    expect((await get(path, { headers: { Authorization: '' } })).status).toBe(401)
    expect((await get(path, { method: 'DELETE' })).status).toBe(405)
    expect((await get(path)).status).toBe(200)
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
    for (let repeated = 0; repeated < 2; repeated++) {
      const invalid = await get(`${path}?page=0`)
      expect([invalid.status, invalid.headers.get('Cache-Control')]).toEqual([422, 'no-store'])
    }
    expect(count.roundTrips).toBe(1)
  })
})
