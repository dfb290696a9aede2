import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  mailbox,
  newEmail,
  newLinkToken,
  runCron,
  sendTo,
  tokenIn,
  withoutNotices,
} from '../support/emails.ts'
import { administratorToken, callJson, PASSWORD, tokenFor } from '../support/helper.ts'
import { create, patch } from '../support/informers.ts'
import { storedUser } from '../support/users.ts'

const NEW = 'Outra2026'

const login = (identifier: object, password: string) =>
  callJson('/auth/login', { body: { ...identifier, password } })
const cover = async (token: string) => (await callJson('/cover', { token })).status
const reset = async (token: string) =>
  (await callJson('/auth/password/reset', { body: { token, password: NEW } })).status
const verify = async (token: string, password?: string) =>
  (await callJson('/auth/email/verify', { body: { token, password } })).status

async function resetLink(email: string): Promise<string> {
  await callJson('/auth/password/forgot', { body: { email } })
  return tokenIn((await sendTo(email)).at(-1))
}

/**
 * The ways by which somebody who reads the mail of an address comes in; each returns the password.
 */
const WAYS_IN = {
  'a reset': async (email: string) => {
    expect(await reset(await resetLink(email))).toBe(200)
    return NEW
  },
  'a reset and a change': async (email: string) => {
    expect(await reset(await resetLink(email))).toBe(200)
    const token = (await login({ email }, NEW)).body.data.access_token
    const body = { current_password: NEW, password: 'Terceira3' }
    expect(
      (await callJson('/auth/password', { method: 'PUT', token, body })).status,
    ).toBe(200)
    return 'Terceira3'
  },
  'a first password': async (email: string) => {
    await callJson('/auth/email/resend', { body: { email } })
    expect(await verify(tokenIn((await sendTo(email)).at(-1)), NEW)).toBe(200)
    return NEW
  },
}

