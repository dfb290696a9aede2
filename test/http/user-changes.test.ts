import { describe, expect, it } from 'vitest'
import { newEmail, sendTo, tokenIn, withoutNotices } from '../support/emails.ts'
import {
  administratorToken,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
} from '../support/helper.ts'
import { send } from '../support/processes.ts'
import { auditedActions, storedUser } from '../support/users.ts'
import type { RoleSlug } from '#domain/roles.ts'

const ROLES: RoleSlug[] = ['informer', 'administrator']
const NEW = 'Outra2026'

const login = async (email: string, password = PASSWORD) =>
  (await callJson('/auth/login', { body: { email, password } })).status

/** Changes a user as an administrator of its own, and tells what is recorded of it. */
async function patch(path: string, body: object) {
  const actor = await newLogin({ role: 'administrator' })
  const response = await send('PATCH', path, body, { token: await tokenFor(actor) })
  const id = path.split('/').at(-1) ?? ''
  return { ...response, actions: await auditedActions(id, actor.id) }
}

/** A user with a password, who must confirm their email. */
async function newWaiting(role: RoleSlug) {
  const user = await newLogin({ role, verification: 'required' })
  return { ...user, path: `/${role}s/${user.id}` }
}

describe.each(ROLES)('PATCH of an %s', (role) => {
  const updated = `${role}.updated`

  it.each([
    [{ is_email_verified: true }, ['email.verified']],
    [{ is_email_verified: true, phone: '1' }, [updated, 'email.verified']],
    [{ is_email_verified: true, phone: null }, ['email.verified']],
    [{ password: NEW }, ['password.changed']],
    [{ password: PASSWORD }, ['password.changed']],
    [{ password: null }, ['password.changed']],
    [{ password: NEW, first_name: 'Zoé' }, [updated, 'password.changed']],
    [{ password: NEW, first_name: 'Teste' }, ['password.changed']],
    [{ first_name: 'Zoé' }, [updated]],
    [{ first_name: 'Teste' }, []],
  ])('with %j leaves the records %j', async (body, expected) => {
    const { id, path } = await newWaiting(role)
    const { status, body: changed, actions } = await patch(path, body)
    expect([status, actions]).toEqual([200, expected])
    expect(changed.data.is_email_verified).toBe('is_email_verified' in body)
    const endsSessions = 'password' in body
    expect((await storedUser(id))?.token_version).toBe(endsSessions ? 2 : 1)
  })

  it('confirms a new email that comes with is_email_verified, which then gets no link', async () => {
    const { path } = await newWaiting(role)
    const email = newEmail()
    const { body, actions } = await patch(path, { email, is_email_verified: true })
    expect([body.data.email, body.data.is_email_verified]).toEqual([email, true])
    expect(actions).toEqual([updated, 'email.verified'])
    expect(withoutNotices(await sendTo(email))).toEqual([])
    expect(await login(email)).toBe(200)
  })

  it('keeps no confirmation for another email', async () => {
    const { path } = await newWaiting(role)
    await patch(path, { is_email_verified: true })
    const email = newEmail()
    expect((await patch(path, { email })).body.data.is_email_verified).toBe(false)
    expect(await login(email)).toBe(403)
    expect(withoutNotices(await sendTo(email))).toHaveLength(1)
  })

  it('changes nothing a second time, or where there is no email or password', async () => {
    const { id, path } = await newWaiting(role)
    await patch(path, { is_email_verified: true })
    const none = await newUser(role)
    const ofNone = `/${role}s/${none.id}`
    const stored = async () => [await storedUser(id), await storedUser(none.id)]
    const before = await stored()
    for (const [one, body] of [
      [path, { is_email_verified: true }],
      [ofNone, { is_email_verified: true }],
      [ofNone, { password: null }],
    ] as const) {
      const { status, actions } = await patch(one, body)
      expect([status, actions]).toEqual([200, []])
    }
    expect(await stored()).toEqual(before)
  })

  it('takes a user back as they are read, and changes nothing', async () => {
    for (const verification of ['required', 'done'] as const) {
      const user = await newLogin({ role, verification })
      const before = await storedUser(user.id)
      const path = `/${role}s/${user.id}`
      const read = await callJson(path, { token: await administratorToken() })
      const { status, actions } = await patch(path, read.body.data)
      expect([status, actions]).toEqual([200, []])
      expect(await storedUser(user.id)).toEqual(before)
    }
  })

  it('rejects a wrong is_email_verified, and false of who is confirmed', async () => {
    const waiting = await newWaiting(role)
    const confirmed = await newLogin({ role, verification: 'done' })
    for (const [path, value] of [
      [waiting.path, 'true'],
      [waiting.path, 1],
      [waiting.path, []],
      [`/${role}s/${confirmed.id}`, false],
    ] as const) {
      const { status, body } = await patch(path, { phone: '1', is_email_verified: value })
      expect([status, body.errors]).toEqual([
        422,
        { is_email_verified: ['O email só pode ser marcado como confirmado.'] },
      ])
    }
    for (const { id } of [waiting, confirmed]) {
      expect(await storedUser(id)).toMatchObject({ phone: null })
    }
  })

  it('takes null for an is_email_verified that is not sent', async () => {
    const { path } = await newWaiting(role)
    const alone = await patch(path, { is_email_verified: null })
    expect([alone.status, alone.body.errors]).toEqual([
      422,
      { body: ['Informe ao menos um campo.'] },
    ])
    const beside = await patch(path, { is_email_verified: null, phone: '1' })
    expect([beside.status, beside.body.data.is_email_verified]).toEqual([200, false])
  })

  it('alone takes is_email_verified: a creation ignores it', async () => {
    const person = { first_name: 'Rita', email: newEmail() }
    const { body } = await send('POST', `/${role}s`, {
      ...person,
      is_email_verified: true,
    })
    expect(await storedUser(body.data.id)).toMatchObject({ email_verified_at: null })
  })

  it('of another role is 404, as are its GET and DELETE, and changes nothing', async () => {
    const other = ROLES.find((one) => one !== role) ?? role
    const { id } = await newUser(other)
    const before = await storedUser(id)
    const noun = role === 'informer' ? 'Informante' : 'Administrador'
    for (const [method, body] of [
      ['GET'],
      ['PATCH', { phone: '1' }],
      ['DELETE'],
    ] as const) {
      const response = await send(method, `/${role}s/${id}`, body)
      expect([response.status, response.body]).toEqual([
        404,
        { success: false, message: `${noun} não encontrado.` },
      ])
    }
    expect(await storedUser(id)).toEqual(before)
    expect(await auditedActions(id)).toEqual([])
  })
})

