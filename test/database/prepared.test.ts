import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { expect, it, vi } from 'vitest'
import type { Database } from '#database/client.ts'
import { roles } from '#database/schema/users.ts'
import {
  prepareQuery,
  prepareStatement,
  type Placeholders,
} from '#database/sql/prepared.ts'

type Given = Placeholders<{ slug: string }>

// that they run with the values and the client of each request is seen by every route
it('a prepared query and statement are built once', async () => {
  const db = drizzle(env.DB) as Database
  const query = vi.fn((builder: Database, { slug }: Given) =>
    builder
      .select()
      .from(roles)
      .where(sql`${roles.slug} = ${slug}`),
  )
  const statement = vi.fn(
    ({ slug }: Given) => sql`update roles set name = name where slug = ${slug}`,
  )
  const [select, touch] = [prepareQuery(query), prepareStatement(statement)]
  for (const slug of ['informer', 'administrator']) {
    expect(await select(db, { slug }).all()).toMatchObject([{ slug }])
    expect(await touch(db, { slug })).toMatchObject({ meta: { changes: 1 } })
  }
  for (const build of [query, statement]) expect(build).toHaveBeenCalledTimes(1)
})
