import type { LoginUser } from '#database/accounts/login-users.ts'
import { fullName } from '#domain/names.ts'
import type { AccessToken, User } from '#openapi/people.ts'
import { issueToken } from '#security/jwt.ts'
import type { Settings } from '#settings.ts'

/**
 * The data of a login's response: a new access token and its user.
 * @param authTime when the password was last given
 */
export async function newAccessToken(
  user: LoginUser,
  authTime: number | undefined,
  settings: Settings,
): Promise<AccessToken> {
  const { id, role, token_version } = user
  const caller = { id, role: role.slug, tokenVersion: token_version, authTime }
  const { token, expiresIn } = await issueToken(caller, settings)
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: expiresIn,
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
