import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../database/connection.ts'
import { type DueMail, markSent, storeToken, takeDueMails } from '../database/email-verifications.ts'
import { log, nameOf } from '../logs.ts'
import type { Settings } from '../settings.ts'
import { verificationMail } from './verification-mail.ts'

const TOKEN_BYTES = 32

/** All of a token that is stored. It is random enough for a plain hash. */
export const hashOfToken = (token: string) => createHash('sha256').update(token).digest('base64url')

/**
 * Sends the verification mails that are due. One that cannot be sent stays, to be tried again later; why is
 * logged, without a word of what the mail holds.
 *
 * @param userId whose mail alone; null sends those of all
 */
export async function sendDueMails(
  db: Database,
  { EMAIL }: { EMAIL?: SendEmail },
  settings: Settings,
  userId: string | null,
): Promise<void> {
  for (const mail of await takeDueMails(db, userId)) {
    try {
      await send(db, EMAIL, settings, mail)
      await markSent(db, mail.user_id)
    } catch (error) {
      const reason = error instanceof MailSettingMissing ? error.message : null
      log('error', { message: 'mail not sent, kept for later', error: nameOf(error), reason })
    }
  }
}

/** What mails need is missing. The message names it. */
class MailSettingMissing extends Error {}

async function send(db: Database, binding: SendEmail | undefined, settings: Settings, mail: DueMail) {
  const { EMAIL_FROM, EMAIL_VERIFICATION_URL } = settings
  if (!binding) throw new MailSettingMissing('binding EMAIL: missing')
  if (!EMAIL_FROM) throw new MailSettingMissing('setting EMAIL_FROM: missing')
  if (!EMAIL_VERIFICATION_URL) throw new MailSettingMissing('setting EMAIL_VERIFICATION_URL: missing')
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const link = new URL(EMAIL_VERIFICATION_URL)
  link.searchParams.set('token', token)
  await storeToken(db, hashOfToken(token), mail)
  await binding.send({ from: EMAIL_FROM, to: mail.email, ...verificationMail(mail.first_name, link.href) })
}
