import { FLAG, TEXT, UsageError } from './command-line.ts'
import { texts } from './language.ts'
import { promptPassword } from './prompts.ts'
import { accessToken, type Service } from './service-client.ts'

/** The options of a command that calls the service as an administrator. */
export const LOGIN_OPTIONS = { login: TEXT, insecure: FLAG } as const
type Login = { login?: string; insecure: boolean }

export const LOGIN_USAGE = `  --login EMAIL  email of an administrator; prompts for the password. Or set ACCESS_TOKEN.
  --insecure     allows http: to another machine; anybody in between can read the password and the data`

export const LOGIN_USAGE_PT = `  --login EMAIL  e-mail de um administrador; pergunta a senha. Ou ACCESS_TOKEN no ambiente.
  --insecure     permite http: para outra máquina; quem estiver no caminho pode ler a senha e os dados`

export const LOCAL_URL = 'http://127.0.0.1:8787/v1'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
export const isLoopback = (url: string) => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname)

/**
 * The service at a base URL, with an access token: from a login that prompts for the password, or `ACCESS_TOKEN`.
 * @throws {UsageError} if there is neither
 * @throws if the URL would send them in clear text to another machine
 */
export async function authenticate(
  baseUrl: string,
  { login: email, insecure }: Login,
): Promise<Service> {
  const { ACCESS_TOKEN: token } = process.env
  if (!email && !token) throw new UsageError(texts.noLogin)
  if (!URL.canParse(baseUrl)) throw new UsageError(texts.noUrl(baseUrl))
  if (new URL(baseUrl).protocol !== 'https:' && !insecure && !isLoopback(baseUrl))
    throw new Error(texts.notEncrypted(baseUrl))
  return {
    baseUrl,
    token: email ? await accessToken({ baseUrl }, email, await promptPassword()) : token,
  }
}
