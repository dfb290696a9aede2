import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { elapse, mailbox, newEmail, runCron, sendTo } from '../support/emails.ts'
import { callJson, newLogin, PASSWORD, resetRateLimits } from '../support/helper.ts'
import {
  EMAIL_CHANGED,
  NEW,
  PASSWORD_CHANGED,
  patch,
  queued,
  sendAll,
} from '../support/notices.ts'
import { send } from '../support/processes.ts'
import type { EmailKind } from '#database/schema/emails.ts'
import { keyedHash } from '#security/hashes.ts'

const DAY = 24 * 60

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox; delete from notices'))

const counted = async () =>
  (await env.DB.prepare('select * from sent_emails').all()).results

/** Counts emails as sent to an address some minutes ago. */
const count = (email: string, kind: EmailKind, minutesAgo: number[]) =>
  env.DB.prepare(
    `insert into sent_emails (email_hash, kind, sent_at)
     select ?, ?, strftime('%Y-%m-%dT%H:%M:%f', 'now', '-' || value || ' minutes') || '000Z'
     from json_each(?)`,
  )
    .bind(keyedHash(env.JWT_SECRET, 'email', email), kind, JSON.stringify(minutesAgo))
    .run()

/** Asks for a link, and returns how many emails the next trigger sends. */
async function ask(email: string): Promise<number> {
  resetRateLimits()
  const { status } = await callJson('/auth/password/forgot', { body: { email } })
  expect(status).toBe(202)
  return (await sendTo(email)).length
}

describe('links to one address', () => {
  it('are one in five minutes: another one waits, however often it is asked for', async () => {
    const { email } = await newLogin()
    expect(await ask(email)).toBe(1)
    for (const minute of [1, 2, 3, 4]) {
      await elapse(1)
      expect([minute, await ask(email)]).toEqual([minute, 0])
    }
    await elapse(0.9)
    expect(await sendTo(email)).toHaveLength(0)
    await elapse(0.1)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it('are six a day: another one waits until the first is a day ago', async () => {
    const { email } = await newLogin()
    await count(email, 'password_reset', [6, 30, 60, 90, 120, DAY - 1, DAY + 1])
    expect(await ask(email)).toBe(0)
    const attempts = env.DB.prepare('select attempts from email_outbox')
    expect(await attempts.first('attempts')).toBe(0) // to wait is none
    await elapse(0.9)
    expect(await ask(email)).toBe(0)
    await elapse(0.1)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it('are counted whoever has it', async () => {
    const email = newEmail()
    let sent = 0
    for (let time = 0; time < 3; time++) {
      const { status, body } = await send('POST', '/informers', {
        first_name: 'Rita',
        email,
        require_email_verification: true,
      })
      expect(status).toBe(201)
      sent += (await sendTo(email)).length
      await send('DELETE', `/informers/${body.data.id}`)
    }
    expect(sent).toBe(1)
  })

  it('are counted by a keyed hash of the address', async () => {
    await env.DB.exec('delete from sent_emails')
    const { email } = await newLogin()
    expect(await ask(email)).toBe(1)
    expect(await counted()).toEqual([
      {
        email_hash: keyedHash(env.JWT_SECRET, 'email', email),
        kind: 'password_reset',
        sent_at: expect.any(String),
      },
    ])
  })
})

describe('notices to one address', () => {
  it.each([
    [[4], []],
    [[5], [PASSWORD_CHANGED]],
    [[6, 30, 60, 90, 120], [PASSWORD_CHANGED]],
    [[6, 30, 60, 90, 120, DAY - 1], []],
  ])(
    'sent %j minutes ago leave room for %j: a further one is dropped',
    async (sent, told) => {
      const person = await newLogin()
      await count(person.email, 'password_changed', sent)
      await patch(person, { password: NEW })
      expect((await sendAll())[person.email] ?? []).toEqual(told)
      expect(await queued()).toBe(0)
    },
  )

  it('are one for several changes before the next trigger', async () => {
    const person = await newLogin()
    for (const password of [NEW, PASSWORD, NEW]) await patch(person, { password })
    expect(await sendAll()).toEqual({ [person.email]: [PASSWORD_CHANGED] })
  })

  it('of several attempts have all of them again after another change', async () => {
    const person = await newLogin()
    await patch(person, { password: NEW })
    await env.DB.exec('update notices set attempts = 5')
    await patch(person, { password: PASSWORD })
    const attempts = env.DB.prepare('select attempts from notices')
    expect(await attempts.first('attempts')).toBe(0)
  })
})

it('an email of one kind does not count for another', async () => {
  const person = await newLogin({ verification: 'required' })
  const { email } = person
  const { EMAIL, sent } = mailbox()
  for (const act of [
    () => callJson('/auth/password/forgot', { body: { email } }),
    () => callJson('/auth/email/resend', { body: { email } }),
    () => patch(person, { password: NEW }),
    () => patch(person, { email: null }),
  ]) {
    await act()
    await runCron({ EMAIL })
  }
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Redefina sua senha',
    'Confirme seu email',
    PASSWORD_CHANGED,
    EMAIL_CHANGED,
  ])
})
