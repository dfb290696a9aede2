import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createUnverified,
  elapse,
  mailbox,
  newEmail,
  newUnverified,
  runCron,
  sendTo,
  tokenIn,
  withoutNotices,
} from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  runAfterTest,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'

const verify = (token: string) =>
  callJson('/auth/email/verify', { body: { token, password: PASSWORD } })
const forgot = (email: string) => callJson('/auth/password/forgot', { body: { email } })
const DAY = 24 * 60

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox'))

/**
 * Emails in the outbox that are due, the first at first, without a recipient or of one user each.
 */
const enqueue = (emails: string[]) =>
  env.DB.prepare(
    `insert into email_outbox (email, kind, due_at)
     select value, 'password_reset', '2026-01-01T00:00:' || printf('%09.6f', key / 1e6) || 'Z' from json_each(?)`,
  )
    .bind(JSON.stringify(emails))
    .run()

/** How many emails with a link are in the outbox. */
const queued = (like: string) =>
  env.DB.prepare(
    'select count(*) as n from email_outbox where email like ? and user_id is null',
  )
    .bind(like)
    .first('n')

/** Users by email, as many as are asked for. */
async function newUsers(count: number) {
  const emails = Array.from({ length: count }, () => newEmail())
  await env.DB.prepare(
    `insert into users (id, role_id, first_name, name_folded, initials, email)
     select value, 1, 'Nome', 'nome', 'N', value from json_each(?)`,
  )
    .bind(JSON.stringify(emails))
    .run()
  return emails
}

describe('creating an informer that must verify its email', () => {
  it('sends an email from the configured sender, with a link to the page of the service', async () => {
    const { email, message, token } = await newUnverified()
    const from = { name: 'Chancelaria', email: 'nao-responda@example.org' }
    expect(message).toMatchObject({ from, to: email, subject: 'Confirme seu email' })
    expect(message.text).toContain(`${env.PUBLIC_URL}/confirmar-email#token=${token}`)
  })

  it('sends an email with the name of the office, whom to ask, and the page of another link', async () => {
    const email = newEmail()
    await createUnverified({ email }, {})
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL, OFFICE_CONTACT: '(11) 5555-0100' })
    const lines = sent.find(({ to }) => to === email)?.text.split('\n')
    expect(lines).toContain(`${env.PUBLIC_URL}/confirmar-email`)
    expect(lines?.slice(-4)).toEqual([
      'Chancelaria',
      '',
      'Precisa de ajuda? Fale conosco: (11) 5555-0100',
      '',
    ])
  })

  it('enqueues the email with the informer, and sends nothing by itself', async () => {
    const { EMAIL, sent } = mailbox()
    const email = newEmail()
    await createUnverified({ email }, { EMAIL })
    expect([sent, await queued(email)]).toEqual([[], 1])
  })
})

it('creating an informer again with its Idempotency-Key sends no second email', async () => {
  const body = { first_name: 'José', email: newEmail(), require_email_verification: true }
  const headers = { 'Idempotency-Key': 'once' }
  let sent = 0
  for (let time = 0; time < 2; time++) {
    await callJson('/informers', { token: await administratorToken(), body, headers })
    sent += (await sendTo(body.email)).length
    await elapse(7)
  }
  expect(sent).toBe(1)
})

describe('one address', () => {
  it('gets no more after its links were used', async () => {
    const { email } = await newLogin()
    await forgot(email)
    const token = tokenIn((await sendTo(email))[0])
    await forgot(email)
    const body = { token, password: 'Outra2026' }
    expect((await callJson('/auth/password/reset', { body })).status).toBe(200)
    expect(await queued(email)).toBe(0) // nobody needs another link now
    await forgot(email)
    expect(withoutNotices(await sendTo(email))).toEqual([])
    await elapse(7)
    expect(await sendTo(email)).toHaveLength(1)
  })
})

const countedEmails = () =>
  env.DB.prepare('select count(*) as n from sent_emails').first<number>('n')

