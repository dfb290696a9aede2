import { env } from 'cloudflare:workers'
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
import { auditedActions, storedUser } from '../support/users.ts'
import type { RoleSlug } from '#domain/roles.ts'

const ROLES: RoleSlug[] = ['informer', 'administrator']
const ONLY_TRUE = ['O email só pode ser marcado como confirmado.']
const NEW = 'Outra2026'

const login = async (email: string, password = PASSWORD) =>
  (await callJson('/auth/login', { body: { email, password } })).status

/** Changes a user as an administrator of its own, and tells what is recorded of it. */
async function patch(path: string, body: object) {
  const actor = await newUser('administrator')
  const response = await callJson(path, {
    method: 'PATCH',
    token: await tokenFor(actor),
    body,
  })
  const id = path.split('/').at(-1) ?? ''
  return { ...response, actions: await auditedActions(id, actor.id) }
}

describe.each(ROLES)('is_email_verified of an %s', (role) => {
  const newWaiting = async () => {
    const user = await newLogin({ role, verification: 'required' })
    return { ...user, path: `/${role}s/${user.id}` }
  }

  it('lets in who waits for a mail that never comes', async () => {
    const { email, path } = await newWaiting()
    expect(await login(email)).toBe(403)

    const { status, body, actions } = await patch(path, { is_email_verified: true })
    expect([status, body.data.is_email_verified, actions]).toEqual([
      200,
      true,
      ['email.verified'],
    ])
    expect(await login(email)).toBe(200)
  })

  it('keeps sessions, links and the password', async () => {
    const { id, email, path } = await newWaiting()
    const token = await tokenFor({ id, role })
    await callJson('/auth/email/resend', { body: { email } })
    const link = tokenIn((await sendTo(email))[0])
    await callJson('/auth/password/forgot', { body: { email } })
    const reset = tokenIn((await sendTo(email))[0])

    expect((await patch(path, { is_email_verified: true })).status).toBe(200)
    expect((await storedUser(id))?.token_version).toBe(1)
    expect((await callJson('/cover', { token })).status).not.toBe(401)
    expect((await callJson('/auth/email/verify', { body: { token: link } })).status).toBe(
      200,
    )
    const body = { token: reset, password: NEW }
    expect((await callJson('/auth/password/reset', { body })).status).toBe(200)
  })

  it('is of a new email that comes with it, which gets no link', async () => {
    const { path } = await newWaiting()
    const email = newEmail()
    const { body, actions } = await patch(path, { email, is_email_verified: true })
    expect([body.data.email, body.data.is_email_verified]).toEqual([email, true])
    expect(actions).toEqual([`${role}.updated`, 'email.verified'])
    expect(withoutNotices(await sendTo(email))).toEqual([])
    expect(await login(email)).toBe(200)
  })

  it('is not kept for another email', async () => {
    const { path } = await newWaiting()
    await patch(path, { is_email_verified: true })
    const email = newEmail()
    const { body } = await patch(path, { email })
    expect(body.data.is_email_verified).toBe(false)
    expect(await login(email)).toBe(403)
    expect(withoutNotices(await sendTo(email))).toHaveLength(1)
  })

  it('changes nothing a second time, or where there is no email', async () => {
    const { path } = await newWaiting()
    await patch(path, { is_email_verified: true })
    const none = await newUser(role)
    for (const one of [path, `/${role}s/${none.id}`]) {
      const { status, actions } = await patch(one, { is_email_verified: true })
      expect([status, actions]).toEqual([200, []])
    }
    expect(await storedUser(none.id)).toMatchObject({ email_verified_at: null })
  })

  it('is recorded beside another field, and by itself if that does not differ', async () => {
    for (const [phone, expected] of [
      ['+55 61 98888-7777', [`${role}.updated`, 'email.verified']],
      [null, ['email.verified']],
    ] as const) {
      const { path } = await newWaiting()
      const { actions } = await patch(path, { phone, is_email_verified: true })
      expect(actions).toEqual(expected)
    }
  })

  it.each([false, null, 'true', 1, []])('cannot be %j', async (value) => {
    const { id, path } = await newWaiting()
    const before = await storedUser(id)
    const { status, body } = await patch(path, { phone: '1', is_email_verified: value })
    expect([status, body.errors]).toEqual([422, { is_email_verified: ONLY_TRUE }])
    expect(await storedUser(id)).toEqual(before)
  })

  it('is no field of a creation', async () => {
    const email = newEmail()
    const { body } = await callJson(`/${role}s`, {
      token: await administratorToken(),
      body: { first_name: 'Rita', email, is_email_verified: true },
    })
    expect(await storedUser(body.data.id)).toMatchObject({ email_verified_at: null })
  })
})

describe.each(ROLES)('a password in a PATCH of an %s', (role) => {
  it.each([
    [{ password: NEW }, ['password.changed']],
    [{ password: PASSWORD }, ['password.changed']],
    [{ password: null }, ['password.changed']],
    [{ password: NEW, first_name: 'Zoé' }, [`${role}.updated`, 'password.changed']],
    [{ password: NEW, first_name: 'Teste' }, ['password.changed']],
    [{ first_name: 'Zoé' }, [`${role}.updated`]],
    [{ first_name: 'Teste' }, []],
  ])('%j is recorded', async (body, expected) => {
    const { id } = await newLogin({ role })
    const { status, actions } = await patch(`/${role}s/${id}`, body)
    expect([status, actions]).toEqual([200, expected])
    const endsSessions = 'password' in body
    expect((await storedUser(id))?.token_version).toBe(endsSessions ? 2 : 1)
  })
})

it('records of passwords are about a user, and found as such', async () => {
  const { id } = await newLogin()
  await patch(`/informers/${id}`, { password: NEW, first_name: 'Zoé' })
  const { body } = await callJson(`/audit-events?subject_type=user&subject_id=${id}`, {
    token: await administratorToken(),
  })
  expect(body.data).toMatchObject([{ action: 'password.changed', subject_type: 'user' }])
  expect(
    await env.DB.prepare('select count(*) as n from audit_events where subject_id = ?')
      .bind(id)
      .first('n'),
  ).toBe(2)
})
