import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ResponseMemory } from '../../src/http/response-memory.ts'
import { BASE, tokenOf } from '../helper.ts'
import { isolate } from './isolate.ts'

const LISTS = ['/categories', '/dioceses', '/treatment-pronouns', '/changelogs'] as const

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

describe('the responses that an isolate remembers', () => {
  const urlOf = (path: string | number) => `${BASE}/${path}`
  const put = (
    memory: ResponseMemory,
    path: string | number,
    body = 'x',
    readAt = Date.now(),
  ) => memory.put(urlOf(path), { body, readAt, headers: new Headers({ ETag: '"e"' }) })
  const match = (memory: ResponseMemory, path: string | number, headers = {}) =>
    memory.match(new Request(urlOf(path), { headers }))
  const has = (memory: ResponseMemory, ...paths: (string | number)[]) =>
    paths.map((path) => match(memory, path) !== null)

  it('are five million characters, of which the oldest make room', () => {
    const memory = new ResponseMemory()
    for (let path = 0; path < 100; path++) put(memory, path, 'x'.repeat(50_000))
    put(memory, 0, 'x'.repeat(50_000)) // so that it is the newest
    expect(has(memory, 0, 1, 99)).toEqual([true, true, true])
    put(memory, 100, 'x')
    expect(has(memory, 0, 1, 2, 100)).toEqual([true, false, true, true])
    memory.clear()
    expect(has(memory, 0, 100)).toEqual([false, false])
  })

  it('are none that is long', () => {
    const memory = new ResponseMemory()
    put(memory, 'a', 'x'.repeat(50_000))
    put(memory, 'b', 'x'.repeat(50_001))
    expect(has(memory, 'a', 'b')).toEqual([true, false])
  })

  it('are none that was read before a write', () => {
    const memory = new ResponseMemory()
    const readAt = Date.now()
    memory.clear()
    put(memory, 'a', 'x', readAt)
    expect(has(memory, 'a')).toEqual([false])
    vi.advanceTimersByTime(1)
    put(memory, 'a')
    expect(has(memory, 'a')).toEqual([true])
  })

  it.each([
    ['a?page=2', 'a?page=3'],
    ['a?p%61ge=2', 'a'],
    ['a?page=2', 'a'],
    ['a', 'b'],
    ['a?search=%FF', 'a?search=%EF%BF%BD'],
    ['a??&page=9', 'a'],
    ['a?search=b?c', 'a?search=b'],
    ['a?name=Abade', 'a?name=C%C3%B4nego'],
    ['a?utm_source=x', 'a'],
    ['a/', 'a'],
  ])('are two for %s and %s', (one, other) => {
    const memory = new ResponseMemory()
    put(memory, one)
    expect(has(memory, one, other)).toEqual([true, false])
  })

  it.each([
    ['"e"', 304],
    ['W/"e"', 304],
    ['"x", "e"', 304],
    ['*', 304],
    ['"x"', 200],
    ['e', 200],
  ])('respond to If-None-Match %s with %i', (etag, status) => {
    const memory = new ResponseMemory()
    put(memory, 'a')
    expect(match(memory, 'a', { 'If-None-Match': etag })?.status).toBe(status)
  })
})

describe.each(LISTS)('GET /v1%s', (path) => {
  const SECOND = 1000
  const isList = path !== '/changelogs'
  const headersOf = ({ headers }: Response) => Object.fromEntries(headers)

  it('takes one round trip the first time, and none when it is repeated', async () => {
    const { count, get } = isolate()
    const first = await (await get(`${path}?page=1&per_page=5`)).json()
    expect(count.roundTrips).toBe(1)
    expect(await (await get(`${path}?page=1&per_page=5`)).json()).toEqual(first)
    expect(count.roundTrips).toBe(1)
  })

  it('responds from memory with the same headers, but for its age, also to HEAD and with a 304', async () => {
    const { count, get } = isolate()
    const first = headersOf(await get(path))
    expect(first).toMatchObject({
      'cache-control':
        'public, max-age=60, stale-while-revalidate=60, stale-if-error=600',
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
    expect([same.status, headersOf(same), await same.text()]).toEqual([
      304,
      unmodified,
      '',
    ])
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
    expect(
      new Set(await Promise.all(responses.map((response) => response.text()))).size,
    ).toBe(1)
    expect(count.roundTrips).toBeGreaterThan(1)
  })

  it('lets a page of any origin read a 304', async () => {
    const { get } = isolate()
    const etag = (await get(path)).headers.get('ETag') ?? ''
    const { status, headers } = await get(`${path}?page=2`, {
      headers: { 'If-None-Match': etag },
    })
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([
      isList ? 304 : 200,
      '*',
    ])
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
      expect([invalid.status, invalid.headers.get('Cache-Control')]).toEqual([
        422,
        'no-store',
      ])
    }
    expect(count.roundTrips).toBe(1)
  })
})
