import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { administratorToken, callJson, PASSWORD, tokenOf } from '../helper.ts'
import { apply, findUser } from './helper.ts'

describe('a password', () => {
  const logIn = async (body: object) => (await callJson('/auth/login', { body })).status

  it('is set only if there is none', async () => {
    await apply({
      informers: [
        { email: 'clara@example.org', first_name: 'Clara', phone: '2', password: 'Outra2026' },
        { cpf: '52998224725', first_name: 'Davi' },
      ],
    })
    expect(await logIn({ email: 'clara@example.org', password: PASSWORD })).toBe(200)
    await apply({ informers: [{ cpf: '52998224725', first_name: 'Davi', password: 'Nova2026' }] })
    expect(await logIn({ cpf: '52998224725', password: 'Nova2026' })).toBe(200)
  })

  it('that is new ends the sessions from before', async () => {
    const person = {
      email: 'session@example.org',
      first_name: 'Sara',
      groups: [{ protocol: 'BR-2026-001', group: 'Grupo 1' }],
    }
    await apply({ informers: [person] })
    const token = await tokenOf(person.email)
    expect((await callJson('/cover', { token })).status).toBe(200)
    await apply({ informers: [{ ...person, phone: '1' }] })
    expect((await callJson('/cover', { token })).status).toBe(200)
    await apply({ informers: [{ ...person, password: 'Nova2026' }] })
    const { status, body } = await callJson('/cover', { token })
    expect([status, body.message]).toEqual([401, 'Token inválido'])
  })
})

describe('an email that must be verified', () => {
  /** A person with a verified email, a password, and a further email in the outbox. */
  async function newVerified(cpf: string) {
    const person = { first_name: 'Vera', cpf, email: `vera.${cpf}@example.org` }
    await callJson('/informers', {
      token: await administratorToken(),
      body: { ...person, password: PASSWORD, require_email_verification: true },
    })
    await env.DB.batch([
      env.DB.prepare("update users set email_verified_at = '2026-01-01T00:00:00.000000Z' where cpf = ?").bind(
        cpf,
      ),
      env.DB.prepare(
        "insert into email_outbox values (?, 'verification', 3, '2099-01-01T00:00:00.000000Z') on conflict do update set attempts = 3",
      ).bind(person.email),
    ])
    const emails = async () =>
      (
        await env.DB.prepare('select email, kind, attempts from email_outbox where email glob ?')
          .bind(`*${cpf}*`)
          .all()
      ).results
    return { person, emails, before: await findUser(cpf) }
  }

  it('stays verified, with the password and the attempts of its email, while it is unchanged', async () => {
    const { person, emails, before } = await newVerified('11144477735')
    const document = { informers: [{ ...person, last_name: 'Reis', phone: '1' }] }
    expect(await apply(document)).toMatchObject({ users: { changed: 1 } })
    expect(await apply(document)).toMatchObject({ users: { unchanged: 1 } })
    const { email_verified_at, password_hash, token_version } = before ?? {}
    expect(await findUser(person.cpf)).toMatchObject({
      phone: '1',
      email_verified_at,
      password_hash,
      token_version,
    })
    expect(await emails()).toEqual([{ email: person.email, kind: 'verification', attempts: 3 }])
  })

  it('must be verified again after a change, without the old password', async () => {
    const { person, emails, before } = await newVerified('39053344705')
    const email = `reis.${person.cpf}@example.org`
    await apply({ informers: [{ ...person, email }] })
    expect(await findUser(person.cpf)).toMatchObject({
      email,
      email_verified_at: null,
      password_hash: null,
      token_version: Number(before?.token_version) + 1,
    })
    expect(await emails()).toEqual([{ email, kind: 'verification', attempts: 0 }])
  })

  it('replaces the old password with that of the document', async () => {
    const { person, before } = await newVerified('86288366757')
    const email = `reis.${person.cpf}@example.org`
    const document = { informers: [{ ...person, email, password: 'Outra2026' }] }
    await apply(document)
    const changed = await findUser(person.cpf)
    expect(changed).toMatchObject({ email, password_hash: expect.any(String) })
    expect(changed?.password_hash).not.toBe(before?.password_hash)
    expect(await apply(document)).toMatchObject({ users: { changed: 0, unchanged: 1 } })
    expect(await findUser(person.cpf)).toEqual(changed)
  })
})
