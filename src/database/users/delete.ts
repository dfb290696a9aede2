import { eq } from 'drizzle-orm'
import { type ChangeRules, changeUser, type NotChanged } from './concurrent-changes.ts'
import { hasRevision } from './revisions.ts'
import { deleteApiTokensOf } from '#database/accounts/api-tokens.ts'
import { deleteKnownAddresses } from '#database/accounts/known-addresses.ts'
import { deleteWrongCodes } from '#database/accounts/wrong-codes.ts'
import type { Actor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { deleteEmailTokens } from '#database/emails/link-tokens.ts'
import { deleteQueuedNotices } from '#database/emails/notices.ts'
import { deleteLinkEmails } from '#database/emails/outbox.ts'
import { informerCompletions, informerGroups } from '#database/schema/processes.ts'
import { users } from '#database/schema/users.ts'
import { hasRow } from '#database/sql/conditions.ts'
import { runTransactionIf } from '#database/transactions.ts'
import type { RoleSlug } from '#domain/roles.ts'

/**
 * Deletes a user and all their data except audit records and failed logins, which still lock out
 * whoever has the email or CPF next. Two round trips, more if the user is changed concurrently.
 */
export async function deleteUser(
  db: Database,
  role: RoleSlug,
  id: string,
  rules: ChangeRules,
  actor: Actor,
): Promise<{ outcome: 'deleted' } | NotChanged> {
  return changeUser(db, role, id, rules, actor, async (current) => {
    const { email, cpf } = current
    const identifiers = [id, email, cpf].filter((identifier) => identifier !== null)
    const hashes = identifiers.flatMap(rules.hashesOf)
    const deleted = await runTransactionIf(db, hasRow(users, hasRevision(current)), {
      actor,
      writes: [
        insertAuditEvents(actor, `${role}.deleted`, id),
        deleteWrongCodes(db, id),
        deleteKnownAddresses(db, hashes),
        deleteEmailTokens(db, id),
        deleteLinkEmails(db, email ?? ''),
        ...deleteQueuedNotices(db, id),
        deleteApiTokensOf(db, id),
        db.delete(informerCompletions).where(eq(informerCompletions.informer_id, id)),
        db.delete(informerGroups).where(eq(informerGroups.informer_id, id)),
        db.delete(users).where(eq(users.id, id)),
      ],
    })
    return deleted && ({ outcome: 'deleted' } as const)
  })
}
