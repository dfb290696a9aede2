import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, it, vi } from 'vitest'
import { newApiToken } from '../support/api-tokens.ts'
import { type Call, call, counting } from '../support/helper.ts'
import { newRequest } from '../support/routes.ts'
import type { Database } from '#database/client.ts'
import { roles } from '#database/schema.ts'
import { batchItem, prepareQuery, type Placeholders } from '#database/sql/prepared.ts'

/** The SQL that Drizzle builds for a request, and behind its response. */
async function builtFor(name: string, options?: Call): Promise<string[]> {
  const request = await newRequest(name)
  const build = vi.spyOn(SQLiteAsyncDialect.prototype, 'sqlToQuery')
  const { ok } = await call(request.path, { ...request.call, ...options })
  const built = build.mock.results.map(({ value }) => (value as { sql: string }).sql)
  build.mockRestore()
  expect([name, ok]).toEqual([name, true])
  return built
}

const RECORD = /^\s*insert into "audit_events"/

describe('prepared queries', () => {
  it.each(['GET /v1/cover', 'GET /v1/administrators/{administrator}'])(
    'build no SQL for a second %s',
    async (name) => {
      await builtFor(name)
      expect(await builtFor(name)).toEqual([])
    },
  )

  it('build no SQL for a second read of an informer, but for its record', async () => {
    const { token } = await newApiToken(['informers:read'])
    for (const options of [{}, { token }]) {
      await builtFor('GET /v1/informers/{informer}', options)
      const built = await builtFor('GET /v1/informers/{informer}', options)
      expect(built.filter((text) => !RECORD.test(text))).toEqual([])
    }
  })
})

describe('the inside of Drizzle', () => {
  const selectRole = prepareQuery((db, { slug }: Placeholders<{ slug: string }>) =>
    db
      .select({ name: roles.name, upper: sql<string>`upper(${slug})` })
      .from(roles)
      .where(sql`${roles.slug} = ${slug}`),
  )
  const INFORMER = { name: 'Informante', upper: 'INFORMER' }
  const ADMINISTRATOR = { name: 'Administrador', upper: 'ADMINISTRATOR' }
  const db = drizzle(env.DB) as Database

  it('runs a prepared query with the values and the client of each request', async () => {
    expect(await selectRole(db, { slug: 'informer' }).all()).toEqual([INFORMER])
    const { binding, count } = counting()
    const other = drizzle(binding.withSession() as never) as Database
    expect(await selectRole(other, { slug: 'administrator' }).get()).toEqual(
      ADMINISTRATOR,
    )
    expect(count.roundTrips).toBe(1)
  })

  it('runs prepared queries and statements of SQL in a batch, each with its values', async () => {
    const results = await db.batch([
      selectRole(db, { slug: 'administrator' }),
      batchItem(
        db,
        sql`update roles set description = description where slug = ${'informer'}`,
      ),
      selectRole(db, { slug: 'informer' }),
    ])
    expect([results[0], results[2]]).toEqual([[ADMINISTRATOR], [INFORMER]])
    expect(results[1]).toMatchObject({ meta: { changes: 1 } })
  })
})
