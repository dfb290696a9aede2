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
import { type Settings, SettingsError } from '../settings.ts'
import { emailLink } from './links.ts'
import { messages } from './messages.ts'

/** No claim starts later: the next run has begun. */
const BUDGET_MS = 50_000
/** As many connections as a Worker may have at once. */
const CONCURRENT_SENDS = 6
const TOKEN_BYTES = 32

type Sender = ReturnType<typeof senderOf>

/**
 * Sends due emails, claim by claim, while time is left. A failed one stays in the outbox for the next attempt, for a
 * week; the error is logged, without content of the email.
 *
 * @throws {SettingsError} if emails are due that cannot be sent
 */
export async function sendDueEmails(
  db: Database,
  { EMAIL }: { EMAIL?: SendEmail },
  settings: Settings,
): Promise<void> {
  const deadline = Date.now() + BUDGET_MS
  let claimed: ClaimedEmail[]
  do {
    claimed = await claimDueEmails(db)
    if (claimed.length > 0) await sendClaimed(db, senderOf(EMAIL, settings), claimed)
  } while (claimed.length === BATCH_SIZE && Date.now() < deadline)
}

function senderOf(binding: SendEmail | undefined, settings: Settings) {
  if (!binding) throw new SettingsError('binding EMAIL: missing')
  if (!settings.EMAIL_FROM) throw new SettingsError('setting EMAIL_FROM: missing')
  return { binding, from: settings.EMAIL_FROM, settings }
}

/** Sends claimed emails. What is sent, has no recipient or is given up leaves the outbox. */
async function sendClaimed(db: Database, sender: Sender, claimed: ClaimedEmail[]): Promise<void> {
  const emails = await Promise.all(claimed.map(withToken))
  const recipients = new Map(
    (await createEmailTokens(db, emails)).map((recipient) => [recipient.tokenHash, recipient]),
  )
  const done: ClaimedEmail[] = emails.filter(({ tokenHash }) => !recipients.has(tokenHash))
  const queue = emails.values()
  const sendNext = async () => {
    for (const email of queue) {
      const recipient = recipients.get(email.tokenHash)
      if (recipient?.isLimited === false && (await trySend(sender, email, recipient.first_name)))
        done.push(email)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_SENDS }, sendNext))
  if (done.length > 0) await deleteEmails(db, done)
}

async function withToken(email: ClaimedEmail) {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url')
  return { ...email, token, tokenHash: await digest(token) }
}

/** @returns false if the email is kept for the next attempt */
async function trySend(
  { binding, from, settings }: Sender,
  { email, kind, attempts, token }: ClaimedEmail & { token: string },
  firstName: string,
): Promise<boolean> {
  try {
    await binding.send({ from, to: email, ...messages[kind](firstName, emailLink(settings, kind, token)) })
    return true
  } catch (error) {
    const isGivenUp = attempts >= MAX_ATTEMPTS
    const event = isGivenUp ? 'email given up after a week' : 'email not sent, kept for later'
    log('error', { event, ...describeError(error) })
    return isGivenUp
  }
}
