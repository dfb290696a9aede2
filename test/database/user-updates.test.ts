import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import {
  mailbox,
  newEmail,
  newUnverified,
  runCron,
  withoutNotices,
} from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  interceptedDatabase,
  newLogin,
  PASSWORD,
} from '../support/helper.ts'
import { create, patch, read } from '../support/informers.ts'
import { newActor } from '../support/processes.ts'
import { storedUser } from '../support/users.ts'

const queuedOf = (email: string) =>
  env.DB.prepare('select count(*) as n from email_outbox where email = ?')
    .bind(email)
    .first('n')

describe('PATCH of an informer at once', () => {
  /** Sends changes at once, which all succeed, and returns their records and responses. */
  async function patchAtOnce(id: string, bodies: object[]) {
    const { token, records } = await newActor()
    const responses = await Promise.all(bodies.map((body) => patch(id, body, { token })))
    expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    return { responses, actions: (await records()).map(({ action }) => action) }
  }

  const CHANGED = { first_name: 'Ângela', cpf: '52998224725', phone: '1' }

  it.each([
    ['one record', CHANGED, ['informer.updated']],
    ['one confirmation', { is_email_verified: true }, ['email.verified']],
    ['one end of a password', { password: null }, ['password.changed']],
    [
      'a record of each sent password',
      { password: PASSWORD },
      Array(5).fill('password.changed'),
    ],
  ])('five times leaves %s: %j', async (_, body, expected) => {
    const { id } = await create({ email: newEmail(), password: PASSWORD })
    const { actions } = await patchAtOnce(id, Array(5).fill(body))
    expect(actions).toEqual(expected)
    const versions = 'password' in body ? expected.length : 0
    expect(await storedUser(id)).toMatchObject({ token_version: 1 + versions })
  })

  it('of a new email, five times, ends the sessions once and sends one link', async () => {
    const { id } = await newUnverified()
    const email = newEmail()
    const { actions } = await patchAtOnce(id, Array(5).fill({ email }))
    expect(actions).toEqual(['informer.updated'])
    expect(await storedUser(id)).toMatchObject({ email, token_version: 2 })

    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    await runCron({ EMAIL })
    const received = sent.filter(({ to }) => to === email)
    expect(withoutNotices(received)).toHaveLength(1)
    expect(await queuedOf(email)).toBe(0)
  })

  it('with forty different values does all, in some order', async () => {
    const { id } = await create()
    const phones = Array.from({ length: 40 }, (_, index) => String(index))
    const { responses, actions } = await patchAtOnce(
      id,
      phones.map((phone) => ({ phone })),
    )
    expect(responses.map(({ body }) => body.data.phone)).toEqual(phones)
    expect(actions).toHaveLength(40)
    expect(await storedUser(id)).toMatchObject({ revision: 41 })
  })
})

describe('a change between the read and the write of a request', () => {
  const remove = async (id: string, DB: D1Database = env.DB) =>
    callJson(`/informers/${id}`, {
      method: 'DELETE',
      token: await administratorToken(),
      env: { DB },
    })

  /**
   * The database, with another request before the third round trip: the first reads the caller,
   * the second the informer.
   */
  const beforeTheWrite = (change: () => Promise<unknown>) =>
    beforeRoundTrips((trip) => (trip === 3 ? change() : undefined))

  it('does not stop a deletion', async () => {
    const { id } = await create()
    const DB = beforeTheWrite(() => patch(id, { first_name: 'Zélia' }))
    const { status } = await remove(id, DB)
    expect([status, await storedUser(id)]).toEqual([200, null])
  })

  it('is kept by a change of other fields, and the initials are of both', async () => {
    const { id } = await create({ first_name: 'Ana', last_name: 'Silva' })
    const DB = beforeTheWrite(() => patch(id, { last_name: 'Zanetti' }))
    expect((await patch(id, { first_name: 'Ângela' }, { env: { DB } })).status).toBe(200)
    expect(await read(id)).toMatchObject({ full_name: 'Ângela Zanetti', initials: 'ÂZ' })
    expect((await storedUser(id))?.name_folded).toBe('angela zanetti')
  })

  it('is 404 where it was a deletion, and no link is sent', async () => {
    const { id } = await create({ require_email_verification: true, email: newEmail() })
    const email = newEmail()
    const DB = beforeRoundTrips((trip) => (trip === 4 ? remove(id) : undefined))
    const { status, body } = await patch(id, { email }, { env: { DB } })
    expect([status, body.message]).toEqual([404, 'Informante não encontrado.'])
    expect([await storedUser(id), await queuedOf(email)]).toEqual([null, 0])
  })
})

it('PATCH of an informer, retried, takes nothing back that was changed meanwhile, and ends sessions once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { id } = await newLogin()
  let trips = 0
  const DB = interceptedDatabase(async (query) => {
    trips += 1
    const isLost = trips === 4 // after the effect of the write
    const result = await query()
    if (!isLost) return result

    await env.DB.prepare("update users set phone = 'depois' where id = ?").bind(id).run()
    throw new Error('D1_ERROR: Network connection lost.')
  })
  const body = { phone: 'antes', password: 'Outra2026', email: newEmail() }
  expect((await patch(id, body, { env: { DB } })).status).toBe(200)
  expect(await storedUser(id)).toMatchObject({ phone: 'depois', token_version: 2 })
})

it('PATCH of an informer gives up after a hundred attempts if others change the informer before each', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { id } = await newLogin()
  let roundTrips = 0
  const DB = beforeRoundTrips(async (trip) => {
    roundTrips = trip
    await env.DB.prepare('update users set revision = revision + 1 where id = ?')
      .bind(id)
      .run()
  })
  const { status } = await patch(id, { phone: '11' }, { env: { DB } })
  expect([status, roundTrips]).toEqual([503, 201])
})
