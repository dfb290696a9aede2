import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import {
  beforeRoundTrips,
  type Call,
  call,
  callJson,
  counting,
  failingDatabase,
  interceptedDatabase,
  newUser,
  tokenFor,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { complete, createProcess, newMember } from '../support/processes.ts'
import { openDatabase } from '#database/client.ts'
import { recordRead } from '#database/users/informer-reads.ts'

type Recorded = [action: string, subject: string | null]

/** A new administrator, who calls, and what is recorded of it, in order. */
async function newReader() {
  const user = await newUser('administrator')
  const token = await tokenFor(user)
  const records = async (): Promise<Recorded[]> => {
    const { results } = await env.DB.prepare(
      'select action, subject_id from audit_events where actor_id = ? order by rowid',
    )
      .bind(user.id)
      .all<{ action: string; subject_id: string | null }>()
    return results.map(({ action, subject_id }) => [action, subject_id])
  }
  const send = async (method: string, path: string, body?: object, options: Call = {}) =>
    (await call(path, { method, token, body, ...options })).status
  return { ...user, token, records, send }
}

const read = (id: string): Recorded => ['informer.read', id]
const LISTED: Recorded = ['informer.listed', null]

/** An informer in a group, with one of its two questionnaires completed. */
async function newPair() {
  const { groups } = await createProcess()
  const [group] = groups
  const [first, second] = group.questionnaires
  const id = await newMember(group.id)
  await complete(id, first.id)
  return { id, groupId: group.id, completedId: first.id, pendingId: second.id }
}

describe('an answer that shows one informer is recorded as read', () => {
  it.each<[string, string, object?]>([
    ['GET', ''],
    ['PATCH', '', { first_name: 'Teste' }],
    ['PUT', '/groups/{group}'],
    ['PUT', '/questionnaires/{completed}'],
    ['DELETE', '/questionnaires/{pending}'],
    ['DELETE', '/groups/{other}'],
  ])('%s /v1/informers/{informer}%s %j', async (method, path, body) => {
    const { id, groupId, completedId, pendingId } = await newPair()
    const other = (await createProcess()).groups[0].id
    const filled = path
      .replace('{group}', groupId)
      .replace('{completed}', completedId)
      .replace('{pending}', pendingId)
      .replace('{other}', other)
    const { send, records } = await newReader()
    expect(await send(method, `/informers/${id.toUpperCase()}${filled}`, body)).toBe(200)
    expect(await records()).toEqual([read(id)])
  })

  it('a page of the list that shows one alone', async () => {
    const { id, groupId } = await newPair()
    const second = await newMember(groupId)
    const { send, records } = await newReader()
    for (const page of [1, 2]) {
      await send('GET', `/informers?group_id=${groupId}&per_page=1&page=${page}`)
    }
    const expected = [id, second].toSorted().map(read)
    expect(await records()).toEqual(expected)
  })

  it('a repeated POST', async () => {
    const body = { first_name: 'Davi' }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const { token, records } = await newReader()
    const created = await callJson('/informers', { token, body, headers })
    const { id } = created.body.data
    expect(await records()).toEqual([['informer.created', id]])
    for (let times = 0; times < 2; times++) {
      expect((await call('/informers', { token, body, headers })).status).toBe(201)
    }
    expect(await records()).toEqual([['informer.created', id], read(id)])
  })

  it('with its request and the time, about the informer', async () => {
    const { id } = await newPair()
    const { token, ...reader } = await newReader()
    const { headers } = await callJson(`/informers/${id}`, { token })
    const { body } = await callJson(`/audit-events?actor_id=${reader.id}`, { token })
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        created_at: expect.any(String),
        actor_id: reader.id,
        actor_name: 'Teste',
        action: 'informer.read',
        subject_type: 'informer',
        subject_id: id,
        api_token: null,
        related_type: null,
        related_id: null,
        request_id: headers.get('X-Request-Id'),
      },
    ])
  })
})

