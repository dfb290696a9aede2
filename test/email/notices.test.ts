import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Email,
  elapse,
  mailbox,
  newEmail,
  noticesIn,
  runCron,
  sendTo,
  tokenIn,
} from '../emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  interceptedDatabase,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
} from '../helper.ts'
import { send } from '../processes.ts'

const DAY = 24 * 60
const NEW = 'Outra2026'
const PASSWORD_CHANGED = 'A sua senha foi alterada'
const EMAIL_CHANGED = 'O seu email foi alterado'
const VERIFICATION = 'Confirme seu email'

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox'))

type Person = Awaited<ReturnType<typeof newLogin>>

const pathOf = ({ id, role }: Person) => `/${role}s/${id}`

async function patch(person: Person, body: object, bindings = {}) {
  const { status } = await send('PATCH', pathOf(person), body, { env: bindings })
  expect(status).toBe(200)
}

async function changePassword(person: Person, bindings = {}) {
  const { status } = await callJson('/auth/password', {
    method: 'PUT',
    token: await tokenFor(person),
    body: { current_password: PASSWORD, password: NEW },
    env: bindings,
  })
  expect(status).toBe(200)
}

async function linkTo({ email }: Person, path: string) {
  await callJson(path, { body: { email } })
  return tokenIn((await sendTo(email))[0])
}

async function resetPassword(person: Person, bindings = {}) {
  const token = await linkTo(person, '/auth/password/forgot')
  const { status } = await callJson('/auth/password/reset', {
    body: { token, password: NEW },
    env: bindings,
  })
  expect(status).toBe(200)
}

async function verify(person: Person, body: object) {
  const token = await linkTo(person, '/auth/email/resend')
  const { status } = await callJson('/auth/email/verify', { body: { token, ...body } })
  expect(status).toBe(200)
}

/** The subjects of what the next trigger sends, by address. */
async function sendAll(bindings = {}): Promise<Record<string, string[]>> {
  const { EMAIL, sent } = mailbox()
  await runCron({ EMAIL, ...bindings })
  const received: Record<string, string[]> = {}
  for (const { to, subject } of sent) {
    received[to] = [...(received[to] ?? []), subject].toSorted()
  }
  return received
}

const queued = () =>
  env.DB.prepare('select count(*) as n from email_outbox').first<number>('n')

const counted = () =>
  env.DB.prepare('select count(*) as n from sent_emails').first<number>('n')

const setByLink = ({ id }: Person) =>
  env.DB.prepare('update users set password_by_link = 1 where id = ?').bind(id).run()

describe.each(['informer', 'administrator'] as const)('an %s', (role) => {
  type Case = {
    person?: Parameters<typeof newLogin>[0]
    act: (person: Person, email: string) => Promise<unknown>
    former?: string[]
    next?: string[]
  }

  const PASSWORDS: Record<string, Case> = {
    'who changes the password': {
      act: (person) => changePassword(person),
      former: [PASSWORD_CHANGED],
    },
    'who resets it by a link': {
      act: (person) => resetPassword(person),
      former: [PASSWORD_CHANGED],
    },
    'who sets the first one by a link to reset it': {
      person: { hash: null },
      act: (person) => resetPassword(person),
    },
    'who sets the first one by a link to verify the email': {
      person: { hash: null, verification: 'required' },
      act: (person) => verify(person, { password: NEW }),
    },
    'who verifies the email': {
      person: { verification: 'required' },
      act: (person) => verify(person, {}),
    },
    'who gets another password': {
      act: (person) => patch(person, { password: NEW }),
      former: [PASSWORD_CHANGED],
    },
    'who gets another one without having verified the email': {
      person: { verification: 'required' },
      act: (person) => patch(person, { password: NEW }),
      former: [PASSWORD_CHANGED],
    },
    'who gets the first one': {
      person: { hash: null },
      act: (person) => patch(person, { password: NEW }),
    },
    'whose password is taken away': {
      act: (person) => patch(person, { password: null }),
      former: [PASSWORD_CHANGED],
    },
    'who has none to take away': {
      person: { hash: null },
      act: (person) => patch(person, { password: null, phone: '1' }),
    },
  }

  const EMAILS: Record<string, Case> = {
    'who gets another email': {
      act: (person, email) => patch(person, { email }),
      former: [EMAIL_CHANGED],
      next: [EMAIL_CHANGED],
    },
    'who gets another one that is confirmed': {
      person: { verification: 'done' },
      act: (person, email) => patch(person, { email, is_email_verified: true }),
      former: [EMAIL_CHANGED],
      next: [EMAIL_CHANGED],
    },
    'who gets another one that must be verified': {
      person: { verification: 'required' },
      act: (person, email) => patch(person, { email }),
      former: [EMAIL_CHANGED],
      next: [VERIFICATION, EMAIL_CHANGED],
    },
    'who gets another one, with which the password of a link ends': {
      act: async (person, email) => {
        await setByLink(person)
        await patch(person, { email })
      },
      former: [PASSWORD_CHANGED, EMAIL_CHANGED],
      next: [EMAIL_CHANGED],
    },
    'who gets another one and a password': {
      act: (person, email) => patch(person, { email, password: NEW }),
      former: [PASSWORD_CHANGED, EMAIL_CHANGED],
      next: [EMAIL_CHANGED],
    },
    'who gets another one and the first password': {
      person: { hash: null },
      act: (person, email) => patch(person, { email, password: NEW }),
      former: [EMAIL_CHANGED],
      next: [EMAIL_CHANGED],
    },
    'who gets another one just after a password': {
      act: async (person, email) => {
        await patch(person, { password: NEW })
        await patch(person, { email })
      },
      former: [PASSWORD_CHANGED, EMAIL_CHANGED],
      next: [EMAIL_CHANGED],
    },
    'whose email is as it was': {
      act: (person) => patch(person, { email: person.email, phone: '1' }),
    },
    'whose email is confirmed': {
      act: (person) => patch(person, { is_email_verified: true }),
    },
  }

  /** An administrator must have an email. */
  const NO_EMAILS: Record<string, Case> = {
    'whose email is taken away': {
      act: (person) => patch(person, { email: null }),
      former: [EMAIL_CHANGED],
    },
    'whose email and password are taken away': {
      act: (person) => patch(person, { email: null, password: null }),
      former: [PASSWORD_CHANGED, EMAIL_CHANGED],
    },
  }

  const cases = { ...PASSWORDS, ...EMAILS, ...(role === 'informer' && NO_EMAILS) }

  it.each(Object.entries(cases))(
    '%s is told of that alone',
    async (_, { person: fields, act, former = [], next = [] }) => {
      const person = await newLogin({ role, ...fields })
      const email = newEmail()
      await act(person, email)

      const {
        [person.email]: toFormer = [],
        [email]: toNext = [],
        ...others
      } = await sendAll()

      expect(toFormer).toEqual(former)
      expect(toNext).toEqual(next)
      expect(others).toEqual({})
      expect(await queued()).toBe(0)
    },
  )

  it('who gets a first email is not told, nor is one without an email', async () => {
    const { id } = await newUser(role)
    const person = { id, role, email: newEmail() }
    await patch(person, { password: NEW })
    await patch(person, { password: PASSWORD })
    await patch(person, { email: person.email, is_email_verified: true })
    expect(noticesIn(await sendTo(person.email))).toEqual([])
  })

  it('who is created with a password is not told', async () => {
    const body = { first_name: 'Rita', email: newEmail(), password: PASSWORD }
    const created = await send('POST', `/${role}s`, body)
    expect(created.status).toBe(201)
    expect(noticesIn(await sendTo(body.email))).toEqual([])
  })
})

