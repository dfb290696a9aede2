import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  mailbox,
  newEmail,
  newUnverified,
  runCron,
  sendTo,
  withoutNotices,
} from '../support/emails.ts'
import { callJson, counting, PASSWORD } from '../support/helper.ts'
import { create as createInformer } from '../support/informers.ts'
import { newActor, send } from '../support/processes.ts'
import { storedUser } from '../support/users.ts'

/** Creates one of a kind of user, with an email that is not confirmed. */
async function create(kind: string, body: object = {}) {
  const created = await send('POST', `/${kind}`, {
    first_name: 'Davi',
    email: newEmail(),
    ...body,
  })
  expect(created.status).toBe(201)
  return created.body.data as { id: string; email: string }
}

/** Sends equal PATCHes at once, and returns what each records. */
async function patchAtOnce(path: string, body: object) {
  const { token, records } = await newActor()
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => send('PATCH', path, body, { token })),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  return (await records()).map(({ action }) => action)
}

/** The value of `updated_at`, which a write that changes nothing does not move. */
const updatedAt = async (id: string) => (await storedUser(id))?.updated_at

/** What makes a new user confirm their email: an administrator without a password must anyway. */
const MUST_VERIFY: Record<string, object> = {
  informers: { require_email_verification: true },
}

const queuedOf = (email: string) =>
  env.DB.prepare('select count(*) as n from email_outbox where email = ?')
    .bind(email)
    .first('n')

describe.each([
  ['informers', 'informer.updated'],
  ['administrators', 'administrator.updated'],
])('PATCH /v1/%s', (kind, updated) => {
  it.each([
    [{ phone: '1' }],
    [{ first_name: 'Ângela', last_name: 'Zanetti' }],
    [{ cpf: '52998224725', phone: null, img_url: 'https://example.org/1.png' }],
  ])('%j five times at once leaves one record', async (body) => {
    const { id } = await create(kind)
    expect(await patchAtOnce(`/${kind}/${id}`, body)).toEqual([updated])
    await patchAtOnce(`/${kind}/${id}`, { cpf: null })
  })

  it('does all of forty different changes at once, in some order', async () => {
    const { id } = await create(kind)
    const { token, records } = await newActor()
    const phones = Array.from({ length: 40 }, (_, index) => String(index))
    const responses = await Promise.all(
      phones.map((phone) => send('PATCH', `/${kind}/${id}`, { phone }, { token })),
    )
    expect(responses.map(({ status }) => status)).toEqual(phones.map(() => 200))
    expect(responses.map(({ body }) => body.data.phone)).toEqual(phones)
    expect(await records()).toHaveLength(40)
    expect(await storedUser(id)).toMatchObject({ revision: 41 })
  })

  it('of a new email five times at once ends the sessions once', async () => {
    const { id } = await create(kind)
    const email = newEmail()
    expect(await patchAtOnce(`/${kind}/${id}`, { email })).toEqual([updated])
    expect(await storedUser(id)).toMatchObject({ email, token_version: 2 })
  })

  it('of what is so already leaves no record, and reads once', async () => {
    const { id, email } = await create(kind, { phone: '1' })
    const before = await updatedAt(id)
    const { token, records } = await newActor()
    const { binding, count } = counting()
    const body = {
      first_name: ' Davi ',
      email: email.toUpperCase(),
      phone: '1',
      cpf: null,
    }

    const { status } = await send('PATCH', `/${kind}/${id}`, body, {
      token,
      env: { DB: binding },
    })

    // the caller, what is taken, the user
    expect([status, count.roundTrips, count.rowsWritten]).toEqual([200, 3, 0])
    expect(await records()).toEqual([])
    expect(await updatedAt(id)).toBe(before)
  })

  it('{"is_email_verified":true} five times at once confirms the email once', async () => {
    const { id } = await create(kind)
    const body = { is_email_verified: true }
    expect(await patchAtOnce(`/${kind}/${id}`, body)).toEqual(['email.verified'])
    expect((await send('GET', `/${kind}/${id}`)).body.data.is_email_verified).toBe(true)
  })

  it('confirms an email and leaves a record of the person', async () => {
    const { id } = await create(kind)
    const { token, records } = await newActor()
    const body = { is_email_verified: true, phone: '1' }

    const first = await send('PATCH', `/${kind}/${id}`, body, { token })
    const again = await send('PATCH', `/${kind}/${id}`, body, { token })

    expect(first.body.data.is_email_verified).toBe(true)
    expect(again.body.data).toEqual(first.body.data)
    const subject_type = updated.replace('.updated', '')
    expect(await records()).toEqual([
      { action: updated, subject_type, subject_id: id },
      { action: 'email.verified', subject_type: 'user', subject_id: id },
    ])
  })

  it.each([false, null, 1, 'true', {}])(
    'rejects is_email_verified: %j',
    async (value) => {
      const { id } = await create(kind)
      const { status, body } = await send('PATCH', `/${kind}/${id}`, {
        is_email_verified: value,
      })
      expect([status, body.errors]).toEqual([
        422,
        { is_email_verified: ['O email só pode ser marcado como confirmado.'] },
      ])
    },
  )

  it('confirms a new email, which then gets no link', async () => {
    const { id } = await create(kind, MUST_VERIFY[kind])
    const email = newEmail()
    const { token, records } = await newActor()

    const body = { email, is_email_verified: true }
    const { body: changed } = await send('PATCH', `/${kind}/${id}`, body, { token })

    expect(changed.data).toMatchObject({ email, is_email_verified: true })
    expect((await records()).map(({ action }) => action)).toEqual([
      updated,
      'email.verified',
    ])
    expect(withoutNotices(await sendTo(email))).toEqual([])
  })

  it('of a new email alone takes the confirmation of the former one', async () => {
    const { id } = await create(kind)
    await send('PATCH', `/${kind}/${id}`, { is_email_verified: true })
    const { body } = await send('PATCH', `/${kind}/${id}`, { email: newEmail() })
    expect(body.data.is_email_verified).toBe(false)
  })
})

