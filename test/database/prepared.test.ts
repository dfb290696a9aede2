import { env } from 'cloudflare:workers'
import type { Query } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { administratorToken, call, newLogin, tokenOf } from '../helper.ts'

const firstId = (table: string) =>
  env.DB.prepare(`select id from ${table} limit 1`).first<string>('id')

/** A path and a token, by what is requested. */
const READS: [route: string, read: () => Promise<{ path: string; token: string }>][] = [
  [
    'GET /v1/cover',
    async () => ({ path: '/cover', token: await tokenOf('ana@example.org') }),
  ],
  [
    'GET /v1/informers/:informer',
    async () => ({
      path: `/informers/${(await newLogin()).id}`,
      token: await administratorToken(),
    }),
  ],
  [
    'GET /v1/processes/:process',
    async () => ({
      path: `/processes/${await firstId('processes')}`,
      token: await administratorToken(),
    }),
  ],
  [
    'GET /v1/changelogs/:id',
    async () => ({
      path: `/changelogs/${await firstId('changelogs')}`,
      token: await administratorToken(),
    }),
  ],
]

/** Watches what Drizzle builds. Other tests may still write behind their responses. */
function watchSelects() {
  const built = vi.spyOn(SQLiteAsyncDialect.prototype, 'sqlToQuery')
  return () =>
    built.mock.results.filter(({ value }) => (value as Query).sql.startsWith('select'))
}

describe('prepareQuery', () => {
  afterEach(() => vi.restoreAllMocks())

  it.each(READS)('builds no SQL for a second %s', async (_, read) => {
    const { path, token } = await read()
    await call(path, { token })

    const selects = watchSelects()
    const { status } = await call(path, { token })
    expect(status).toBe(200)
    expect(selects()).toEqual([])
  })

  it('builds the SQL of a list, whose filters change it', async () => {
    const token = await administratorToken()
    await call('/informers', { token })

    const selects = watchSelects()
    await call('/informers', { token })
    expect(selects()).not.toEqual([])
  })
})
