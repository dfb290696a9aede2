import { eq } from 'drizzle-orm'
import { type ApiTokenRow, selectApiTokens } from './api-tokens.ts'
import type { LoginUser } from './login-users.ts'
import type { CallingActor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { createRow } from '#database/recorded-rows.ts'
import { apiTokens, users } from '#database/schema/users.ts'
import type { Scope } from '#domain/api-tokens.ts'

type NewApiToken = {
  id: string
  token_hash: string
  name: string
  scopes: Scope[]
  expires_on: string
}

/** Creates an API token of the caller, and enqueues the notice. One round trip. */
export function createApiToken(
  db: Database,
  { id: created_by, email }: LoginUser,
  token: NewApiToken,
  actor: CallingActor,
): Promise<ApiTokenRow> {
  const { id } = token
  const inserts = [
    insertNotice('api_token_created', eq(users.id, created_by), email),
    db.insert(apiTokens).values({ ...token, created_by }),
  ]
  const created = selectApiTokens(db).where(eq(apiTokens.id, id))
  return createRow(db, { id, action: 'api_token.created' }, inserts, actor, [], created)
}
