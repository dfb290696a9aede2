import { and, eq, sql } from 'drizzle-orm'
import { users } from '#database/schema/users.ts'

/** A condition: the user was not changed since they were read. */
export const hasRevision = ({ id, revision }: { id: string; revision: number }) =>
  and(eq(users.id, id), eq(users.revision, revision))

/**
 * The revision of a user after a change of a field that PATCH can change, or of the email's
 * verification. It is the person's entity tag, so nothing else changes it.
 */
export const NEXT_REVISION = sql`${users.revision} + 1`

/** The version of a user's access tokens after all their sessions were ended. */
export const NEXT_TOKEN_VERSION = sql`${users.token_version} + 1`
