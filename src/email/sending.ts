import type { Database } from '../database/client.ts'
import {
  BATCH_SIZE,
  type ClaimedEmail,
  claimDueEmails,
  deleteEmails,
  MAX_ATTEMPTS,
} from '../database/email-outbox.ts'
import { createEmailTokens } from '../database/email-tokens.ts'
import { describeError, log } from '../log.ts'
import { digest } from '../security/hashes.ts'
import { officeName, type Settings, SettingsError } from '../settings.ts'
import { composeEmail, emailLink, emailPage } from './messages.ts'

/** No claim starts later: the next run has begun. */
const BUDGET_MS = 50_000
const TOKEN_BYTES = 32

/** Sends due emails, claim by claim, while time is left. @throws {SettingsError} if a setting for that is missing */
export async function sendDueEmails(
  db: Database,
  { EMAIL }: { EMAIL?: SendEmail },
  settings: Settings,
): Promise<void> {
  const deadline = Date.now() + BUDGET_MS
  let claimed: ClaimedEmail[]
  do {
    claimed = await claimDueEmails(db)
    if (claimed.length === 0) return
    const { EMAIL_FROM: from } = settings
    if (!EMAIL) throw new SettingsError('binding EMAIL: missing')
    if (!from) throw new SettingsError('setting EMAIL_FROM: missing')
    const emails = await Promise.all(claimed.map(withToken))
    const recipients = await createEmailTokens(db, emails)
    // all at once: the runtime opens six connections at a time
    const isDone = await Promise.all(
      emails.map(async ({ email, kind, attempts, token, tokenHash }) => {
        const recipient = recipients.find((one) => one.tokenHash === tokenHash)
        if (!recipient || recipient.isLimited) return !recipient
        const send = async () => {
          const message = composeEmail({
            kind,
            first_name: recipient.first_name,
            treatment_pronoun: null,
            link: emailLink(settings, kind, token),
            page: emailPage(settings, kind),
            office: officeName(settings),
            contact: settings.OFFICE_CONTACT,
          })
          return EMAIL.send({ from, to: email, ...message })
        }
        return trySending(send, attempts)
      }),
    )
    const done = claimed.filter((_, index) => isDone[index])
    if (done.length > 0) await deleteEmails(db, done)
  } while (claimed.length === BATCH_SIZE && Date.now() < deadline)
}

async function withToken(email: ClaimedEmail) {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString(
    'base64url',
  )
  return { ...email, token, tokenHash: await digest(token) }
}

/** @returns whether the email is sent or given up. The error is logged, without content of the email */
async function trySending(send: () => Promise<unknown>, attempts: number): Promise<boolean> {
  try {
    await send()
    return true
  } catch (error) {
    const isGivenUp = attempts >= MAX_ATTEMPTS
    const event = isGivenUp ? 'email given up after a week' : 'email not sent, kept for later'
    log('error', { event, ...describeError(error) })
    return isGivenUp
  }
}