it('any other page of the list is recorded as listed, of nobody', async () => {
  const { groupId } = await newPair()
  await newMember(groupId)
  for (const query of [
    '',
    `group_id=${groupId}`,
    'search=ninguem',
    'search=ana@&page=2',
  ]) {
    const { send, records } = await newReader()
    await send('GET', `/informers?${query}`)
    expect([query, await records()]).toEqual([query, [LISTED]])
  }
})

describe('a read is recorded once a day', () => {
  const setTime = (actor: string, sql: string) =>
    env.DB.prepare(`update audit_events set created_at = ${sql} where actor_id = ?`)
      .bind(actor)
      .run()

  it('for each actor and informer, and for lists', async () => {
    const [first, second] = [await newPair(), await newPair()]
    for (const { send, records } of [await newReader(), await newReader()]) {
      for (let times = 0; times < 2; times++) {
        for (const { id } of [first, second]) await send('GET', `/informers/${id}`)
        await send('GET', '/informers')
        await send('GET', '/informers?per_page=2')
      }
      expect(await records()).toEqual([read(first.id), read(second.id), LISTED])
    }
  })

  it.each([
    ["strftime('%Y-%m-%dT00:00:00.000000Z', 'now')", 1],
    ["strftime('%Y-%m-%dT23:59:59.999000Z', 'now', '-1 day')", 2],
  ])('of which the last began at %s: %i records', async (time, expected) => {
    const { id } = await newPair()
    const reader = await newReader()
    for (let times = 0; times < 3; times++) {
      await reader.send('GET', `/informers/${id}`)
      await reader.send('GET', '/informers')
      if (times === 0) await setTime(reader.id, time)
    }
    expect(await reader.records()).toHaveLength(expected * 2)
  })

  it('however many come at once', async () => {
    const { id } = await newPair()
    const { send, records } = await newReader()
    const paths = Array.from({ length: 10 }, () => [`/informers/${id}`, '/informers'])
    await Promise.all(paths.flat().map((path) => send('GET', path)))
    expect((await records()).toSorted()).toEqual([LISTED, read(id)])
  })

  it('whatever else is recorded of the informer that day', async () => {
    const { id, pendingId } = await newPair()
    const { send, records } = await newReader()
    await send('PUT', `/informers/${id}/questionnaires/${pendingId}`)
    await send('GET', `/informers/${id}`)
    expect(await records()).toEqual([['questionnaire.completed', id], read(id)])
  })

  it('when the connection is lost after the effect', async () => {
    const { id } = await newPair()
    const { send, records } = await newReader()
    let trip = 0
    const DB = interceptedDatabase(async (query) => {
      trip += 1
      const isLost = trip === 3 // behind the guard and the query of the answer
      const result = await query()
      if (isLost) throw new Error('D1_ERROR: Network connection lost.')
      return result
    })
    expect(await send('GET', `/informers/${id}`, undefined, { env: { DB } })).toBe(200)
    expect([trip, await records()]).toEqual([4, [read(id)]])
  })
})

