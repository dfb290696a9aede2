import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Email,
  elapse,
  mailbox,
  newEmail,
  runCron,
  sendTo,
} from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  interceptedDatabase,
  newLogin,
  newUser,
  PASSWORD,
} from '../support/helper.ts'
import {
  changePassword,
  EMAIL_CHANGED,
  NEW,
  PASSWORD_CHANGED,
  patch,
  pathOf,
  type Person,
  queued,
  resetPassword,
  sendAll,
} from '../support/notices.ts'
import { send } from '../support/processes.ts'

const DAY = 24 * 60

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox'))

const counted = () =>
  env.DB.prepare('select count(*) as n from sent_emails').first<number>('n')

describe('the notices to one address', () => {
  it('are one of a kind in five minutes: a further one is dropped', async () => {
    const person = await newLogin()
    await patch(person, { password: NEW })
    expect(await sendAll()).toEqual({ [person.email]: [PASSWORD_CHANGED] })

    await elapse(4)
    await patch(person, { password: PASSWORD })
    expect(await sendAll()).toEqual({})
    expect(await queued()).toBe(0)
    await elapse(DAY)
    expect(await sendAll()).toEqual({})
  })

  it('come again after five minutes', async () => {
    const person = await newLogin()
    await patch(person, { password: NEW })
    await sendAll()
    await elapse(5)
    await patch(person, { password: PASSWORD })
    expect(await sendAll()).toEqual({ [person.email]: [PASSWORD_CHANGED] })
  })

  it('are six of a kind in a day: a further one is dropped', async () => {
    const person = await newLogin()
    let told = 0
    for (let time = 0; time < 8; time++) {
      await patch(person, { password: NEW })
      told += (await sendTo(person.email)).length
      await elapse(6)
    }
    expect(told).toBe(6)
    expect(await queued()).toBe(0)
    await elapse(DAY)
    expect(await sendAll()).toEqual({})
  })

  it('do not count for another kind of email', async () => {
    const person = await newLogin()
    await patch(person, { password: NEW })
    await sendAll()
    await callJson('/auth/password/forgot', { body: { email: person.email } })
    expect(await sendTo(person.email)).toHaveLength(1)
    await patch(person, { email: null })
    expect(await sendAll()).toEqual({ [person.email]: [EMAIL_CHANGED] })
  })

  it('are one for several changes before the next trigger', async () => {
    const person = await newLogin()
    for (const password of [NEW, PASSWORD, NEW]) await patch(person, { password })
    expect(await sendAll()).toEqual({ [person.email]: [PASSWORD_CHANGED] })
  })

  it('of the same change five times at once are one', async () => {
    const person = await newLogin()
    const email = newEmail()
    await Promise.all(Array.from({ length: 5 }, () => patch(person, { email })))
    expect(await sendAll()).toEqual({
      [person.email]: [EMAIL_CHANGED],
      [email]: [EMAIL_CHANGED],
    })
  })
})

describe('a deletion', () => {
  it('drops the notices to every address of the person, and nobody else’s', async () => {
    const [person, other] = [await newLogin(), await newLogin()]
    await patch(other, { email: null, password: NEW })
    await patch(person, { email: newEmail(), password: NEW })
    await env.DB.prepare('update users set email = ? where id = ?')
      .bind(other.email, person.id)
      .run() // whose notices at that address are not the person's
    expect((await send('DELETE', pathOf(person))).status).toBe(200)
    expect(await sendAll()).toEqual({ [other.email]: [PASSWORD_CHANGED, EMAIL_CHANGED] })
  })

  it('of a notice that is about to be sent keeps it from being sent', async () => {
    const person = await newLogin()
    await patch(person, { email: null })
    const token = await administratorToken()
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 3) return // it is claimed, and its recipient is known
      await callJson(pathOf(person), { method: 'DELETE', token })
    })
    const before = await counted()
    expect(await sendAll({ DB })).toEqual({})
    expect(await counted()).toBe(before)
  })
})

const LOST = 'D1_ERROR: Network connection lost.'

/** A database that loses the connection once, before or after the effect of a round trip. */
function losing(lost: number, moment: string) {
  let trips = 0
  return interceptedDatabase(async (query) => {
    trips += 1
    const isLost = trips === lost
    if (isLost && moment === 'before') throw new Error(LOST)
    const result = await query()
    if (isLost) throw new Error(LOST)
    return result
  })
}

describe.each(['before', 'after'])(
  'a connection that is lost %s the effect',
  (moment) => {
    beforeEach(() => {
      vi.spyOn(Math, 'random').mockReturnValue(0) // delays of 50 ms
    })

    const giveFirst = (person: Person, bindings: object) =>
      patch(person, { password: NEW }, bindings)

    it.each([
      ['a PUT of a password', {}, changePassword, [PASSWORD_CHANGED]],
      ['a reset', {}, resetPassword, [PASSWORD_CHANGED]],
      ['a reset of none', { hash: null }, resetPassword, []],
      ['a PATCH of the first one', { hash: null }, giveFirst, []],
    ])('makes no other notices of %s', async (_, fields, act, expected) => {
      const notices: Record<string, string[]> = {}
      for (const trip of [1, 2, 3, 4]) {
        const person = await newLogin(fields)
        await act(person, { DB: losing(trip, moment) })
        if (expected.length > 0) notices[person.email] = expected
      }
      expect(await sendAll()).toEqual(notices)
    })

    it('makes no notices of the first email', async () => {
      for (const trip of [1, 2, 3, 4]) {
        const { id } = await newUser('informer')
        const person = { id, role: 'informer' as const, email: newEmail() }
        await patch(person, { email: person.email }, { DB: losing(trip, moment) })
      }
      expect(await sendAll()).toEqual({})
    })

    it('makes no other notices of a PATCH', async () => {
      const notices: Record<string, string[]> = {}
      for (const trip of [1, 2, 3, 4]) {
        const person = await newLogin()
        const email = newEmail()
        await patch(person, { email, password: NEW }, { DB: losing(trip, moment) })
        notices[person.email] = [PASSWORD_CHANGED, EMAIL_CHANGED]
        notices[email] = [EMAIL_CHANGED]
      }
      expect(await sendAll()).toEqual(notices)
    })

    it('makes the trigger send one', async () => {
      for (const trip of [1, 2, 3, 4, 5]) {
        const person = await newLogin()
        await patch(person, { email: null })
        const sent: Email[] = []
        const EMAIL = { send: async (email: Email) => sent.push(email) }
        await runCron({ EMAIL, DB: losing(trip, moment) })
        await elapse(7)
        await runCron({ EMAIL })
        expect(sent.map(({ to }) => to)).toEqual([person.email])
      }
    })
  },
)

it('a notice that could not be sent comes again, and is as good as new', async () => {
  const person = await newLogin()
  await patch(person, { email: null })
  const { EMAIL, sent } = mailbox(1)
  await runCron({ EMAIL })
  expect(sent).toEqual([])
  await elapse(7)
  await runCron({ EMAIL })
  expect(sent).toMatchObject([{ to: person.email, subject: EMAIL_CHANGED }])
  expect(await queued()).toBe(0)
})
