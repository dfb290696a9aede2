import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createUnverified, elapse, mailbox, newEmail, newUnverified, runCron, tokenIn } from '../emails.ts'
import { administratorToken, callJson, counting, failingDatabase, PASSWORD } from '../helper.ts'
import { logged } from '../logs.ts'

const verify = (token: string) => callJson('/auth/email/verify', { body: { token, password: PASSWORD } })

describe('creating an informer that must verify its email', () => {
  it('sends an email in Portuguese, plain text and HTML, with a link to the page of the service', async () => {
    const { email, message, token } = await newUnverified({ first_name: '<b>José</b> & Cia' })
    const from = { name: 'Chancelaria', email: 'nao-responda@example.org' }
    expect(message).toMatchObject({ from, to: email, subject: 'Confirme seu email' })
    const link = `${env.PUBLIC_URL}/confirmar-email#token=${token}`
    expect(message.text).toContain(link)
    expect(message.text).toContain('<b>José</b> & Cia')
    expect(message.html).toContain(`href="${link}"`)
    expect(message.html).toContain('&lt;b&gt;José&lt;/b&gt; &amp; Cia')
    expect(message.html).not.toContain('<b>')
    expect(message.text + message.html).not.toMatch(/provisão|processo|grupo|segredo|informante/i)
  })

  it('stores only a hash of the token', async () => {
    const { token } = await newUnverified()
    const { results } = await env.DB.prepare('select * from email_tokens').all()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(results)).not.toContain(token)
  })

  it('sends none if verification is not required', async () => {
    const { EMAIL, sent } = mailbox()
    await createUnverified({ email: newEmail(), require_email_verification: false }, { EMAIL })
    expect(sent).toEqual([])
  })

  it('enqueues the email in the round trip that creates the informer', async () => {
    const { binding, count } = counting()
    const EMAIL = { send: () => expect(count.roundTrips).toBe(2 + 2) } // claim, store the token
    await createUnverified({ email: newEmail() }, { DB: binding, EMAIL })
    expect(count.roundTrips).toBe(2 + 3) // and delete
    expect(logged('error')).toEqual([])
  })
})

describe('creating an informer again with one Idempotency-Key', () => {
  it('sends no second email', async () => {
    const { EMAIL, sent } = mailbox()
    const body = { first_name: 'José', email: newEmail(), require_email_verification: true }
    for (let time = 0; time < 3; time++) {
      const token = await administratorToken()
      const headers = { 'Idempotency-Key': 'once' }
      expect((await callJson('/informers', { token, body, headers, env: { EMAIL } })).status).toBe(201)
    }
    expect(sent).toHaveLength(1)
  })
})

describe('an email that could not be sent', () => {
  it('is kept, and retried by the cron trigger with increasing delays', async () => {
    const email = newEmail()
    const { EMAIL, sent } = mailbox(2)
    await createUnverified({ email }, { EMAIL })
    expect(logged('error')).toMatchObject([{ event: 'email not sent, kept for later', error: 'Error' }])
    expect(JSON.stringify(logged('error'))).not.toContain(email)
    await runCron({ EMAIL })
    expect(sent).toEqual([])
    await elapse(5)
    await runCron({ EMAIL }) // fails once more
    await elapse(5)
    await runCron({ EMAIL }) // too early for the third try
    expect(sent).toEqual([])
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
    expect((await verify(tokenIn(sent[0]))).status).toBe(200)
    await elapse(60)
    await runCron({ EMAIL })
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['EMAIL', { EMAIL: undefined }],
    ['EMAIL_FROM', { EMAIL_FROM: '' }],
    ['PUBLIC_URL', { PUBLIC_URL: '' }],
  ])('is kept without %s, and the log names the missing setting', async (name, bindings) => {
    const email = newEmail()
    await createUnverified({ email }, bindings)
    expect(JSON.stringify(logged('error'))).toContain(`${name}: missing`)
    const { EMAIL, sent } = mailbox()
    await elapse(5)
    await runCron({ EMAIL })
    expect(sent.map(({ to }) => to)).toEqual([email])
  })

  it('is sent once if the cron trigger runs twice at the same time', async () => {
    const { EMAIL, sent } = mailbox(1)
    await createUnverified({ email: newEmail() }, { EMAIL })
    await elapse(5)
    await Promise.all([runCron({ EMAIL }), runCron({ EMAIL })])
    expect(sent).toHaveLength(1)
  })
})

describe('the cron trigger', () => {
  it('deletes expired tokens and failed logins', async () => {
    const { id } = await newUnverified()
    await callJson('/auth/login', { body: { email: newEmail(), password: 'Errada1' } })
    const left = async () => [
      await env.DB.prepare('select count(*) as n from email_tokens where user_id = ?').bind(id).first('n'),
      await env.DB.prepare('select count(*) as n from failed_logins').first('n'),
    ]
    await runCron()
    expect((await left())[0]).toBe(1)
    expect((await left())[1]).toBeGreaterThan(0)
    await elapse(48 * 60 + 1)
    await runCron()
    expect(await left()).toEqual([0, 0])
  })

  it('runs the other steps and logs each that fails', async () => {
    const message = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'
    await runCron({ DB: failingDatabase(message) })
    const error = { error: 'DatabaseError', message }
    expect(logged('error')).toMatchObject([
      { event: 'emails not sent', ...error },
      { event: 'expired tokens not deleted', ...error },
      { event: 'expired idempotency keys not deleted', ...error },
      { event: 'expired logins not deleted', ...error },
    ])
  })

  it('reads and writes the primary database', async () => {
    const { binding, count } = counting()
    await runCron({ DB: binding })
    expect(count.sessions).toEqual(['first-primary'])
  })
})
