import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { mailbox, runCron } from '../emails.ts'
import { callJson, newLogin } from '../helper.ts'

beforeEach(() => env.DB.exec('delete from email_outbox'))

/** Emails that strangers asked for, to addresses that nobody has, longer due than any other. */
const flood = (count: number) =>
  env.DB.prepare(
    `insert into email_outbox (email, kind, due_at)
     with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ?)
     select 'nobody' || n || '@example.org', 'password_reset', '2026-01-01' from counter`,
  )
    .bind(count)
    .run()

const queued = () =>
  env.DB.prepare(
    "select count(*) as n from email_outbox where email like 'nobody%'",
  ).first('n')

it('an email goes out after the next trigger, whatever was asked for nobody', async () => {
  await flood(3_000)
  const { email } = await newLogin()
  expect((await callJson('/auth/password/forgot', { body: { email } })).status).toBe(202)

  const { EMAIL, sent } = mailbox()
  await runCron({ EMAIL })
  expect(sent.map(({ to }) => to)).toEqual([email])
  expect(await queued()).toBe(0)
})

it('an email for nobody that is not due stays', async () => {
  await flood(1)
  await env.DB.exec("update email_outbox set due_at = '9999'")
  await runCron({ EMAIL: mailbox().EMAIL })
  expect(await queued()).toBe(1)
})
