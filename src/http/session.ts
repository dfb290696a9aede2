import { fullName } from '../domain/names.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { issueToken } from '../security/tokens.ts'
import type { Settings } from '../settings.ts'

type SessionUser = {
  id: string
  first_name: string
  last_name: string | null
  email: string | null
  token_version: number
  role: { id: number; name: string; slug: RoleSlug; description: string }
}

/** The data of a login response (specification, 4.1): a new access token and its user. */
export async function startSession(user: SessionUser, settings: Settings) {
  const { id, first_name, last_name, email, role, token_version } = user
  return {
    access_token: await issueToken({ id, role: role.slug, tokenVersion: token_version }, settings),
    token_type: 'Bearer',
    expires_in: settings.JWT_TTL_SECONDS,
    user: { id, first_name, last_name, full_name: fullName(user), email, role },
  }
}
