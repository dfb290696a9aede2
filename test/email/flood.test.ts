import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { type Email, elapse, mailbox, runCron } from '../support/emails.ts'
import { callJson, failingDatabase, newLogin } from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { NEW, PASSWORD_CHANGED, patch, sendAll } from '../support/notices.ts'

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
  await flood(12_000)
  const { email } = await newLogin()
  expect((await callJson('/auth/password/forgot', { body: { email } })).status).toBe(202)

  const { EMAIL, sent } = mailbox()
  await runCron({ EMAIL })
  expect(sent.map(({ to }) => to)).toEqual([email])
  expect(await queued()).toBe(0)
})

it('notices go out before links, and before what was asked for nobody is deleted', async () => {
  await flood(1)
  const [asking, told] = [await newLogin(), await newLogin()]
  await callJson('/auth/password/forgot', { body: { email: asking.email } })
  await patch(told, { password: NEW })
  const order: unknown[] = []
  const EMAIL = { send: async ({ to }: Email) => order.push([to, await queued()]) }
  await runCron({ EMAIL })
  expect(order).toEqual([
    [told.email, 1],
    [asking.email, 0],
  ])
})

it('notices go out although what was asked for nobody cannot be deleted', async () => {
  const person = await newLogin()
  await patch(person, { password: NEW })
  const DB = failingDatabase('D1_ERROR: no.', (trip) => trip === 6) // after the notice
  expect(await sendAll({ DB })).toEqual({ [person.email]: [PASSWORD_CHANGED] })
  expect(logged('error')).toMatchObject([{ event: 'emails not sent' }])
})

it('a link without the address of its page delays no other email', async () => {
  const [unverified, asking, told] = [
    await newLogin({ verification: 'required' }),
    await newLogin(),
    await newLogin(),
  ]
  await callJson('/auth/email/resend', { body: { email: unverified.email } })
  await callJson('/auth/password/forgot', { body: { email: asking.email } })
  await patch(told, { password: NEW })

  const PAGES = { PUBLIC_URL: '', PASSWORD_RESET_URL: 'https://a.br/redefinir' }
  const sent = await sendAll(PAGES)
  expect(Object.keys(sent)).toEqual([told.email, asking.email])
  expect(logged('error')).toEqual([
    expect.objectContaining({
      event: 'email not sent, kept for later',
      message: 'setting PUBLIC_URL: missing, and no EMAIL_VERIFICATION_URL',
    }),
  ])
  await elapse(7)
  expect(Object.keys(await sendAll())).toEqual([unverified.email])
})

it('an email for nobody that is not due stays', async () => {
  await flood(1)
  await env.DB.exec("update email_outbox set due_at = '9999'")
  await runCron({ EMAIL: mailbox().EMAIL })
  expect(await queued()).toBe(1)
})
