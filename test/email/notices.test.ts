import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { mailbox, newEmail, noticesIn, runCron, sendTo } from '../support/emails.ts'
import { callJson, newLogin, newUser, PASSWORD } from '../support/helper.ts'
import {
  changePassword,
  EMAIL_CHANGED,
  linkTo,
  NEW,
  PASSWORD_CHANGED,
  patch,
  type Person,
  queued,
  resetPassword,
  sendAll,
} from '../support/notices.ts'
import { send } from '../support/processes.ts'

const VERIFICATION = 'Confirme seu email'

// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox'))

async function verify(person: Person, body: object) {
  const token = await linkTo(person, '/auth/email/resend')
  const { status } = await callJson('/auth/email/verify', { body: { token, ...body } })
  expect(status).toBe(200)
}

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

it('a notice that is queued again has all its attempts before it', async () => {
  const person = await newLogin()
  await patch(person, { password: NEW })
  await env.DB.prepare('update email_outbox set attempts = 5 where email = ?')
    .bind(person.email)
    .run()
  await patch(person, { password: 'Terceira2026' })
  const attempts = env.DB.prepare('select attempts from email_outbox where email = ?')
  expect(await attempts.bind(person.email).first('attempts')).toBe(0)
})
