import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { describe, expect, it, vi } from 'vitest'
import { counting } from '../support/helper.ts'
import type { Database } from '#database/client.ts'
import { roles } from '#database/schema/users.ts'
import {
  batchItem,
  prepareQuery,
  prepareStatement,
  type Placeholders,
} from '#database/sql/prepared.ts'

describe('the queries that depend on the inside of Drizzle', () => {
  const build = vi.fn((db: Database, { slug }: Placeholders<{ slug: string }>) =>
    db
      .select({ name: roles.name, upper: sql<string>`upper(${slug})` })
      .from(roles)
      .where(sql`${roles.slug} = ${slug}`),
  )
  const selectRole = prepareQuery(build)
  const INFORMER = { name: 'Informante', upper: 'INFORMER' }
  const ADMINISTRATOR = { name: 'Administrador', upper: 'ADMINISTRATOR' }
  const db = drizzle(env.DB) as Database

  it('builds a prepared query once, and runs it with the values and the client of each request', async () => {
    expect(await selectRole(db, { slug: 'informer' }).all()).toEqual([INFORMER])
    const { binding, count } = counting()
    const other = drizzle(binding.withSession() as never) as Database
    expect(await selectRole(other, { slug: 'administrator' }).get()).toEqual(
      ADMINISTRATOR,
    )
    expect(count.roundTrips).toBe(1)
    expect(build).toHaveBeenCalledTimes(1)
  })

  it('builds a prepared statement once, and runs it with the values of each request', async () => {
    const build = vi.fn(
      ({ hash }: Placeholders<{ hash: string }>) =>
        sql`insert into imported_commits (hash) select ${hash} where ${hash} <> 'none'`,
    )
    const insertCommit = prepareStatement(build)
    const hashes = [crypto.randomUUID(), crypto.randomUUID(), 'none']
    for (const hash of hashes) await insertCommit(db, { hash })

    const stored = await env.DB.prepare(
      'select hash from imported_commits where hash in (?, ?, ?) order by rowid',
    )
      .bind(...hashes)
      .raw()
    expect(stored.flat()).toEqual(hashes.slice(0, 2))
    expect(build).toHaveBeenCalledTimes(1)
  })

  it('runs prepared queries and statements of SQL in a batch, each with its values', async () => {
    const results = await db.batch([
      selectRole(db, { slug: 'administrator' }),
      batchItem(
        db,
        sql`update roles set description = description where slug = ${'informer'} returning id`,
      ),
      selectRole(db, { slug: 'informer' }),
    ])
    expect([results[0], results[2]]).toEqual([[ADMINISTRATOR], [INFORMER]])
    expect(results[1]).toEqual([{ id: expect.any(Number) }])
  })
})
