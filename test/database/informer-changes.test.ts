import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { administratorToken, beforeRoundTrips, callJson } from '../support/helper.ts'
import { create, patch, read } from '../support/informers.ts'
import { storedUser } from '../support/users.ts'

describe('simultaneous requests', () => {
  it('for the first name and the last name: the initials of both', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ last_name: 'Silva' })
      const responses = await Promise.all([
        patch(id, { first_name: 'Ângela' }),
        patch(id, { last_name: 'Zanetti' }),
        patch(id, { phone: '1' }),
      ])
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await read(id)).toMatchObject({
        full_name: 'Ângela Zanetti',
        initials: 'ÂZ',
        phone: '1',
      })
      expect((await storedUser(id))?.name_folded).toBe('angela zanetti')
    }
  })

  it('for ten names of one informer: all 200, and initials of the last', async () => {
    const { id } = await create()
    const names = Array.from(
      { length: 10 },
      (_, index) => String.fromCharCode(80 + index), // no article, as A or E would be
    )
    const responses = await Promise.all(
      names.map((name, index) =>
        patch(id, index % 2 ? { first_name: name } : { last_name: name }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { first_name, last_name, initials } = await read(id)
    expect(initials).toBe(first_name + last_name)
  })

  it('of a change and a deletion: 404 or 200, and then no informer', async () => {
    const token = await administratorToken()
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ email: newEmail(), require_email_verification: true })
      const email = newEmail()
      const [changed, deleted] = await Promise.all([
        patch(id, { email, first_name: 'Ana' }),
        callJson(`/informers/${id}`, { method: 'DELETE', token }),
      ])
      expect([200, 404]).toContain(changed.status)
      expect(deleted.status).toBe(200)
      expect(await storedUser(id)).toBeNull()
      const left = await env.DB.prepare(
        'select count(*) as n from email_outbox where email = ?',
      )
        .bind(email)
        .first('n')
      expect(left).toBe(0)
    }
  })
})

describe('a change between the read and the write of a request', () => {
  it('does not stop a deletion', async () => {
    const { id } = await create()
    const DB = beforeTheWrite(() => patch(id, { first_name: 'Zélia' }))
    const { status } = await remove(id, DB)
    expect([status, await storedUser(id)]).toEqual([200, null])
  })

  it('is kept by a change of other fields', async () => {
    const { id } = await create({ first_name: 'Ana', last_name: 'Silva' })
    const DB = beforeTheWrite(() => patch(id, { last_name: 'Zanetti' }))
    const { status } = await callJson(`/informers/${id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body: { first_name: 'Ângela' },
      env: { DB },
    })
    expect(status).toBe(200)
    expect(await read(id)).toMatchObject({ full_name: 'Ângela Zanetti', initials: 'ÂZ' })
  })

  it('is 404 where it was a deletion', async () => {
    const { id } = await create()
    const DB = beforeTheWrite(() => remove(id))
    const { status, body } = await callJson(`/informers/${id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body: { first_name: 'Ângela' },
      env: { DB },
    })
    expect([status, body.message]).toEqual([404, 'Informante não encontrado.'])
  })
})

const remove = async (id: string, DB: D1Database = env.DB) =>
  callJson(`/informers/${id}`, {
    method: 'DELETE',
    token: await administratorToken(),
    env: { DB },
  })

/**
 * The database, with another request before the third round trip: the first reads the caller, the
 * second the informer.
 */
const beforeTheWrite = (change: () => Promise<unknown>) =>
  beforeRoundTrips((trip) => (trip === 3 ? change() : undefined))
