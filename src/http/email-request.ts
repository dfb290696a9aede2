import type { Context } from 'hono'
import * as z from 'zod/mini'
import { enqueueEmail } from '../database/email-outbox.ts'
import type { EmailKind } from '../database/schema.ts'
import { email } from '../domain/informer.ts'
import { sendDueEmails } from '../email/sending.ts'
import type { AppEnv } from './app-env.ts'
import { afterResponse } from './background.ts'

/** The body of a request for an emailed link. */
export const emailBody = z.object({ email })

/**
 * Queues an emailed link. The recipient is looked up after the response, so that neither its content nor its time
 * discloses whether the address has a user.
 */
export async function requestEmail(c: Context<AppEnv>, email: string, kind: EmailKind): Promise<void> {
  const db = c.get('db')
  await enqueueEmail(db, email, kind)
  afterResponse(c, () => sendDueEmails(db, c.env, c.get('settings'), email), 'emails not sent')
}
