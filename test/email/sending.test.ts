import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createUnverified,
  type Email,
  elapse,
  mailbox,
  newEmail,
  newLinkToken,
  runCron,
  sendTo,
  tokenIn,
  withoutNotices,
} from '../support/emails.ts'
import {
  beforeRoundTrips,
  callJson,
  counting,
  failingDatabase,
  newLogin,
  PASSWORD,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import {
  NEW,
  PASSWORD_CHANGED,
  patch,
  pathOf,
  type Person,
  queued,
  sendAll,
} from '../support/notices.ts'
import { send } from '../support/processes.ts'

const DAY = 24 * 60

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox; delete from notices'))

const forgot = (email: string) => callJson('/auth/password/forgot', { body: { email } })

const countSent = () =>
  env.DB.prepare('select count(*) as n from sent_emails').first<number>('n')

/** Queues emails with a link that are due, the first at first. */
const enqueue = (emails: string[], kind = 'password_reset') =>
  env.DB.prepare(
    `insert into email_outbox (email, kind, due_at)
     select value, ?, '2026-01-01T00:00:' || printf('%09.6f', key / 1e6) || 'Z' from json_each(?)`,
  )
    .bind(kind, JSON.stringify(emails))
    .run()

/** Queues emails that strangers asked for, to addresses that nobody has, longer due than any other. */
const flood = (count: number) =>
  enqueue(Array.from({ length: count }, (_, index) => `nobody${index}@example.org`))

const queuedForNobody = () =>
  env.DB.prepare(
    "select count(*) as n from email_outbox where email like 'nobody%'",
  ).first('n')

/** Users by email, as many as are asked for. */
async function newUsers(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => newEmail())
  await env.DB.prepare(
    `insert into users (id, role_id, first_name, name_folded, initials, email)
     select value, 1, 'Nome', 'nome', 'N', value from json_each(?)`,
  )
    .bind(JSON.stringify(emails))
    .run()
  return emails
}

describe('an email', () => {
  it('comes from the configured sender, with the office’s name and contact, and wants no reply', async () => {
    const { email } = await newLogin()
    await forgot(email)
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL, OFFICE_CONTACT: '(11) 5555-0100' })
    const from = { name: 'Chancelaria', email: 'nao-responda@example.org' }
    expect(sent).toMatchObject([{ from, to: email, subject: 'Redefina sua senha' }])
    expect(sent[0]?.headers).toEqual({ 'Auto-Submitted': 'auto-generated' })
    const lines = sent[0]?.text.split('\n')
    expect(lines).toContain(`${env.PUBLIC_URL}/redefinir-senha`)
    expect(lines?.slice(-4)).toEqual([
      'Chancelaria',
      '',
      'Precisa de ajuda? Fale conosco: (11) 5555-0100',
      '',
    ])
  })

  it('is dropped if its reason ends before it is sent', async () => {
    const { id, email } = await newLogin()
    const token = await newLinkToken(id)
    await forgot(email)
    const body = { token, password: NEW }
    expect((await callJson('/auth/password/reset', { body })).status).toBe(200)
    expect(withoutNotices(await sendTo(email))).toEqual([])
    await forgot(email)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it('that sets the first password goes out although the office confirms the address', async () => {
    const email = newEmail()
    const { data } = await createUnverified({ email }, {})
    await send('PATCH', `/informers/${data.id}`, { is_email_verified: true })
    const [sent] = await sendTo(email)
    const body = { token: tokenIn(sent), password: NEW }
    expect((await callJson('/auth/email/verify', { body })).status).toBe(200)
  })

  it('goes out again, after five minutes, if it is requested while it is sent', async () => {
    const { email } = await newLogin()
    await forgot(email)
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL: { send: () => forgot(email) } })
    await runCron({ EMAIL })
    expect(sent).toEqual([])
    await elapse(7)
    expect(await sendTo(email)).toHaveLength(1)
  })
})

describe('an email that could not be sent', () => {
  it('is kept, and tried again with increasing delays, and counts when it is sent', async () => {
    const { data } = await createUnverified({ email: newEmail() }, {})
    const { email } = data
    const { EMAIL, sent } = mailbox(2, 'E_SENDER_NOT_VERIFIED')
    const before = await countSent()
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
    expect(await countSent()).toBe(before)
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
    expect(await countSent()).toBe((before ?? 0) + 1)
    const body = { token: tokenIn(sent[0]), password: PASSWORD }
    expect((await callJson('/auth/email/verify', { body })).status).toBe(200)
    await elapse(60)
    await runCron({ EMAIL })
    expect(sent).toHaveLength(1)
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
    const givenUp = 'email given up after a week'
    const events = logged('error').map(({ event }) => event)
    expect(events.filter((event) => event === givenUp)).toHaveLength(1)
    expect(events.at(-1)).toBe(givenUp)
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
      const { email } = await newLogin()
      await forgot(email)
      const before = await countSent()
      await runCron(bindings)
      expect(JSON.stringify(logged('error'))).toContain(`${name}: missing`)
      expect(await countSent()).toBe(before)
      await elapse(7)
      expect(await sendTo(email)).toHaveLength(1)
    },
  )

  it('is not blamed for a database that fails', async () => {
    const person = await newLogin()
    await patch(person, { password: NEW })
    await sendAll({ DB: failingDatabase('D1_ERROR: no.', (trip) => trip === 2) })
    expect(logged('error')).toMatchObject([{ event: 'emails not sent' }])
  })

  it('delays no other email', async () => {
    const [unverified, asking, told] = [
      await newLogin({ verification: 'required' }),
      await newLogin(),
      await newLogin(),
    ]
    await callJson('/auth/email/resend', { body: { email: unverified.email } })
    await forgot(asking.email)
    await patch(told, { password: NEW })

    const PAGES = { PUBLIC_URL: '', PASSWORD_RESET_URL: 'https://a.br/redefinir' }
    expect(Object.keys(await sendAll(PAGES))).toEqual([told.email, asking.email])
    expect(logged('error')).toMatchObject([
      { message: 'setting PUBLIC_URL: missing, and no EMAIL_VERIFICATION_URL' },
    ])
    await elapse(7)
    expect(Object.keys(await sendAll())).toEqual([unverified.email])
  })
})

