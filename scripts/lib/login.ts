import { UsageError } from './command-line.ts'
import { promptPassword } from './prompts.ts'
import { postJson, type Service } from './service-client.ts'

/** The options of a command that calls the service as an administrator. */
export const LOGIN_OPTIONS = {
  login: { type: 'string' },
  insecure: { type: 'boolean', default: false },
} as const

export const LOGIN_USAGE = `  --login EMAIL  email of an administrator; prompts for the password. Or set ACCESS_TOKEN.
  --insecure     allows http: to another machine; anybody in between can read the password and the data`

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * The service at a base URL, with an access token: from a login that prompts for the password, or `ACCESS_TOKEN`.
 *
 * @throws {UsageError} if there is neither
 * @throws if the URL would send them in clear text to another machine
 */
export async function authenticate(
  baseUrl: string,
  { login: email, insecure }: { login?: string | undefined; insecure: boolean },
): Promise<Service> {
  const { ACCESS_TOKEN: token } = process.env
  if (!email && !token) throw new UsageError('Missing: --login EMAIL, or ACCESS_TOKEN in the environment')
  if (!URL.canParse(baseUrl)) throw new UsageError(`Not an address: ${baseUrl}`)
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol !== 'https:' && !insecure && !LOOPBACK.test(hostname))
    throw new Error(`${baseUrl} is not encrypted. Use https:, or --insecure in a network that you trust.`)
  if (!email) return { baseUrl, token }
  const body = { email, password: await promptPassword() }
  const { access_token } = await postJson<{ access_token: string }>({ baseUrl }, '/auth/login', body)
  return { baseUrl, token: access_token }
}
