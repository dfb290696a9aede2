import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#database/client.ts'
import { roles, users } from '#database/schema/users.ts'
import { jsonColumn } from '#database/sql/json.ts'
import { roleObject } from '#database/users/user-row.ts'

const loginColumns = {
  id: users.id,
  first_name: users.first_name,
  last_name: users.last_name,
  email: users.email,
  cpf: users.cpf,
  email_verification_required: users.email_verification_required,
  email_verified_at: users.email_verified_at,
  password_hash: users.password_hash,
  token_version: users.token_version,
  second_factor_secret: users.second_factor_secret,
  second_factor_enabled_at: users.second_factor_enabled_at,
  second_factor_step: users.second_factor_step,
  role: jsonColumn(
    'role',
    roleObject,
    sql`${roles} where ${roles.id} = ${users.role_id}`,
  ),
}

/** Builds the query of the user of a login. */
export const selectLoginUser = (db: Database, where: SQL) =>
  db.select(loginColumns).from(users).where(where)

export type LoginUser = Awaited<ReturnType<typeof selectLoginUser>>[number]

/**
 * An attempt to log in: its identifier (an email or CPF) and client address, each hashed with the
 * current secret and, if there is one, the previous secret.
 */
export type LoginAttempt = {
  /** The id of its request. */
  id: string
  identifiers: [string, ...string[]]
  /** The user's other identifiers, if they are known: an address is trusted by any. */
  otherIdentifiers?: string[]
  addresses: [string, ...string[]]
}

/** Returns the user of a login, or null. One round trip. */
export async function getLoginUser(db: Database, where: SQL): Promise<LoginUser | null> {
  return (await selectLoginUser(db, where).get()) ?? null
}

// The conditions that identify a user.

export const hasEmail = (email: string) => eq(users.email, email)
export const hasCpf = (cpf: string) => eq(users.cpf, cpf)
export const hasId = (id: string) => eq(users.id, id)