describe('a run of the cron trigger', () => {
  it('sends an email once if it runs twice at the same time', async () => {
    const { EMAIL, sent } = mailbox()
    await forgot((await newLogin()).email)
    await Promise.all([runCron({ EMAIL }), runCron({ EMAIL })])
    expect(sent).toHaveLength(1)
  })

  it('sends 200 emails at most, the oldest first, in four round trips for each', async () => {
    const emails = await newUsers(201)
    await enqueue(emails)
    const started: string[] = []
    const EMAIL = { send: async ({ to }: { to: string }) => started.push(to) }
    const { binding, count } = counting()
    await runCron({ EMAIL, DB: binding })
    expect(started).toEqual(emails.slice(0, 200))
    // and no notice, what is for nobody, what has expired of eight tables
    expect(count.roundTrips).toBe(200 * 4 + 1 + 1 + 8)
    await runCron({ EMAIL })
    expect(started).toEqual(emails)
  })

  it('claims no more when its minute is over', async () => {
    await enqueue(await newUsers(30))
    const { EMAIL, sent } = mailbox()
    const slow = {
      send: async (email: Email) => {
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
})

describe('emails for nobody', () => {
  it('are deleted when they are due, and delay no other, however many there are', async () => {
    await flood(12_000)
    await env.DB.exec(
      "insert into email_outbox (email, kind, due_at) values ('nobody.later@example.org', 'password_reset', '9999')",
    )
    const { email } = await newLogin()
    await forgot(email)
    expect(await sendAll()).toEqual({ [email]: ['Redefina sua senha'] })
    expect(await queuedForNobody()).toBe(1)
  })

  it('delay no other either if the address has nothing to confirm', async () => {
    await enqueue(await newUsers(201), 'verification')
    const { email } = await newLogin({ verification: 'required' })
    await callJson('/auth/email/resend', { body: { email } })
    expect(await sendAll()).toEqual({ [email]: ['Confirme seu email'] })
  })

  it('are deleted between notices and links', async () => {
    await flood(1)
    const [asking, told] = [await newLogin(), await newLogin()]
    await forgot(asking.email)
    await patch(told, { password: NEW })
    const order: unknown[] = []
    const EMAIL = {
      send: async ({ to }: Email) => order.push([to, await queuedForNobody()]),
    }
    await runCron({ EMAIL })
    expect(order).toEqual([
      [told.email, 1],
      [asking.email, 0],
    ])
  })

  it('delay no notices if they cannot be deleted', async () => {
    const person = await newLogin()
    await patch(person, { password: NEW })
    const DB = failingDatabase('D1_ERROR: no.', (trip) => trip === 6) // after the notice
    expect(await sendAll({ DB })).toEqual({ [person.email]: [PASSWORD_CHANGED] })
    expect(logged('error')).toMatchObject([{ event: 'emails not sent' }])
  })

  it('are kept if somebody gets the address meanwhile', async () => {
    const user = await newLogin({ verification: 'done' })
    const email = newEmail()
    await callJson('/auth/email/resend', { body: { email } })
    const DB = beforeRoundTrips(async (trip) => {
      // after the email was claimed and nobody was found: before it is dropped
      if (trip === 5) await patch(user, { email })
    })
    await runCron({ DB, EMAIL: mailbox().EMAIL })
    await elapse(7)
    expect(withoutNotices(await sendTo(email))).toHaveLength(1)
  })
})

describe('an email that is overtaken when it is about to be sent', () => {
  it.each<[string, (user: Person) => Promise<unknown>]>([
    ['another email', (user) => patch(user, { email: newEmail() })],
    ['a deletion', (user) => send('DELETE', pathOf(user))],
  ])('by %s is not sent, and the next one is', async (_, overtake) => {
    const [first, second] = [await newLogin(), await newLogin()]
    for (const { email } of [first, second]) await forgot(email)
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 5) await overtake(first) // it is claimed, and its recipient is known
    })
    const recipients = Object.keys(await sendAll({ DB }))
    expect(recipients).toEqual([second.email])
    expect(logged('error')).toEqual([])
  })

  it('by a deletion is not sent if it is a notice, and not counted', async () => {
    const person = await newLogin()
    await patch(person, { email: null })
    const DB = beforeRoundTrips(async (trip) => {
      if (trip === 3) await send('DELETE', pathOf(person))
    })
    const before = await countSent()
    expect(await sendAll({ DB })).toEqual({})
    expect([await countSent(), await queued()]).toEqual([before, 0])
  })
})