describe('an email that an administrator gives', () => {
  it.each([
    ['the first', 'true', 403],
    ['the first', 'false', 200],
    ['another', 'true', 200],
  ])(
    'as %s, if REQUIRE_EMAIL_VERIFICATION is %s, must be confirmed or not: login is a %i',
    async (which, setting, status) => {
      const options = { env: { REQUIRE_EMAIL_VERIFICATION: setting } }
      const [former, email] = [which === 'another' ? newEmail() : null, newEmail()]
      const { id } = await create({ email: former, password: PASSWORD })
      expect((await patch(id, { email }, options)).status).toBe(200)
      expect((await login({ email }, PASSWORD)).status).toBe(status)
      const links = withoutNotices(await sendTo(email))
      expect(links).toHaveLength(status === 403 ? 1 : 0)
    },
  )

  it.each([
    ['a reset', 'another'],
    ['a reset and a change', 'null'],
    ['a first password', 'another'],
  ] as const)(
    'after %s by who reads the former one ends their tokens, links and password; it is %s',
    async (way, sent) => {
      const [typo, email] = [newEmail(), sent === 'null' ? null : newEmail()]
      const isFirst = way === 'a first password'
      const { id } = await create({
        email: typo,
        require_email_verification: isFirst,
        ...(isFirst ? {} : { password: PASSWORD }),
      })
      const password = await WAYS_IN[way](typo)
      const token = (await login({ email: typo }, password)).body.data.access_token
      const link = isFirst ? await resetLink(typo) : null
      expect(await cover(token)).toBe(404) // in no group yet
      expect((await patch(id, { email })).status).toBe(200)
      expect(await cover(token)).toBe(401)
      for (const one of [typo, email ?? typo]) {
        expect((await login({ email: one }, password)).status).toBe(401)
      }
      if (link) expect(await reset(link)).toBe(422)
      expect(await storedUser(id)).toMatchObject({
        password_hash: null,
        email_verified_at: null,
      })
    },
  )

  it.each([false, true])(
    'keeps a password that an administrator gave; must verify: %s',
    async (required) => {
      const [typo, email] = [newEmail(), newEmail()]
      const { id } = await create({
        email: typo,
        password: PASSWORD,
        require_email_verification: required,
      })
      if (required) expect(await verify(tokenIn((await sendTo(typo))[0]))).toBe(200)
      const token = (await login({ email: typo }, PASSWORD)).body.data.access_token
      const link = await newLinkToken(id)
      await patch(id, { email })
      expect([await cover(token), await reset(link)]).toEqual([401, 422])
      const sent = withoutNotices(await sendTo(email))
      expect(sent).toHaveLength(required ? 1 : 0)
      if (required) expect(await verify(tokenIn(sent[0]))).toBe(200)
      expect((await login({ email }, PASSWORD)).status).toBe(200)
    },
  )

  it.each(['before', 'together'])(
    'keeps a password that an administrator gave %s, after a reset',
    async (when) => {
      const [typo, email] = [newEmail(), newEmail()]
      const { id } = await create({ email: typo })
      expect(await reset(await resetLink(typo))).toBe(200)
      if (when === 'before') await patch(id, { password: PASSWORD })
      await patch(id, { email, ...(when === 'together' ? { password: PASSWORD } : {}) })
      await patch(id, { email: newEmail() })
      expect((await storedUser(id))?.password_hash).not.toBeNull()
    },
  )

  it('as null leaves nothing to verify: the CPF still lets in, until there is another email', async () => {
    const email = newEmail()
    const cpf = '39053344705'
    const { id } = await create({
      email,
      cpf,
      password: PASSWORD,
      require_email_verification: true,
    })
    const status = async () => (await login({ cpf }, PASSWORD)).status
    expect(await status()).toBe(403)
    await patch(id, { email: null })
    expect(await status()).toBe(200)
    await patch(id, { email })
    expect(await status()).toBe(403)
    const [link] = withoutNotices(await sendTo(email))
    expect(await verify(tokenIn(link))).toBe(200)
    expect(await status()).toBe(200)
    await callJson(`/informers/${id}`, {
      method: 'DELETE',
      token: await administratorToken(),
    })
  })

  it('gets no link where it is the same, none, or needs no verification', async () => {
    const [email, unverified] = [newEmail(), newEmail()]
    const waiting = await create({ email, require_email_verification: true })
    await env.DB.prepare('delete from email_outbox where email = ?').bind(email).run()
    await patch(waiting.id, { email, phone: '1' })
    await patch(waiting.id, { email: null })
    const { id } = await create({ email: newEmail(), password: PASSWORD })
    await patch(id, { email: unverified })
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    const links = withoutNotices(sent).map(({ to }) => to)
    expect(links).not.toContain(email)
    expect(links).not.toContain(unverified)
  })

  it('keeps the failed logins of the former one, as another CPF does', async () => {
    const [former, email] = [newEmail(), newEmail()]
    const { id } = await create({ email: former, cpf: '11144477735' })
    await login({ email: former }, 'x')
    await login({ cpf: '11144477735' }, 'x')
    const failures = () =>
      env.DB.prepare('select count(*) as n from failed_logins').first<number>('n')
    const before = (await failures()) ?? 0
    await patch(id, { phone: '1', email: former })
    expect(await failures()).toBe(before)
    await patch(id, { email })
    await patch(id, { cpf: null })
    expect(await failures()).toBe(before)
  })
})

it('PATCH of a password allows login only with the new one, and ends sessions and links', async () => {
  const email = newEmail()
  const { id } = await create({ email, password: PASSWORD })
  const token = await tokenFor({ id, role: 'informer' })
  expect(await cover(token)).toBe(404) // in no group yet
  await newLinkToken(id)
  const links = () =>
    env.DB.prepare('select count(*) as n from email_tokens where user_id = ?')
      .bind(id)
      .first('n')
  await patch(id, { phone: '1' })
  expect(await links()).toBe(1)
  expect((await patch(id, { password: NEW })).status).toBe(200)
  expect(await cover(token)).toBe(401)
  expect(await links()).toBe(0)
  expect((await login({ email }, PASSWORD)).status).toBe(401)
  const { status, body } = await login({ email }, NEW)
  expect([status, await cover(body.data.access_token)]).toEqual([200, 404])
})
