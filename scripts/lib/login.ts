import { UsageError } from './command-line.ts'
import { promptPassword } from './password-prompt.ts'
import { postJson } from './service-client.ts'

/**
 * An access token, from a login that prompts for the password, or from `ACCESS_TOKEN`.
 *
 * @throws {UsageError} if there is neither
 */
export async function accessToken(
  baseUrl: string,
  email: string | undefined,
  usage: string,
): Promise<string> {
  const { ACCESS_TOKEN } = process.env
  if (!email && !ACCESS_TOKEN) throw new UsageError(usage)
  if (!email) return ACCESS_TOKEN ?? ''
  const credentials = { email, password: await promptPassword() }
  return (await postJson<{ access_token: string }>({ baseUrl }, '/auth/login', credentials)).access_token
}
