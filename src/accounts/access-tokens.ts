import type { LoginUser } from '#database/accounts/login-users.ts'
import { fullName } from '#domain/names.ts'
import type { AccessToken, User } from '#routes/auth/openapi.ts'
import { issueToken } from '#security/tokens.ts'
import type { Settings } from '#settings.ts'

/** The data of a login's response: a new access token and its user. */
export async function newAccessToken(
  user: LoginUser,
  settings: Settings,
): Promise<AccessToken> {
  const { id, role, token_version } = user
  const caller = { id, role: role.slug, tokenVersion: token_version }
  return {
    access_token: await issueToken(caller, settings),
    token_type: 'Bearer',
    expires_in: settings.JWT_TTL_SECONDS,
    user: toUser(user),
  }
}

/** Returns a user as the response of a login shows them. */
export const toUser = (user: LoginUser): User => ({
  id: user.id,
  first_name: user.first_name,
  last_name: user.last_name,
  full_name: fullName(user),
  email: user.email,
  role: user.role,
})
