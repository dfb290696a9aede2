import { and, desc, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { MAX_EMAILS_A_DAY } from '../domain/email-limits.ts'
import { readAll, writeAndRead } from './batch.ts'
import type { Database } from './client.ts'
import { minutesFromNow } from './columns.ts'
import { hasRow } from './conditions.ts'
import type { ClaimedEmail } from './email-outbox.ts'
import { LINK_LIFETIME_MINUTES } from './email-tokens.ts'
import {
  type EmailKind,
  emailTokens,
  type LinkKind,
  type NoticeKind,
  sentEmails,
  treatmentPronouns,
  users,
} from './schema.ts'

export type Recipient = {
  user_id: string
  first_name: string
  treatment_pronoun: string | null
}

/**
 * Whom an email is for, and when the last ones of the kind went to the address, whoever's it was,
 * newest first. A notice is for its user; an address without a user, or with nothing to verify, has
 * no recipient. One round trip.
 * @param addresses the hashes of the address
 */
export async function getRecipient(
  db: Database,
  { email, kind, user_id }: ClaimedEmail,
  addresses: string[],
): Promise<{ recipient: Recipient | null; sentTimes: string[] }> {
  const mustVerify = and(
    eq(users.email_verification_required, true),
    isNull(users.email_verified_at),
  )
  const hasAddress = and(
    eq(users.email, email),
    kind === 'verification' ? mustVerify : undefined,
  )
  const { found, sent } = await readAll(db, {
    found: db
      .select({
        user_id: users.id,
        first_name: users.first_name,
        treatment_pronoun: treatmentPronouns.name,
      })
      .from(users)
      .leftJoin(treatmentPronouns, eq(treatmentPronouns.id, users.treatment_pronoun_id))
      .where(user_id ? eq(users.id, user_id) : hasAddress),
    sent: db
      .select({ sent_at: sentEmails.sent_at })
      .from(sentEmails)
      .where(
        and(
          inArray(sentEmails.address, addresses),
          eq(sentEmails.kind, kind),
          gt(sentEmails.sent_at, minutesFromNow(-24 * 60)),
        ),
      )
      .orderBy(desc(sentEmails.sent_at))
      .limit(MAX_EMAILS_A_DAY),
  })
  return { recipient: found[0] ?? null, sentTimes: sent.map(({ sent_at }) => sent_at) }
}

type SentLink = {
  token_hash: string
  user_id: string
  kind: LinkKind
  email: string
  /** Its hash. */
  address: string
}

/**
 * Stores the token of a link that is about to be sent, and counts its email. One round trip.
 * @returns false if the email is not the user's any more: the link would be whoever reads that
 *   mail's
 */
export async function createEmailToken(
  db: Database,
  { token_hash, user_id, kind, email, address }: SentLink,
): Promise<boolean> {
  const isRecipient = hasRow(users, and(eq(users.id, user_id), eq(users.email, email)))
  const isToken = eq(emailTokens.token_hash, token_hash)
  const insertToken = sql`
    insert into ${emailTokens} (token_hash, user_id, kind, expires_at)
    select ${token_hash}, ${user_id}, ${kind}, ${minutesFromNow(LINK_LIFETIME_MINUTES[kind])}
    where ${isRecipient}
    on conflict do nothing` // of a retry
  const count = countEmail(
    { id: token_hash, address, kind },
    hasRow(emailTokens, isToken),
  )

  const { stored } = await writeAndRead(db, [insertToken, count], {
    stored: db
      .select({ token_hash: emailTokens.token_hash })
      .from(emailTokens)
      .where(isToken),
  })
  return stored.length > 0
}

type SentNotice = {
  /** Of this attempt to send it. */
  id: string
  user_id: string
  kind: NoticeKind
  /** The hash of the address that it goes to. */
  address: string
}

/**
 * Counts a notice that is about to be sent. One round trip.
 * @returns false if its user is deleted
 */
export async function countNotice(
  db: Database,
  { user_id, ...sent }: SentNotice,
): Promise<boolean> {
  const isUser = eq(users.id, user_id)
  const { found } = await writeAndRead(db, [countEmail(sent, hasRow(users, isUser))], {
    found: db.select({ id: users.id }).from(users).where(isUser),
  })
  return found.length > 0
}

/** Builds the statement that counts an email, once if it is retried. */
const countEmail = (
  { id, address, kind }: { id: string; address: string; kind: EmailKind },
  where: SQL,
) => sql`
  insert into ${sentEmails} (id, address, kind)
  select ${id}, ${address}, ${kind} where ${where}
  on conflict do nothing`
