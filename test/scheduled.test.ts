import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { dayIn, newApiToken } from './support/api-tokens.ts'
import { elapse, newEmail, newUnverified, runCron } from './support/emails.ts'
import {
  callJson,
  counting,
  failingDatabase,
  interceptedDatabase,
} from './support/helper.ts'
import { logged } from './support/logs.ts'

/** Rows of a time (?1), as many as the numbers (?2), in every table that the trigger reads. */
const ROWS = {
  email_outbox:
    "insert into email_outbox (due_at, email, kind) select ?1, value || '@example.net', 'verification' from json_each(?2)",
  notices:
    "insert into notices (due_at, email, kind, user_id) select ?1, value || '@example.net', 'email_changed', (select min(id) from users) from json_each(?2)",
  email_tokens:
    "insert into email_tokens (expires_at, token_hash, user_id, kind) select ?1, 'many' || value, (select min(id) from users), 'verification' from json_each(?2)",
  failed_logins:
    "insert into failed_logins (failed_at, id, identifier, address) select ?1, 'many' || value, value, '' from json_each(?2)",
  wrong_codes:
    "insert into wrong_codes (entered_at, id, user_id) select ?1, 'many' || value, (select min(id) from users) from json_each(?2)",
  known_addresses:
    "insert into known_addresses (last_login_at, identifier, address) select ?1, 'many' || value, '' from json_each(?2)",
  sent_emails:
    "insert into sent_emails (sent_at, email_hash, kind) select ?1, value, 'verification' from json_each(?2)",
  transactions:
    "insert into transactions (committed_at, id) select ?1, 'many' || value from json_each(?2)",
  api_tokens:
    "insert into api_tokens (expires_on, id, token_hash, name, scopes, created_by) select substr(?1, 1, 10), 'many' || value, value, '', '[]', (select min(id) from users) from json_each(?2)",
  idempotency_keys:
    "insert into idempotency_keys (created_at, key_hash, content_hash, created_id) select ?1, 'many' || value, '', value from json_each(?2)",
}
const DELETED = [
  'api_tokens',
  'email_tokens',
  'sent_emails',
  'failed_logins',
  'wrong_codes',
  'known_addresses',
  'idempotency_keys',
  'transactions',
] as const
/** After the round trips that find no notice, no email for nobody, and no link. */
const FIRST_DELETION = 4
const LONG_AGO = '2020-01-01T00:00:00.000000Z'
const LATER = '2099-01-01T00:00:00.000000Z'

const insert = (sql: string, time: string, rows: number) =>
  env.DB.prepare(sql)
    .bind(time, JSON.stringify([...Array(rows).keys()]))
    .run()

const count = (table: string) =>
  env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')

/** A record of some days ago, which has them for its request. */
const insertRecord = (days: number) =>
  env.DB.prepare(
    `insert into audit_events (created_at, actor_id, action, subject_type, request_id)
     values (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', ?1), 'one', 'changelog.imported',
       'changelog', ?2)`,
  )
    .bind(`-${days} days`, String(days))
    .run()

const keptRecords = async () =>
  (
    await env.DB.prepare(
      'select request_id from audit_events order by created_at desc',
    ).raw<[string]>()
  ).map(([request]) => request)

afterEach(async () => {
  await env.DB.batch(
    ['audit_events', ...Object.keys(ROWS)].map((table) =>
      env.DB.prepare(`delete from ${table}`),
    ),
  )
})

