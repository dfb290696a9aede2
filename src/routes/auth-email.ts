import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { findToken, requestMail, useToken } from '../database/email-verifications.ts'
import { optional, requiredText } from '../domain/fields.ts'
import { email, PASSWORD_REQUIRED, password } from '../domain/informer.ts'
import type { AppEnv } from '../http/app-env.ts'
import { inBackground } from '../http/background.ts'
import { jsonBody } from '../http/bodies.ts'
import { countLoginAttempt } from '../http/rate-limits.ts'
import { type FieldErrors, InvalidData } from '../http/refusals.ts'
import { validBody } from '../http/validation.ts'
import { hashOfToken, sendDueMails } from '../mail/verification.ts'
import { hashPassword } from '../security/passwords.ts'
import { pseudonym } from '../security/pseudonyms.ts'

const ANSWER_LEAVES_MS = 100
const MAX_TOKEN = 200
const LINK_INVALID = 'O link de confirmação é inválido ou expirou.'

export const verification = z.object({
  token: requiredText('token', MAX_TOKEN),
  password: optional(password),
})
export const resending = z.object({ email })

/** A token is judged by the database also beside a password that is bad in form. */
async function tokenErrors({ token }: Record<string, unknown>, c: Context<AppEnv>): Promise<FieldErrors> {
  const { data } = verification.shape.token.safeParse(token)
  const isBad = data !== undefined && !(await findToken(c.get('db'), hashOfToken(data)))
  return isBad ? { token: [LINK_INVALID] } : {}
}

/** Verifying the email of an informer (contract, section 7). */
export const authEmail = new Hono<AppEnv>()
  .post('/verify', jsonBody(), validBody(verification, tokenErrors), async (c) => {
    const { token, password } = c.req.valid('json')
    const db = c.get('db')
    const found = await findToken(db, hashOfToken(token))
    if (!found) throw new InvalidData({ token: [LINK_INVALID] })
    if (!found.hasPassword && password === null) throw new InvalidData({ password: [PASSWORD_REQUIRED] })
    if (found.hasPassword && password !== null)
      throw new InvalidData({ password: ['A senha já está definida.'] })
    const passwordHash = password === null ? null : await hashPassword(password)
    if (!(await useToken(db, hashOfToken(token), crypto.randomUUID(), passwordHash)))
      throw new InvalidData({ token: [LINK_INVALID] })
    return c.json({ success: true, message: 'Email confirmado com sucesso.' })
  })
  .post('/resend', jsonBody(), validBody(resending), async (c) => {
    const { email } = c.req.valid('json')
    // apart from logins, which this must not use up
    await countLoginAttempt(c, pseudonym(`resend ${email}`, c.get('settings')))
    inBackground(c, sendAgain(c, email), 'mail not asked for again')
    const message = 'Se houver um cadastro à espera de confirmação, um novo email será enviado.'
    return c.json({ success: true, message }, 202)
  })

/** All of it once the answer has left, so that time does not tell either who is waited for. */
async function sendAgain(c: Context<AppEnv>, email: string): Promise<void> {
  await scheduler.wait(ANSWER_LEAVES_MS)
  const userId = await requestMail(c.get('db'), email)
  if (userId !== null) await sendDueMails(c.get('db'), c.env, c.get('settings'), userId)
}
