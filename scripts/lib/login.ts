import { UsageError } from './command-line.ts'
import { askKnownPassword } from './password-prompt.ts'
import { postJson } from './service-client.ts'

/**
 * The access token that a command works with: of a login, for which it asks the password, or of `ACCESS_TOKEN`.
 *
 * @throws {UsageError} where there is neither
 */
export async function accessToken(
  baseUrl: string,
  email: string | undefined,
  usage: string,
): Promise<string> {
  const { ACCESS_TOKEN } = process.env
  if (!email && !ACCESS_TOKEN) throw new UsageError(usage)
  if (!email) return ACCESS_TOKEN ?? ''
  const credentials = { email, password: await askKnownPassword() }
  return (await postJson<{ access_token: string }>({ baseUrl }, '/auth/login', credentials)).access_token
}
