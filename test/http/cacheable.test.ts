import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failingDatabase, tokenOf } from '../support/helper.ts'
import { isolate } from '../support/isolate.ts'
import type { ReferenceRow } from '#database/reference-lists.ts'
import { toSearchableList } from '#domain/searchable-list.ts'
import { publicCacheControl } from '#http/response/cacheable.ts'
import { ListMemory } from '#routes/reference-lists/list-reader.ts'

const SECOND = 1000
const EDGE = 'public, max-age=3600, stale-while-revalidate=86400, stale-if-error=86400'

/** A list in memory, and one that is read each time. */
const LISTS = ['/categories', '/changelogs']

const edgeLifetimeOf = ({ headers }: Response) =>
  headers.get('Cloudflare-CDN-Cache-Control')

const headersOf = ({ headers }: Response) => Object.fromEntries(headers)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

describe('publicCacheControl', () => {
  it.each([
    [0, 60, 60, 600],
    [60, 0, 60, 600],
    [61, 0, 59, 599],
    [121, 0, 0, 539],
    [659, 0, 0, 1],
    [700, 0, 0, 0],
  ])(
    'leaves, %i seconds after the read, what is left of each lifetime',
    (age, maxAge, whileRevalidate, ifError) => {
      expect(publicCacheControl(Date.now() - age * SECOND)).toBe(
        `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidate}, ` +
          `stale-if-error=${ifError}`,
      )
    },
  )
})

describe('ListMemory', () => {
  const database = {} as D1Database
  const list = toSearchableList<ReferenceRow>([], [])
  const listOf = (readAt: number) => ({ list, etag: '"e"', readAt })

  it('keeps no list that was read before a write', () => {
    const memory = new ListMemory()
    const readAt = Date.now()
    memory.forget(database)
    memory.put(database, listOf(readAt))
    expect(memory.get(database)).toBeNull()
    memory.put(database, listOf(readAt + 1))
    expect(memory.get(database)).toEqual(listOf(readAt + 1))
  })

  it('keeps no list that was read before another one', () => {
    const memory = new ListMemory()
    memory.put(database, listOf(2))
    memory.put(database, listOf(1))
    expect(memory.get(database)).toEqual(listOf(2))
  })
})

describe('GET /v1/categories', () => {
  const path = '/categories'

  it('responds from memory with the same headers, but for its age and the lifetime at the edge, also to HEAD and with a 304', async () => {
    const { count, get } = isolate()
    const first = headersOf(await get(path))
    expect(first).toMatchObject({
      'cache-control':
        'public, max-age=60, stale-while-revalidate=60, stale-if-error=600',
      'cloudflare-cdn-cache-control': EDGE,
      'access-control-allow-origin': '*',
      'x-frame-options': 'DENY',
      vary: 'Authorization',
    })
    vi.advanceTimersByTime(57 * SECOND)
    const { 'cloudflare-cdn-cache-control': _edge, ...rest } = first
    const later = {
      ...rest,
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
    const response = await get(path)
    expect(response.headers.get('Cache-Control')).toMatch(/max-age=60/)
    expect(edgeLifetimeOf(response)).toBe(EDGE)
    expect(count.roundTrips).toBe(2)
  })

  it('keeps no stale list at the edge while the database fails', async () => {
    const { binding, get } = isolate()
    await get(path)
    vi.advanceTimersByTime(61 * SECOND)
    binding.withSession = () => failingDatabase('D1_ERROR: no.').withSession('')
    const stale = await get(path)
    expect([stale.status, edgeLifetimeOf(stale)]).toEqual([200, null])
  })

  it('shares no read among simultaneous first requests', async () => {
    const { count, get } = isolate()
    const responses = await Promise.all([get(path), get(path), get(path)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(count.roundTrips).toBe(3)
  })

  it.each([
    ['"e"', 200],
    ['W/ETAG', 304],
    ['"x", ETAG', 304],
    ['*', 304],
  ])('with If-None-Match %s is %i', async (header, status) => {
    const { get } = isolate()
    const etag = (await get(path)).headers.get('ETag') ?? ''
    const headers = { 'If-None-Match': header.replace('ETAG', etag) }
    expect((await get(path, { headers })).status).toBe(status)
  })
})

describe.each(LISTS)('GET /v1%s', (path) => {
  it('is read for every token, which must ask each time, and with a 304 if it is known', async () => {
    const { count, get } = isolate()
    const token = await tokenOf('ana@example.org')
    const first = await get(path)
    const own = await get(path, { token })
    expect([own.headers.get('Cache-Control'), edgeLifetimeOf(own)]).toEqual([
      'private, no-cache',
      null,
    ])
    expect(await own.text()).toBe(await first.text())
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    const same = await get(path, { token, headers })
    expect([same.status, await same.text()]).toEqual([304, ''])
    expect([count.roundTrips, count.sessions]).toEqual([
      3,
      ['first-unconstrained', 'first-primary', 'first-primary'],
    ])
    expect((await get(path)).headers.get('Cache-Control')).toMatch(/^public/)
    const unmodified = await isolate().get(path, { headers })
    expect([unmodified.status, edgeLifetimeOf(unmodified)]).toEqual([304, EDGE])
  })
})