describe('PATCH /v1/informers with is_email_verified', () => {
  it('lets in who waits for a mail that never comes, with the password of an administrator', async () => {
    const { id, email } = await newUnverified()
    const login = () => callJson('/auth/login', { body: { email, password: PASSWORD } })
    await send('PATCH', `/informers/${id}`, { password: PASSWORD })
    const refused = await login()
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Confirme seu email antes de entrar.',
    ])
    await send('PATCH', `/informers/${id}`, { is_email_verified: true })
    expect((await login()).status).toBe(200)
  })

  it('leaves an open link, by which a first password can still be set', async () => {
    const { id, token } = await newUnverified()
    await send('PATCH', `/informers/${id}`, { is_email_verified: true })
    const verified = await callJson('/auth/email/verify', {
      body: { token, password: PASSWORD },
    })
    expect(verified.status).toBe(200)
    expect((await storedUser(id))?.password_hash).not.toBeNull()
  })

  it.each([
    ['has no address', {}, {}],
    ['loses it', { email: newEmail() }, { email: null }],
  ])('changes nothing of it where the person %s', async (_, fields, change) => {
    const { id } = await createInformer(fields)
    const { token, records } = await newActor()
    const body = { is_email_verified: true, ...change }

    const { status, body: changed } = await send('PATCH', `/informers/${id}`, body, {
      token,
    })

    expect([status, changed.data.is_email_verified]).toEqual([200, false])
    const actions = (await records()).map(({ action }) => action)
    expect(actions).toEqual(Object.keys(change).map(() => 'informer.updated'))
    await send('PATCH', `/informers/${id}`, { email: newEmail() })
    expect((await send('GET', `/informers/${id}`)).body.data.is_email_verified).toBe(
      false,
    )
  })

  it('is no field of a creation', async () => {
    const { id } = await createInformer({ email: newEmail(), is_email_verified: true })
    expect((await send('GET', `/informers/${id}`)).body.data.is_email_verified).toBe(
      false,
    )
  })
})

describe('PATCH of a password', () => {
  it('that is sent is recorded each time', async () => {
    const { id } = await createInformer({ email: newEmail() })
    const actions = await patchAtOnce(`/informers/${id}`, { password: PASSWORD })
    expect(actions).toEqual(Array(5).fill('password.changed'))
  })

  it('that is taken away five times at once is recorded once', async () => {
    const { id } = await createInformer({ email: newEmail(), password: PASSWORD })
    const actions = await patchAtOnce(`/informers/${id}`, { password: null })
    expect(actions).toEqual(['password.changed'])
    expect(await storedUser(id)).toMatchObject({ password_hash: null, token_version: 2 })
  })

  it('that is taken away from who has none changes nothing', async () => {
    const { id } = await createInformer({ email: newEmail() })
    const before = await storedUser(id)
    expect(await patchAtOnce(`/informers/${id}`, { password: null })).toEqual([])
    expect(await storedUser(id)).toEqual(before)
  })
})

it('PATCH of an email that must be confirmed five times at once sends one mail', async () => {
  const { id } = await newUnverified()
  const email = newEmail()
  await patchAtOnce(`/informers/${id}`, { email })
  const { EMAIL, sent } = mailbox()
  await runCron({ EMAIL })
  await runCron({ EMAIL })
  const received = sent.filter(({ to }) => to === email)
  expect(withoutNotices(received)).toHaveLength(1)
  expect(await queuedOf(email)).toBe(0)
})
