import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { responseCacheOf } from '../../../src/http/middleware/response-cache.ts'
import app from '../../../src/index.ts'
import { administratorToken, BASE, call, callJson, tokenOf } from '../../helper.ts'
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

describe('a write', () => {
  const entry = {
    version: 'v5.0.0',
    date: '2026-11-20',
    title: 'x',
    description: 'x',
    category: 'Melhoria',
    is_published: true,
  }

  it('is visible at once in its own isolate', async () => {
    const { count, get } = isolate()
    const token = await administratorToken()
    const titles = async () =>
      ((await (await get('/changelogs')).json()) as { data: { title: string }[] }).data.map(
        ({ title }) => title,
      )
    const before = await titles()
    const created = await get('/changelogs', { token, body: entry })
    const { data } = (await created.json()) as { data: { id: string } }
    expect(await titles()).toEqual(['x', ...before])
    expect(count.sessions.at(-1)).toBe(created.headers.get('x-d1-bookmark'))
    await get(`/changelogs/${data.id}`, { method: 'PUT', token, body: { title: 'y' } })
    expect(await titles()).toEqual(['y', ...before])
    await get(`/changelogs/${data.id}`, { method: 'DELETE', token })
    expect(await titles()).toEqual(before)
    await get('/changelogs/sync-from-git', { token, body: { commits: [] } })
    const trips = count.roundTrips
    await titles()
    expect(count.roundTrips).toBe(trips + 1)
  })

  it('that fails invalidates nothing', async () => {
    const { count, get } = isolate()
    await get('/changelogs')
    expect((await get('/changelogs', { token: await administratorToken(), body: {} })).status).toBe(422)
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
    const fresh = (await (await get('/changelogs')).json()) as { data: { title: string }[] }
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
      headers: { Authorization: `Bearer ${await administratorToken()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(entry),
    })
    const response = await app.fetch(request, env, context)
    await waitOnExecutionContext(context)
    expect(response.status).toBe(201)
    expect(purged).toEqual([{ tags: ['changelogs'] }])
    const { data } = (await response.json()) as { data: { id: string } }
    await call(`/changelogs/${data.id}`, { method: 'DELETE', token: await administratorToken() })
  })
})

describe('a shared cache', () => {
  /** Every route and method of the app's own table; the documentation is the same for everyone. */
  const routes = [
    ...new Set(
      app.routes
        .filter(({ method, path }) => method !== 'ALL' && !/^\/($|v1\/(docs|openapi))/.test(path))
        .map(({ method, path }) => `${method} ${path}`),
    ),
  ]

  it.each(routes)(
    'can store no response to %s that has a token or is an error, and nothing of one request',
    async (route) => {
      const [method = '', pattern = ''] = route.split(' ')
      const { body } = await callJson('/changelogs')
      const path = pattern.replace(/^\/v1/, '').replace(/:\w+/g, body.data[0].id)
      const tokens = [
        undefined,
        'x',
        await administratorToken(),
        await tokenOf('ana@example.org'),
        await tokenOf('clara@example.org'),
      ]
      for (const token of tokens) {
        for (const query of ['', '?page=0', '?is_published=false']) {
          const payload = method === 'POST' || method === 'PUT' ? {} : undefined
          const { status, headers } = await call(path + query, { method, token, body: payload })
          const control = headers.get('Cache-Control') ?? ''
          const isShared = /^public, max-age=\d+/.test(control)
          const isOwn = /^private, max-age=\d+/.test(control)
          expect([route, token, query, isShared || isOwn || control === 'no-store']).toEqual([
            route,
            token,
            query,
            true,
          ])
          if (token !== undefined || status !== 200) expect(isShared).toBe(false)
          if (status !== 200) expect(control).toBe('no-store')
          if (isShared || isOwn) {
            expect(headers.get('Vary')).toContain('Authorization')
            expect(headers.get('Cache-Tag')).toBe(pattern.split('/')[2])
            expect(
              headers.has('X-Request-Id') || headers.has('x-d1-bookmark') || headers.has('Set-Cookie'),
            ).toBe(false)
          }
        }
      }
    },
  )
})
