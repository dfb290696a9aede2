import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/security/hashes.ts'
import { mailbox, newEmail, runCron } from '../emails.ts'
import { call, callJson, PASSWORD, tokenFor } from '../helper.ts'
import { create, patch } from '../informers.ts'

describe('a password changed by PATCH', () => {
  it('allows login only with the new one, and invalidates earlier sessions and links', async () => {
    const email = newEmail()
    const { id } = await create({ email, password: PASSWORD })
    const token = await tokenFor({ id, role: 'informer' })
    expect((await call('/cover', { token })).status).toBe(404) // no group yet
    await env.DB.prepare(
      "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, 'password_reset', '9999')",
    )
      .bind(await digest(`reset ${id}`), id)
      .run()
    const links = () => env.DB.prepare('select count(*) as n from email_tokens where user_id = ?').bind(id).first('n')
    await patch(id, { phone: '1' })
    expect(await links()).toBe(1)
    expect((await patch(id, { password: 'Outra2026' })).status).toBe(200)
    expect((await call('/cover', { token })).status).toBe(401)
    expect(await links()).toBe(0)
    const login = (password: string) => callJson('/auth/login', { body: { email, password } })
    expect((await login(PASSWORD)).status).toBe(401)
    const { status, body } = await login('Outra2026')
    expect(status).toBe(200)
    expect((await call('/cover', { token: body.data.access_token })).status).toBe(404)
  })
})

describe('an email changed by PATCH', () => {
  it('keeps a password that is sent with it', async () => {
    const email = newEmail()
    const { id } = await create({ email: newEmail(), password: PASSWORD, require_email_verification: true })
    await patch(id, { email, password: 'Outra2026' })
    const login = await callJson('/auth/login', { body: { email, password: 'Outra2026' } })
    expect([login.status, login.body.message]).toEqual([403, 'Confirme seu email antes de entrar.'])
  })

  it('sends nothing where the email is the same, none, or needs no verification', async () => {
    const [email, unverified] = [newEmail(), newEmail()]
    const waiting = await create({ email, require_email_verification: true })
    await env.DB.prepare('delete from email_outbox where email = ?').bind(email).run()
    await patch(waiting.id, { email, phone: '1' })
    await patch(waiting.id, { email: null })
    const { id } = await create({ email: newEmail(), password: PASSWORD })
    await patch(id, { email: unverified })
    const { EMAIL, sent } = mailbox()
    await runCron({ EMAIL })
    expect(sent.filter(({ to }) => [email, unverified].includes(to))).toEqual([])
  })

  it('keeps the failed logins of the former email and CPF', async () => {
    const [former, email] = [newEmail(), newEmail()]
    const { id } = await create({ email: former, cpf: '11144477735' })
    await callJson('/auth/login', { body: { email: former, password: 'x' } })
    await callJson('/auth/login', { body: { cpf: '11144477735', password: 'x' } })
    const failures = () => env.DB.prepare('select count(*) as n from failed_logins').first<number>('n')
    const before = (await failures()) ?? 0
    await patch(id, { phone: '1', email: former })
    expect(await failures()).toBe(before)
    await patch(id, { email })
    expect(await failures()).toBe(before - 1)
    await patch(id, { cpf: null })
    expect(await failures()).toBe(before - 2)
  })
})
