import { and, asc, count, desc, eq, sql } from 'drizzle-orm'
import type { LoginUser } from './login-users.ts'
import type { CallingActor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import { insertNotice } from '#database/emails/notices.ts'
import { createRow, deleteRow } from '#database/recorded-rows.ts'
import { apiTokens, roles, users } from '#database/schema/users.ts'
import { readPage } from '#database/sql/pages.ts'
import { type Placeholders, prepareQuery } from '#database/sql/prepared.ts'
import type { Scope } from '#domain/api-tokens.ts'
import { offsetOf, type Page } from '#domain/pagination.ts'

/** How long an expired token stays in the list: until its day is more than 30 days ago. */
export const KEPT_EXPIRED_MINUTES = 31 * 24 * 60

const today = sql<string>`date('now')`

/** Builds the query of API tokens and their makers. */
const selectApiTokens = (db: Database) =>
  db
    .select({
      id: apiTokens.id,
      name: apiTokens.name,
      scopes: apiTokens.scopes,
      created_by: apiTokens.created_by,
      first_name: users.first_name,
      last_name: users.last_name,
      created_at: apiTokens.created_at,
      expires_on: apiTokens.expires_on,
      last_used_on: apiTokens.last_used_on,
    })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.created_by))

export type ApiTokenRow = Awaited<ReturnType<typeof selectApiTokens>>[number]

/** Returns one page of all API tokens, newest first, and the total. One round trip. */
export function listApiTokens(db: Database, page: Page) {
  return readPage(
    db,
    selectApiTokens(db)
      .orderBy(desc(apiTokens.created_at), asc(apiTokens.id))
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(apiTokens),
  )
}

/** Returns an API token, or null. One round trip. */
export async function getApiToken(db: Database, id: string): Promise<ApiTokenRow | null> {
  return (await selectApiTokens(db).where(eq(apiTokens.id, id)).get()) ?? null
}

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

const selectByHash = prepareQuery(
  (db, { tokenHash }: Placeholders<{ tokenHash: string }>) =>
    db
      .select({
        id: apiTokens.id,
        scopes: apiTokens.scopes,
        expires_on: apiTokens.expires_on,
        isUsedToday: sql`${apiTokens.last_used_on} is ${today}`.mapWith(Boolean),
        created_by: apiTokens.created_by,
        session: {
          role: roles.slug,
          tokenVersion: users.token_version,
          second_factor_enabled_at: users.second_factor_enabled_at,
        },
      })
      .from(apiTokens)
      .innerJoin(users, eq(users.id, apiTokens.created_by))
      .innerJoin(roles, eq(roles.id, users.role_id))
      .where(and(eq(apiTokens.token_hash, tokenHash), eq(roles.slug, 'administrator'))),
)

/**
 * Returns an API token by its hash, with its maker's session; null if there is none, or if its
 * maker is no longer an administrator. One round trip.
 */
export async function findApiToken(db: Database, tokenHash: string) {
  return (await selectByHash(db, { tokenHash }).get()) ?? null
}

/** Notes that an API token was used today. One round trip. */
export async function noteUse(db: Database, id: string): Promise<void> {
  await db
    .update(apiTokens)
    .set({ last_used_on: today })
    .where(and(eq(apiTokens.id, id), sql`${apiTokens.last_used_on} is not ${today}`))
}

/** Deletes an API token, and records it. One round trip. @returns whether there was one */
export const deleteApiToken = (
  db: Database,
  id: string,
  actor: CallingActor,
): Promise<boolean> =>
  deleteRow(db, { table: apiTokens, id, action: 'api_token.deleted' }, actor)

/** Builds the statement that deletes the API tokens of a user. */
export const deleteApiTokensOf = (db: Database, userId: string) =>
  db.delete(apiTokens).where(eq(apiTokens.created_by, userId))
