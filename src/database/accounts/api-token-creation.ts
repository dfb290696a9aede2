import { eq, sql } from 'drizzle-orm'
import { type ApiTokenRow, selectApiTokens } from './api-tokens.ts'
import type { LoginUser } from './login-users.ts'
import { isCodeUsable, updateUsedStep } from './second-factors.ts'
import type { CallingActor } from '#database/actor.ts'
import { insertAuditEvents } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { apiTokens, users } from '#database/schema/users.ts'
import { runTransactionIf } from '#database/transactions.ts'
import type { Scope } from '#domain/api-tokens.ts'

type NewApiToken = {
  id: string
  token_hash: string
  name: string
  scopes: Scope[]
  expires_on: string
}

/**
 * Creates an API token of the caller, enqueues the notice and uses the code. One round trip.
 * @param step the time step of the code; null without a second factor
 * @returns null if the code can no longer be used
 */
export async function createApiToken(
  db: Database,
  { id: created_by, email }: LoginUser,
  token: NewApiToken,
  step: number | null,
  actor: CallingActor,
): Promise<ApiTokenRow | null> {
  const isProven = step === null ? sql`true` : isCodeUsable(db, created_by, step)
  const created = await runTransactionIf(db, isProven, {
    actor,
    writes: [
      insertAuditEvents(actor, 'api_token.created', token.id),
      ...(step === null ? [] : [updateUsedStep(db, created_by, step)]),
      insertNotice('api_token_created', eq(users.id, created_by), email),
      db.insert(apiTokens).values({ ...token, created_by }),
    ],
    reads: { rows: selectApiTokens(db).where(eq(apiTokens.id, token.id)) },
  })
  return created?.rows[0] ?? null
}
