import { composeEmail, emailLink, emailPage, hasLink } from './messages.ts'
import type { Database } from '#database/client.ts'
import { findDatabaseError } from '#database/database-error.ts'
import {
  type ClaimedEmail,
  claimDueEmail,
  deleteClaimedEmail,
  deleteEmailsForNobody,
  MAX_ATTEMPTS,
  postponeClaimedEmail,
  QUEUES,
} from '#database/emails/outbox.ts'
import {
  countNotice,
  createEmailToken,
  getRecipient,
  type Recipient,
  type SentEmail,
  takeBackEmail,
} from '#database/emails/recipients.ts'
import type { EmailKind } from '#database/schema/emails.ts'
import { nextEmailTime } from '#domain/email-limits.ts'
import { timestamp } from '#domain/timestamps.ts'
import { describeError, log } from '#log.ts'
import { digest, emailHashes, randomToken } from '#security/hashes.ts'
import { officeName, type Settings, SettingsError } from '#settings.ts'

/** Maximum emails to one address per day, for kinds with a limit of their own. */
const MAX_A_DAY: Partial<Record<EmailKind, number>> = { password_used: 1 }

/** No email is claimed after this: by then the next run has begun. */
const BUDGET_MS = 50_000
const MAX_EMAILS_A_RUN = 200

/**
 * So that no absence reply comes back (RFC 3834). Cloudflare refuses an email with a header that is
 * not on its list: https://developers.cloudflare.com/email-service/reference/headers/
 */
const HEADERS = { 'Auto-Submitted': 'auto-generated' }

/**
 * Sends due emails one by one while time is left, notices first, then the oldest. An email that
 * cannot be made or sent is kept for later, and does not delay the others.
 */
export async function sendDueEmails(
  db: Database,
  { EMAIL }: { EMAIL?: SendEmail },
  settings: Settings,
): Promise<void> {
  const deadline = Date.now() + BUDGET_MS
  let left = MAX_EMAILS_A_RUN

  async function sendAll(queue: keyof typeof QUEUES): Promise<void> {
    for (; left > 0 && Date.now() < deadline; left--) {
      const claimed = await claimDueEmail(db, QUEUES[queue])
      if (!claimed) return
      await sendClaimedEmail(db, EMAIL, settings, claimed).catch((error) =>
        keepOrGiveUp(db, claimed, error),
      )
    }
  }

  await sendAll('notices')
  await deleteEmailsForNobody(db, deadline)
  await sendAll('links')
}

async function sendClaimedEmail(
  db: Database,
  sender: SendEmail | undefined,
  settings: Settings,
  claimed: ClaimedEmail,
): Promise<void> {
  const { email, kind } = claimed
  const { EMAIL_FROM: from } = settings
  if (!sender) throw new SettingsError('binding EMAIL: missing')
  if (!from) throw new SettingsError('setting EMAIL_FROM: missing')

  const hashes = emailHashes(settings, email)
  const { recipient, sentTimes } = await getRecipient(db, claimed, hashes)
  if (!recipient) return deleteClaimedEmail(db, claimed)
  const next = nextEmailTime(sentTimes, new Date(), MAX_A_DAY[kind])
  if (next) return postponeOrDrop(db, claimed, next)

  const token = randomToken()
  const { first_name, treatment_pronoun } = recipient
  const message = await composeEmail({
    kind,
    first_name,
    treatment_pronoun,
    ...(hasLink(kind) && {
      link: emailLink(settings, kind, token),
      page: emailPage(settings, kind),
    }),
    office: officeName(settings),
    contact: settings.OFFICE_CONTACT,
  })

  // counted before it is sent, so that concurrent runs keep the limit
  const counted = { email_hash: hashes[0], kind, sent_at: timestamp(new Date(), 0) }
  const isRecipientStill = await countEmail(db, claimed, { recipient, token, counted })
  if (!isRecipientStill) return deleteClaimedEmail(db, claimed)

  try {
    await sender.send({ from, to: email, headers: HEADERS, ...message })
  } catch (error) {
    await takeBackEmail(db, counted)
    throw error
  }
  await deleteClaimedEmail(db, claimed)
}

/** Leaves a failed email to its next attempt, or gives it up. @throws if the database failed */
async function keepOrGiveUp(
  db: Database,
  claimed: ClaimedEmail,
  error: unknown,
): Promise<void> {
  if (error instanceof Error && findDatabaseError(error)) throw error
  const isGivenUp = claimed.attempts >= MAX_ATTEMPTS
  const event = isGivenUp
    ? 'email given up after a week'
    : 'email not sent, kept for later'
  log('error', { event, ...describeError(error) }) // the message has no content of the email
  if (isGivenUp) await deleteClaimedEmail(db, claimed)
}

/** Postpones an email with a link, which someone is waiting for, or drops a notice. */
function postponeOrDrop(
  db: Database,
  claimed: ClaimedEmail,
  next: string,
): Promise<void> {
  return hasLink(claimed.kind)
    ? postponeClaimedEmail(db, claimed, next)
    : deleteClaimedEmail(db, claimed)
}

/** Counts an email about to be sent, and stores the token of its link, if any. */
async function countEmail(
  db: Database,
  { email, kind }: ClaimedEmail,
  {
    recipient: { user_id },
    token,
    counted: { email_hash, sent_at },
  }: { recipient: Recipient; token: string; counted: SentEmail },
): Promise<boolean> {
  if (!hasLink(kind)) return countNotice(db, { user_id, kind, email_hash, sent_at })

  const token_hash = await digest(token)
  return createEmailToken(db, { token_hash, user_id, kind, email, email_hash, sent_at })
}
