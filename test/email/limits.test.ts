import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  elapse,
  mailbox,
  newEmail,
  runCron,
  sendTo,
  tokenIn,
  withoutNotices,
} from '../support/emails.ts'
import {
  administratorToken,
  callJson,
  newLogin,
  resetRateLimits,
} from '../support/helper.ts'

const DAY = 24 * 60

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox'))

const forgot = (email: string) => callJson('/auth/password/forgot', { body: { email } })

const send = async (method: string, path: string, body?: object) =>
  callJson(path, { method, token: await administratorToken(), body })

async function newPerson(role: string, email: string): Promise<string> {
  const { status, body } = await send('POST', `/${role}s`, {
    first_name: 'Rita',
    email,
    ...(role === 'informer' && { require_email_verification: true }),
  })
  expect(status).toBe(201)
  return `/${role}s/${body.data.id}`
}

/** Asks for an email, and returns how many the next trigger sends. */
async function ask(email: string): Promise<number> {
  resetRateLimits()
  expect((await forgot(email)).status).toBe(202)
  return (await sendTo(email)).length
}

describe.each(['informer', 'administrator'])(
  'the emails to the address of an %s',
  (role) => {
    it('are one in five minutes, also beyond deletions', async () => {
      const email = newEmail()
      let sent = 0
      for (let time = 0; time < 5; time++) {
        const path = await newPerson(role, email)
        sent += (await sendTo(email)).length
        expect((await send('DELETE', path)).status).toBe(200)
      }
      expect(sent).toBe(1)
      await elapse(5)
      await newPerson(role, email)
      expect(await sendTo(email)).toHaveLength(1)
    })

    it('are one in five minutes, also where it is changed to and fro', async () => {
      const [email, other] = [newEmail(), newEmail()]
      const path = await newPerson(role, email)
      const { EMAIL, sent } = mailbox()
      await runCron({ EMAIL })
      for (let time = 0; time < 3; time++) {
        for (const next of [other, email]) {
          expect((await send('PATCH', path, { email: next })).status).toBe(200)
          await runCron({ EMAIL })
        }
      }
      const links = () => withoutNotices(sent).map(({ to }) => to)
      expect(links()).toEqual([email, other])
      await elapse(5)
      await runCron({ EMAIL })
      expect(links()).toEqual([email, other, email])
    })

    it('are six in a day, whoever has it', async () => {
      const email = newEmail()
      let sent = 0
      for (let time = 0; time < 9; time++) {
        const path = await newPerson(role, email)
        sent += (await sendTo(email)).length
        await send('DELETE', path)
        await elapse(6)
      }
      expect(sent).toBe(6)
      await elapse(DAY - 9 * 6)
      await newPerson(role, email)
      expect(await sendTo(email)).toHaveLength(1)
    })
  },
)

describe('who asked too early', () => {
  it('and asks again after five minutes is answered after the next trigger', async () => {
    const { email } = await newLogin()
    expect(await ask(email)).toBe(1)
    for (const minute of [1, 2, 3, 4]) {
      await elapse(1)
      expect([minute, await ask(email)]).toEqual([minute, 0])
    }
    await elapse(1)
    expect(await ask(email)).toBe(1)
  })

  it('is answered after five minutes without asking again', async () => {
    const { email } = await newLogin()
    expect(await ask(email)).toBe(1)
    await elapse(1)
    expect(await ask(email)).toBe(0)
    await elapse(3.9)
    expect(await sendTo(email)).toHaveLength(0)
    await elapse(0.1)
    expect(await sendTo(email)).toHaveLength(1)
  })

  it('on a day of six emails is answered when the first is a day ago', async () => {
    const { email } = await newLogin()
    for (let time = 0; time < 6; time++) {
      expect(await ask(email)).toBe(1)
      await elapse(5)
    }
    expect(await ask(email)).toBe(0)
    await elapse(DAY - 31)
    expect(await ask(email)).toBe(0)
    await elapse(1)
    expect(await ask(email)).toBe(1)
  })
})

it('one kind of email does not count for the other', async () => {
  const { email } = await newLogin({ verification: 'required' })
  expect(await ask(email)).toBe(1)
  await callJson('/auth/email/resend', { body: { email } })
  const sent = await sendTo(email)
  expect(sent.map(({ subject }) => subject)).toEqual(['Confirme seu email'])
  expect(
    (await callJson('/auth/email/verify', { body: { token: tokenIn(sent[0]) } })).status,
  ).toBe(200)
})

it('what is kept of a sent email is a keyed hash of the address, for a day', async () => {
  await env.DB.exec('delete from sent_emails')
  const { email, id } = await newLogin()
  expect(await ask(email)).toBe(1)
  await send('DELETE', `/informers/${id}`)

  const kept = async () =>
    (await env.DB.prepare('select * from sent_emails').all()).results
  expect(await kept()).toMatchObject([
    { email_hash: expect.stringMatching(/^[\w-]{43}$/) },
  ])
  expect(JSON.stringify(await kept())).not.toContain(id)
  await elapse(DAY)
  await runCron()
  expect(await kept()).toEqual([])
})
