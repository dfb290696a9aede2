import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { mailbox, newEmail, newLinkToken, runCron, sendTo } from '../support/emails.ts'
import { callJson, newLogin, newUser, PASSWORD, tokenFor } from '../support/helper.ts'
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
import { codeOf, newFactorOwner, stopClock } from '../support/second-factors.ts'

type FactorOwner = Awaited<ReturnType<typeof newFactorOwner>>

const VERIFICATION = 'Confirme seu email'

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox; delete from notices'))

async function verify(person: Person, body: object) {
  const token = await newLinkToken(person.id, 'verification')
  const { status } = await callJson('/auth/email/verify', { body: { token, ...body } })
  expect(status).toBe(200)
}

const setByLink = ({ id }: Person) =>
  env.DB.prepare('update users set password_by_link = 1 where id = ?').bind(id).run()

type Case = {
  person?: Parameters<typeof newLogin>[0]
  act: (person: Person, email: string) => Promise<unknown>
  former?: string[]
  next?: string[]
}

/** Who is told what, at the former address and at the next one. */
const CASES: Record<string, Case> = {
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
  'who gets another email': {
    person: { role: 'administrator' },
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
  'whose email is as it was': {
    act: (person) => patch(person, { email: person.email, phone: '1' }),
  },
  'whose email is taken away': {
    act: (person) => patch(person, { email: null }),
    former: [EMAIL_CHANGED],
  },
  'whose email and password are taken away': {
    act: (person) => patch(person, { email: null, password: null }),
    former: [PASSWORD_CHANGED, EMAIL_CHANGED],
  },
}

describe('a person', () => {
  it.each(Object.entries(CASES))(
    '%s gets the notices of that, and no others',
    async (_, { person: fields, act, former = [], next = [] }) => {
      const person = await newLogin(fields)
      const email = newEmail()
      await act(person, email)

      const {
        [person.email]: toFormer = [],
        [email]: toNext = [],
        ...others
      } = await sendAll()

      expect([toFormer, toNext, others]).toEqual([former, next, {}])
      expect(await queued()).toBe(0)
    },
  )

  it.each(['informer', 'administrator'] as const)(
    'who is created as an %s with a password, or gets a first email, is not told',
    async (role) => {
      const body = { first_name: 'Rita', email: newEmail(), password: PASSWORD }
      expect((await send('POST', `/${role}s`, body)).status).toBe(201)
      await env.DB.exec('delete from notices') // to who made an administrator
      const person = { ...(await newUser(role)), email: newEmail() }
      await patch(person, { password: NEW })
      await patch(person, { password: PASSWORD })
      await patch(person, { email: person.email, is_email_verified: true })
      expect(await sendAll()).toEqual({})
    },
  )
})

describe('an administrator', () => {
  const disableByAnother = (owner: { id: string }) =>
    send('DELETE', `/administrators/${owner.id}/second-factor`)
  const own = async ({ token, secret }: FactorOwner, method: string, more = {}) =>
    callJson('/auth/second-factor', {
      method,
      token,
      body: { ...more, code: codeOf(secret) },
    })
  const disable = (owner: FactorOwner) =>
    own(owner, 'DELETE', { current_password: PASSWORD })

  beforeEach(stopClock)

  it('who enables a second factor is told', async () => {
    const owner = await newFactorOwner({ isWaiting: true })
    expect((await own(owner, 'PUT')).status).toBe(200)
    expect(await sendAll()).toEqual({ [owner.email]: ['O segundo fator foi ativado'] })
  })

  it.each([
    ['who disables it', disable],
    ['whose factor another one disables', disableByAnother],
  ])('%s is told, once', async (_, end) => {
    const owner = await newFactorOwner()
    expect((await end(owner)).status).toBe(200)
    await disableByAnother(owner)
    expect(await sendAll()).toEqual({ [owner.email]: ['O segundo fator foi desativado'] })
  })

  it('who makes another one is told, and the new one is not', async () => {
    const maker = await newLogin({ role: 'administrator' })
    const body = { first_name: 'Rita', email: newEmail(), password: PASSWORD }
    const token = await tokenFor(maker)
    expect((await send('POST', '/administrators', body, { token })).status).toBe(201)
    expect(await sendAll()).toEqual({
      [maker.email]: ['Um administrador foi cadastrado'],
    })
  })

  it('who has none, or one that waits, is told nothing of its end', async () => {
    await disableByAnother(await newLogin({ role: 'administrator' }))
    await disableByAnother(await newFactorOwner({ isWaiting: true }))
    expect(await sendAll()).toEqual({})
  })
})

it('a helper who gets the former address and is deleted takes no notice away', async () => {
  const victim = await newLogin({ role: 'administrator' })
  const stolen = newEmail()
  await patch(victim, { email: stolen, password: NEW })
  const helper = { first_name: 'Rita', email: victim.email, password: PASSWORD }
  const { body } = await send('POST', '/informers', helper)
  const path = `/informers/${body.data.id}`
  await send('PATCH', path, { email: null, password: NEW })
  expect((await send('DELETE', path)).status).toBe(200)
  expect(await sendAll()).toEqual({
    [victim.email]: [PASSWORD_CHANGED, EMAIL_CHANGED],
    [stolen]: [EMAIL_CHANGED],
  })
})

it('a deletion drops the notices to every address of the person, and nobody else’s', async () => {
  const [person, other] = [await newLogin(), await newLogin()]
  await patch(other, { email: null, password: NEW })
  await patch(person, { email: newEmail(), password: NEW })
  await env.DB.prepare('update users set email = ? where id = ?')
    .bind(other.email, person.id)
    .run() // whose notices at that address are not the person's
  expect((await send('DELETE', pathOf(person))).status).toBe(200)
  expect(await sendAll()).toEqual({ [other.email]: [PASSWORD_CHANGED, EMAIL_CHANGED] })
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

  it('names nothing but the salutation, to a former address not even that, and has no link', async () => {
    const person = await newBishop()
    const email = newEmail()
    await patch(person, { email, password: NEW, cpf: null })

    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL, PUBLIC_URL: '', OFFICE_CONTACT: '' }) // it needs no page

    expect(sent.map(({ to }) => to).toSorted()).toEqual(
      [person.email, person.email, email].toSorted(),
    )
    for (const { to, text, html } of sent) {
      const salutation = to === email ? 'Dom Antônio,' : 'Prezado(a),'
      expect(text.split('\n\n')[0]).toBe(salutation)
      expect(text).toContain('\n\nVocê recebe esta mensagem porque ')
      expect(html).toContain(`>${salutation}</p>`)
      for (const body of [text, html]) {
        expect(body).not.toMatch(/href|https?:|@(?!media)|token|undefined|null/)
        expect(body).not.toMatch(/Guimarães|16899535009|97777|Outra2026/)
        expect(body).not.toContain(person.id)
      }
    }
  })

  it('names nobody at an address that is somebody else’s by now', async () => {
    const person = await newBishop()
    const other = { ...(await newUser('informer')), email: person.email }
    await patch(person, { email: null, cpf: null })
    await patch(other, { email: person.email }) // the first one

    const sent = await sendTo(person.email)
    expect(sent.map(({ subject }) => subject)).toEqual([EMAIL_CHANGED])
    expect(sent[0]?.text).toMatch(/^Prezado\(a\),\n/)
  })
})

it('a notice that 3.0 queued for a former address is sent', async () => {
  const { id } = await newLogin()
  const former = newEmail()
  await env.DB.prepare(
    "insert into email_outbox (email, kind, user_id) values (?, 'email_changed', ?)",
  )
    .bind(former, id)
    .run()
  expect(await sendAll()).toEqual({ [former]: [EMAIL_CHANGED] })
})