describe('the confirmation of an email by an administrator', () => {
  it('lets in who waits, and keeps sessions, links and the password', async () => {
    const { id, email, path, role } = await newWaiting('informer')
    expect(await login(email)).toBe(403)
    const token = await tokenFor({ id, role })
    await callJson('/auth/email/resend', { body: { email } })
    const link = tokenIn((await sendTo(email))[0])
    await callJson('/auth/password/forgot', { body: { email } })
    const reset = tokenIn((await sendTo(email))[0])

    expect((await patch(path, { is_email_verified: true })).status).toBe(200)

    expect(await login(email)).toBe(200)
    expect((await callJson('/cover', { token })).status).not.toBe(401)
    expect((await callJson('/auth/email/verify', { body: { token: link } })).status).toBe(
      200,
    )
    const body = { token: reset, password: NEW }
    expect((await callJson('/auth/password/reset', { body })).status).toBe(200)
  })

  it('is lost where the email is removed with it', async () => {
    const { path } = await newWaiting('informer')
    const { body, actions } = await patch(path, { is_email_verified: true, email: null })
    expect([body.data.is_email_verified, actions]).toEqual([false, ['informer.updated']])
    const other = await patch(path, { email: newEmail() })
    expect(other.body.data.is_email_verified).toBe(false)
  })
})
