import type { Context } from 'hono'
import * as z from 'zod/mini'
import { enqueueEmail } from '../database/email-outbox.ts'
import type { EmailKind } from '../database/schema.ts'
import { email } from '../domain/informer.ts'
import { sendDueEmails } from '../email/sending.ts'
import type { AppEnv } from './app-env.ts'
import { afterResponse } from './background.ts'

/** The body of a request for a mailed link. */
export const emailBody = z.object({ email })

/**
 * Takes a request for a mailed link. The same write for any address; whether there is anyone to mail the link to is
 * found out behind the response, so that neither its content nor its time depends on it.
 */
export async function requestEmail(c: Context<AppEnv>, email: string, kind: EmailKind): Promise<void> {
  await enqueueEmail(c.get('db'), email, kind)
  const { db, settings } = c.var
  afterResponse(c, () => sendDueEmails(db, c.env, settings, email), 'emails not sent')
}