describe('no read is recorded of', () => {
  it('a request that records a write of the informer', async () => {
    const { id, pendingId } = await newPair()
    const { send, records } = await newReader()
    await send('PATCH', `/informers/${id}`, { email: newEmail() })
    await send('PATCH', `/informers/${id}`, { is_email_verified: true })
    await send('PUT', `/informers/${id}/questionnaires/${pendingId}`)
    await send('DELETE', `/informers/${id}/questionnaires/${pendingId}`)
    await send('POST', '/informers', { first_name: 'Davi' })
    expect((await records()).map(([action]) => action)).toEqual([
      'informer.updated',
      'email.verified',
      'questionnaire.completed',
      'questionnaire.reopened',
      'informer.created',
    ])
  })

  it.each<[number, string, string, object?]>([
    [200, 'HEAD', '/informers'],
    [200, 'HEAD', '/informers/{informer}'],
    [422, 'GET', '/informers?page=0'],
    [404, 'GET', `/informers/${UNKNOWN_ID}`],
    [422, 'PATCH', '/informers/{informer}', {}],
    [404, 'PATCH', `/informers/${UNKNOWN_ID}`, { first_name: 'Davi' }],
    [404, 'PUT', `/informers/{informer}/groups/${UNKNOWN_ID}`],
    [404, 'PUT', `/informers/{informer}/questionnaires/${UNKNOWN_ID}`],
    [422, 'POST', '/informers', {}],
    [200, 'GET', '/administrators'],
    [200, 'GET', '/administrators/{administrator}'],
    [200, 'GET', '/processes'],
    [200, 'GET', '/audit-events?subject_id={informer}'],
  ])('a %i to %s %s %j', async (expected, method, path, body) => {
    const { id } = await newPair()
    const reader = await newReader()
    const filled = path.replace('{informer}', id).replace('{administrator}', reader.id)
    expect(await reader.send(method, filled, body)).toBe(expected)
    expect(await reader.records()).toEqual([])
  })

  it('an informer who reads the own cover', async () => {
    const { id } = await newPair()
    const token = await tokenFor({ id, role: 'informer' })
    expect((await call('/cover', { token })).status).toBe(200)
    expect((await call(`/informers/${id}`, { token })).status).toBe(403)
    const of = env.DB.prepare('select 1 from audit_events where actor_id = ?').bind(id)
    expect(await of.first()).toBeNull()
  })
})

describe('the record of a read', () => {
  it('is a line of level error where it cannot be written, and the answer is there', async () => {
    const { id } = await newPair()
    const { send, records } = await newReader()
    const message = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'
    const DB = failingDatabase(message, (trip) => trip > 2)
    expect(await send('GET', `/informers/${id}`, undefined, { env: { DB } })).toBe(200)
    expect(await records()).toEqual([])
    expect(logged('error')).toMatchObject([
      {
        event: 'read of informers not recorded',
        error: 'DatabaseError',
        request_id: expect.any(String),
      },
    ])
  })

  it('is there of a session that ended meanwhile', async () => {
    const { id } = await newPair()
    const { send, records, ...reader } = await newReader()
    const end = () =>
      env.DB.prepare('update users set token_version = 9 where id = ?')
        .bind(reader.id)
        .run()
    const DB = beforeRoundTrips((trip) => (trip === 3 ? end() : undefined))
    expect(await send('GET', `/informers/${id}`, undefined, { env: { DB } })).toBe(200)
    expect(await records()).toEqual([read(id)])
  })

  it.each([
    ['an informer', UNKNOWN_ID],
    ['a list', null],
  ])(
    'of %s takes one round trip, and reads as few rows however many there are',
    async (_, subject) => {
      const costOf = async (id: string) => {
        const { binding, count } = counting()
        const role = 'administrator' as const
        const caller = { id, role, tokenVersion: 1, expiresAt: 0 }
        const actor = { caller, requestId: crypto.randomUUID() }
        await recordRead(openDatabase(binding), subject, actor)
        expect(count.roundTrips).toBe(1)
        return count
      }
      const insertMany = (created: string, actor: string, about: string) =>
        env.DB.prepare(
          `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
           insert into audit_events
             (created_at, actor_id, action, subject_type, subject_id, request_id)
           select ?1, ?2, 'informer.read', 'informer', ${about}, 'many' from n where ?3 is ?3`,
        )
          .bind(created, actor, subject)
          .run()

      const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
      const few = await costOf(first)
      await insertMany('2026-01-01T00:00:00.000000Z', second, '?3') // of before today
      await insertMany('2099-01-01T00:00:00.000000Z', second, "'other' || i")
      const many = await costOf(second)

      expect(many.rowsRead - few.rowsRead).toBeLessThanOrEqual(1) // what the first recorded
      expect(many.rowsWritten).toBe(few.rowsWritten)
      expect((await costOf(second)).rowsWritten).toBe(0)
    },
  )
})
