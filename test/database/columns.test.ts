import { env } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/d1'
import { expect, it } from 'vitest'
import { roles } from '#database/schema/users.ts'
import { RANDOM_UUID } from '#database/sql/columns.ts'

it('RANDOM_UUID makes UUIDs of version 4, all different', async () => {
  const ids = []
  for (let made = 0; made < 50; made++) {
    const query = drizzle(env.DB).select({ id: RANDOM_UUID }).from(roles).limit(1)
    ids.push((await query.get())?.id)
  }

  const pattern = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
  expect(ids.filter((id) => !pattern.test(String(id)))).toEqual([])
  expect(new Set(ids).size).toBe(50)
})