describe('a notice', () => {
  /** Dom Antônio, and all that is known of him but the salutation. */
  async function newBishop() {
    const pronoun = env.DB.prepare("select id from treatment_pronouns where name = 'Dom'")
    const created = await send('POST', '/informers', {
      first_name: 'Antônio',
      last_name: 'Guimarães',
      email: newEmail(),
      cpf: '16899535009',
      phone: '+55 61 97777-6666',
      password: PASSWORD,
      treatment_pronoun_id: await pronoun.first('id'),
    })
    expect(created.status).toBe(201)
    const { id, email } = created.body.data
    return { id, email, role: 'informer' as const }
  }

  it('names nothing but the salutation, and has no link', async () => {
    const person = await newBishop()
    const email = newEmail()
    await patch(person, { email, password: NEW, cpf: null })

    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL, PUBLIC_URL: '', OFFICE_CONTACT: '' }) // it needs no page

    expect(sent.map(({ to }) => to).toSorted()).toEqual(
      [person.email, person.email, email].toSorted(),
    )
    for (const { text, html } of sent) {
      expect(text).toMatch(/^Dom Antônio,\n\nVocê recebe esta mensagem porque /)
      expect(html).toContain('<p>Dom Antônio,</p>')
      for (const body of [text, html]) {
        expect(body).not.toMatch(/href|https?:|@(?!media)|token|undefined|null/)
        expect(body).not.toMatch(/Guimarães|16899535009|97777|Outra2026/)
        expect(body).not.toContain(person.id)
      }
    }
  })

  it('greets its person at an address that is somebody else’s by now', async () => {
    const person = await newBishop()
    const other = { ...(await newUser('informer')), email: person.email }
    await patch(person, { email: null, cpf: null })
    await patch(other, { email: person.email }) // the first one

    const sent = await sendTo(person.email)
    expect(sent.map(({ subject }) => subject)).toEqual([EMAIL_CHANGED])
    expect(sent[0]?.text).toMatch(/^Dom Antônio,/)
  })
})

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
      if (trip !== 4) return // it is claimed, and its recipient is known
      await callJson(pathOf(person), { method: 'DELETE', token })
    })
    const before = await counted()
    expect(await sendAll({ DB })).toEqual({})
    expect(await counted()).toBe(before)
  })
})

const LOST = 'D1_ERROR: Network connection lost.'

/** A database that loses the connection once, before or behind the effect of a round trip. */
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

describe.each(['before', 'behind'])(
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
      for (const trip of [1, 2, 3, 4]) {
        const person = await newLogin(fields)
        await act(person, { DB: losing(trip, moment) })
        const { [person.email]: received = [] } = await sendAll()
        expect(received).toEqual(expected)
      }
    })

    it('makes no notices of the first email', async () => {
      for (const trip of [1, 2, 3, 4]) {
        const { id } = await newUser('informer')
        const person = { id, role: 'informer' as const, email: newEmail() }
        await patch(person, { email: person.email }, { DB: losing(trip, moment) })
        expect(await sendAll()).toEqual({})
      }
    })

    it('makes no other notices of a PATCH', async () => {
      for (const trip of [1, 2, 3, 4]) {
        const person = await newLogin()
        const email = newEmail()
        await patch(person, { email, password: NEW }, { DB: losing(trip, moment) })
        expect(await sendAll()).toEqual({
          [person.email]: [PASSWORD_CHANGED, EMAIL_CHANGED],
          [email]: [EMAIL_CHANGED],
        })
      }
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
