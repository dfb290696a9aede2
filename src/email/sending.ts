import type { Database } from '../database/client.ts'
import { claimDueEmails, type DueEmail, deleteEmail } from '../database/email-outbox.ts'
import { createEmailToken } from '../database/email-tokens.ts'
import { describeError, log } from '../log.ts'
import { digest } from '../security/hashes.ts'
import { type Settings, SettingsError } from '../settings.ts'
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

const URL_SETTING = { verification: 'EMAIL_VERIFICATION_URL', password_reset: 'PASSWORD_RESET_URL' } as const

async function send(db: Database, binding: SendEmail | undefined, settings: Settings, due: DueEmail) {
  const { EMAIL_FROM } = settings
  const url = settings[URL_SETTING[due.kind]]
  if (!binding) throw new SettingsError('binding EMAIL: missing')
  if (!EMAIL_FROM) throw new SettingsError('setting EMAIL_FROM: missing')
  if (!url) throw new SettingsError(`setting ${URL_SETTING[due.kind]}: missing`)
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url')
  const link = new URL(url)
  link.searchParams.set('token', token)
  await createEmailToken(db, await digest(token), due)
  await binding.send({ from: EMAIL_FROM, to: due.email, ...messages[due.kind](due.first_name, link.href) })
}