describe('an email that could not be sent', () => {
  it('is kept, and retried by the cron trigger with increasing delays', async () => {
    const email = newEmail()
    const { EMAIL, sent } = mailbox(2, 'E_SENDER_NOT_VERIFIED')
    await createUnverified({ email }, {})
    await runCron({ EMAIL })
    expect(logged('error')).toMatchObject([
      {
        event: 'email not sent, kept for later',
        error: 'Error',
        code: 'E_SENDER_NOT_VERIFIED',
      },
    ])
    expect(JSON.stringify(logged('error'))).not.toContain(email)
    await runCron({ EMAIL })
    await elapse(7)
    await runCron({ EMAIL }) // fails once more
    await elapse(20)
    await runCron({ EMAIL }) // too early for the third try
    expect(sent).toEqual([])
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
    expect((await verify(tokenIn(sent[0]))).status).toBe(200)
    await elapse(60)
    await runCron({ EMAIL })
    expect(sent).toHaveLength(1)
  })

  it('counts for its address when it is sent: six more may follow on the same day', async () => {
    await env.DB.exec('delete from sent_emails')
    const { email } = await newLogin()
    const { EMAIL } = mailbox(3)
    await forgot(email)
    for (const minutes of [7, 25, 97]) {
      await runCron({ EMAIL })
      expect(await countedEmails()).toBe(0)
      await elapse(minutes)
    }
    let count = 0
    for (let time = 0; time < 8; time++) {
      await forgot(email)
      count += withoutNotices(await sendTo(email)).length
      await elapse(7)
    }
    expect([count, await countedEmails()]).toEqual([6, 6])
  })

  it('counts while it is on its way, so that another run sends no more', async () => {
    const { email } = await newLogin()
    const { EMAIL, sent } = mailbox()
    await forgot(email)
    const slow = {
      send: async () => {
        await elapse(7) // the other run takes this one for lost
        await forgot(email)
        await env.DB.exec(
          "update sent_emails set sent_at = strftime('%Y-%m-%dT%H:%M:%f000Z')",
        )
        await runCron({ EMAIL })
        throw new Error('too late')
      },
    }
    await runCron({ EMAIL: slow })
    expect(sent).toEqual([])
    await elapse(7)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
  })

  it('is given up after a week, with one line in the log', async () => {
    const { email } = await newLogin()
    const { EMAIL, sent } = mailbox(Number.POSITIVE_INFINITY)
    await forgot(email)
    const untilDue = env.DB.prepare(
      "select (julianday(due_at) - julianday('now')) * 1440 as minutes from email_outbox where email = ?",
    ).bind(email)
    let minutes = 0
    for (
      let wait: number | null = 0;
      wait !== null;
      wait = await untilDue.first<number>('minutes')
    ) {
      await elapse(wait)
      minutes += wait
      await runCron({ EMAIL })
    }
    expect(sent).toEqual([])
    expect(minutes / DAY).toBeGreaterThan(7)
    expect(minutes / DAY).toBeLessThan(8)
    const events = logged('error').map(({ event }) => event)
    expect(
      events.filter((event) => event === 'email given up after a week'),
    ).toHaveLength(1)
    expect(events.at(-1)).toBe('email given up after a week')
    await elapse(7)
    await forgot(email)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it.each([
    ['EMAIL', { EMAIL: undefined }],
    ['EMAIL_FROM', { EMAIL_FROM: '' }],
    ['PUBLIC_URL', { PUBLIC_URL: '' }],
  ])(
    'is kept without %s, and not counted, and the log names the missing setting',
    async (name, bindings) => {
      const email = newEmail()
      await createUnverified({ email }, {})
      await env.DB.exec('delete from sent_emails')
      await runCron(bindings)
      expect(JSON.stringify(logged('error'))).toContain(`${name}: missing`)
      expect(await env.DB.prepare('select * from sent_emails').first()).toBeNull()
      await elapse(7)
      expect(await sendTo(email)).toHaveLength(1)
    },
  )
})

describe('a run of the cron trigger', () => {
  it('sends an email once if it runs twice at the same time', async () => {
    const { EMAIL, sent } = mailbox()
    const { email } = await newLogin()
    await forgot(email)
    await Promise.all([runCron({ EMAIL }), runCron({ EMAIL })])
    expect(sent).toHaveLength(1)
  })

  it('sends all that is due, the oldest first, in four round trips for each', async () => {
    const emails = await newUsers(20)
    await enqueue(emails)
    const started: string[] = []
    const EMAIL = { send: async ({ to }: { to: string }) => started.push(to) }
    const { binding, count } = counting()
    await runCron({ EMAIL, DB: binding })
    expect(started).toEqual(emails)
    // and no notice, what is for nobody, that none is left, what has expired of eight tables
    expect(count.roundTrips).toBe(20 * 4 + 1 + 1 + 1 + 8)
  })

  it('sends 200 emails at most', async () => {
    const emails = await newUsers(201)
    await enqueue(emails)
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    expect(sent).toHaveLength(200)
    await runCron({ EMAIL })
    expect(sent).toHaveLength(201)
  })

  it('claims no more when its minute is over', async () => {
    const emails = await newUsers(30)
    await enqueue(emails)
    const { EMAIL, sent } = mailbox()
    const slow = {
      send: async (email: Parameters<typeof EMAIL.send>[0]) => {
        vi.setSystemTime(Date.now() + 2_000)
        return EMAIL.send(email)
      },
    }
    vi.useFakeTimers({ toFake: ['Date'] })
    await runCron({ EMAIL: slow })
    vi.useRealTimers()
    expect(sent).toHaveLength(25)
    await runCron({ EMAIL })
    expect(sent).toHaveLength(30)
  })

  it('deletes what has no recipient of what it claims, and nothing that is not due', async () => {
    await enqueue(Array.from({ length: 70 }, (_, index) => `nobody${index}@example.org`))
    await env.DB.prepare(
      "insert into email_outbox (email, kind, due_at) values ('nobody.later@example.org', 'password_reset', '9999')",
    ).run()
    runAfterTest("delete from email_outbox where email = 'nobody.later@example.org'")
    await runCron({ EMAIL: mailbox().EMAIL })
    expect(await queued('nobody%')).toBe(1)
  })

  it('loses no email of an address that gets a user meanwhile', async () => {
    const { id } = await newLogin({ verification: 'done' })
    const email = newEmail()
    await callJson('/auth/email/resend', { body: { email } })
    const token = await administratorToken()
    const DB = beforeRoundTrips(async (trip) => {
      // after the email was claimed and nobody was found: before it is dropped
      if (trip === 5) {
        await callJson(`/informers/${id}`, { method: 'PATCH', token, body: { email } })
      }
    })
    await runCron({ DB, EMAIL: mailbox().EMAIL })
    await elapse(7)
    expect(withoutNotices(await sendTo(email))).toHaveLength(1)
  })
})