describe('the cron trigger', () => {
  it('deletes tokens when they expire, sent emails after a day, and expired failed logins', async () => {
    await newUnverified()
    await callJson('/auth/login', { body: { email: newEmail(), password: 'Errada1' } })
    const left = () =>
      Promise.all(['email_tokens', 'sent_emails', 'failed_logins'].map(count))
    await runCron()
    expect(await left()).toEqual([1, 1, 1])
    await elapse(24 * 60 - 1)
    await runCron()
    expect(await left()).toEqual([1, 1, 0])
    await elapse(2)
    await runCron()
    expect(await left()).toEqual([1, 0, 0])
    await elapse(24 * 60)
    await runCron()
    expect(await left()).toEqual([0, 0, 0])
  })

  it('deletes an API token 31 days after its day, without a record', async () => {
    const tokens = []
    for (const days of [0, -1, -30, -31, -32]) {
      tokens.push(await newApiToken(['lists:write'], { expires_on: dayIn(days) }))
    }
    await runCron()
    const { results } = await env.DB.prepare('select id from api_tokens').all()
    const kept = tokens.slice(0, 3).map(({ id }) => id)
    expect(results.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
    expect(await keptRecords()).toEqual([])
  })

  it.each(DELETED)(
    'deletes five thousand expired rows of %s at once, and the rest at the next runs',
    async (table) => {
      await insert(ROWS[table], LONG_AGO, 12_000)
      const left: unknown[] = []
      for (let run = 0; run < 3; run++) {
        await runCron()
        left.push(await count(table))
      }
      expect(left).toEqual([7_000, 2_000, 0])
    },
  )

  it('reads a few rows and writes none when nothing is due, however many there are', async () => {
    const audit_events =
      "insert into audit_events (created_at, actor_id, action, subject_type, request_id) select ?1, 'many', '', '', value from json_each(?2)"
    for (const sql of [...Object.values(ROWS), audit_events]) {
      await insert(sql, LATER, 1_000)
    }
    const { binding, count } = counting()
    await runCron({ DB: binding, AUDIT_RETENTION_DAYS: '30' })
    expect(count.rowsRead).toBeLessThanOrEqual(28)
    expect(count).toMatchObject({
      roundTrips: 12,
      rowsWritten: 0,
      sessions: ['first-primary'],
    })
  })

  it.each<[string | undefined, number[]]>([
    ['30', [1, 29]],
    ['365', [1, 29, 31, 364]],
    ['', [1, 29, 31, 364, 366, 36_000]],
    [undefined, [1, 29, 31, 364, 366, 36_000]],
  ])(
    'with AUDIT_RETENTION_DAYS %j keeps the records of %j days ago',
    async (AUDIT_RETENTION_DAYS, kept) => {
      for (const days of [1, 29, 31, 364, 366, 36_000]) await insertRecord(days)
      await runCron({ AUDIT_RETENTION_DAYS })
      expect(await keptRecords()).toEqual(kept.map(String))
    },
  )

  it('deletes a thousand old records at once, the oldest first, and the rest at the next runs', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
       insert into audit_events (created_at, actor_id, action, subject_type, request_id)
       select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', -(1000 + i * 7 % 2500) || ' minutes', '-30 days'),
         'many', 'changelog.imported', 'changelog', 1000 + i * 7 % 2500 from n`,
    ).run()
    await insertRecord(29)
    const left: unknown[] = []
    for (let run = 0; run < 3; run++) {
      await runCron({ AUDIT_RETENTION_DAYS: '30' })
      const minutes = (await keptRecords()).map(Number)
      left.push([minutes.length, Math.max(...minutes)])
    }
    expect(left).toEqual([
      [1_501, 2_499],
      [501, 1_499],
      [1, 29],
    ])
  })

  it('logs that old records are not deleted', async () => {
    const DB = failingDatabase('D1_ERROR: D1 DB is overloaded.')
    await runCron({ DB, AUDIT_RETENTION_DAYS: '30' })
    const events = logged('error').map(({ event }) => event)
    expect(events).toContain('old records not deleted')
  })

  it('deletes what has expired of every other table if one deletion fails', async () => {
    for (const table of DELETED) await insert(ROWS[table], LONG_AGO, 1)
    let trips = 0
    const DB = interceptedDatabase(async (query) => {
      trips += 1
      if (trips === FIRST_DELETION) throw new Error('D1_ERROR: D1 DB is overloaded.')
      if (trips > FIRST_DELETION) await scheduler.wait(20)
      return query()
    })
    await runCron({ DB })
    const left = await Promise.all(DELETED.map(count))
    expect(left.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
    expect(logged('error')).toMatchObject([{ event: 'expired rows not deleted' }])
  })

  it('runs the other steps and logs each that fails', async () => {
    const message = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'
    await runCron({ DB: failingDatabase(message) })
    const error = { error: 'DatabaseError', message }
    expect(logged('error')).toMatchObject([
      { event: 'emails not sent', ...error },
      { event: 'expired rows not deleted', ...error },
    ])
  })
})
