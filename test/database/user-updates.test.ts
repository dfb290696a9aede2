import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  interceptedDatabase,
  newLogin,
} from '../support/helper.ts'

const LOST = 'D1_ERROR: Network connection lost.'

/**
 * A database that loses the connection once after the effect of a write, after which others write.
 */
function losing(trip: number, meanwhile: () => Promise<unknown>) {
  let trips = 0
  return interceptedDatabase(async (query) => {
    trips += 1
    const isLost = trips === trip
    const result = await query()
    if (!isLost) return result
    await meanwhile()
    throw new Error(LOST)
  })
}

it('PATCH of an informer, retried, takes nothing back that was changed meanwhile, and ends sessions once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { id } = await newLogin()
  const token = await administratorToken()
  const DB = losing(4, () =>
    env.DB.prepare("update users set phone = 'depois' where id = ?").bind(id).run(),
  )
  const { status } = await callJson(`/informers/${id}`, {
    method: 'PATCH',
    token,
    body: { phone: 'antes', password: 'Outra2026', email: `${id}@example.net` },
    env: { DB },
  })
  expect(status).toBe(200)
  const row = await env.DB.prepare('select phone, token_version from users where id = ?')
    .bind(id)
    .first()
  expect(row).toEqual({ phone: 'depois', token_version: 2 })
})

it('PATCH of an informer gives up after a hundred attempts if others change the informer before each', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { id } = await newLogin()
  const token = await administratorToken()
  let roundTrips = 0
  const DB = beforeRoundTrips(async (trip) => {
    roundTrips = trip
    await env.DB.prepare('update users set revision = revision + 1 where id = ?')
      .bind(id)
      .run()
  })
  const { status } = await callJson(`/informers/${id}`, {
    method: 'PATCH',
    token,
    body: { phone: '11' },
    env: { DB },
  })
  expect([status, roundTrips]).toEqual([503, 201])
})
