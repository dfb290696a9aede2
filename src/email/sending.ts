import type { Database } from '../database/client.ts'
import { claimDueEmails, type DueEmail, deleteEmail } from '../database/email-outbox.ts'
import { createEmailToken } from '../database/email-tokens.ts'
import { describeError, log } from '../log.ts'
import { digest } from '../security/hashes.ts'
import { type Settings, SettingsError } from '../settings.ts'
import { emailLink } from './links.ts'
import { messages } from './messages.ts'

const TOKEN_BYTES = 32

/**
 * Sends due emails. A failed one stays in the outbox for the next attempt; the error is logged, without content of the
 * email.
 *
 * @param email an address, or null for all
 */
export async function sendDueEmails(
  db: Database,
  { EMAIL }: { EMAIL?: SendEmail },
  settings: Settings,
  email: string | null,
): Promise<void> {
  for (const due of await claimDueEmails(db, email)) {
    try {
      await send(db, EMAIL, settings, due)
      await deleteEmail(db, due)
    } catch (error) {
      log('error', { event: 'email not sent, kept for later', ...describeError(error) })
    }
  }
}

async function send(db: Database, binding: SendEmail | undefined, settings: Settings, due: DueEmail) {
  const { EMAIL_FROM } = settings
  if (!binding) throw new SettingsError('binding EMAIL: missing')
  if (!EMAIL_FROM) throw new SettingsError('setting EMAIL_FROM: missing')
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url')
  const link = emailLink(settings, due.kind, token)
  await createEmailToken(db, await digest(token), due)
  await binding.send({ from: EMAIL_FROM, to: due.email, ...messages[due.kind](due.first_name, link) })
}
