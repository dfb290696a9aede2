import { FLAG, TEXT, UsageError } from '../../lib/command-line.ts'
import { promptPassword, promptText } from '../../lib/prompts.ts'
import type { Service } from './service-call.ts'
import { accessToken, BEARER_TOKEN } from './service-client.ts'
import { ServiceError } from './service-error.ts'
import type { Scope } from '#domain/api-tokens.ts'
import { errors } from '#http/response/errors.ts'
import { isLoopback } from '#settings.ts'

/** The options of a command that calls the service as an administrator. */
export const LOGIN_OPTIONS = { login: TEXT, insecure: FLAG } as const
type Login = { login?: string; insecure: boolean }

export const INSECURE_USAGE = `\
  --insecure     permite http: para outra máquina; quem estiver no caminho pode ler a senha e os
                 dados`

export const LOGIN_USAGE = `\
  --login EMAIL  e-mail de um administrador; pergunta a senha, e um código onde há um segundo fator
                 (ou a primeira e a segunda linha da entrada). Ou ACCESS_TOKEN no ambiente, com o
                 token de um login ou um token de API.
${INSECURE_USAGE}`

export const LOCAL_URL = 'http://127.0.0.1:8787/v1'

/**
 * Returns the service at a base URL, with an access token: `ACCESS_TOKEN`, or from a login that
 * prompts for the password.
 * @param scopes those that the command needs of an API token
 * @throws {UsageError} if there is neither, or one is invalid
 * @throws if the URL would send them in clear text to another machine
 */
export async function authenticate(
  baseUrl: string,
  { login: email, insecure }: Login,
  scopes: readonly Scope[],
): Promise<Service> {
  const { ACCESS_TOKEN: token } = process.env
  if (!email && !token) {
    throw new UsageError('Falta: --login EMAIL, ou ACCESS_TOKEN no ambiente')
  }
  checkUrl(baseUrl, insecure)
  if (email) return logIn(baseUrl, email)

  if (!token || !BEARER_TOKEN.test(token)) {
    throw new UsageError('ACCESS_TOKEN não é um token de acesso.')
  }
  return { baseUrl, token, scopes }
}

/** @throws with a message that omits a password in the URL */
function checkUrl(text: string, insecure: boolean): void {
  const { protocol = '', username, password, href = '' } = URL.parse(text) ?? {}
  const isService =
    /^https?:$/.test(protocol) && !username && !password && /\/v1(\/api)?\/*$/.test(href)
  if (!isService) {
    throw new UsageError(
      'O endereço do serviço é https://HOST/v1, sem usuário nem senha.',
    )
  }
  if (protocol === 'http:' && !insecure && !isLoopback(href)) {
    throw new Error(
      `${href} não é criptografado. Use https:, ou --insecure em uma rede de confiança.`,
    )
  }
}

/** Prompts for the password, and for a code if the service requires one. */
async function logIn(baseUrl: string, email: string): Promise<Service> {
  const password = await promptPassword('Senha')
  const token = await accessToken({ baseUrl }, email, password).catch(async (error) => {
    if (!isCodeMissing(error)) throw error

    const code = await promptText('Código do segundo fator')
    if (!code) {
      const advice = 'Sem um terminal, o código é a segunda linha da entrada.'
      throw new Error(`${error.message} ${advice}`)
    }
    return accessToken({ baseUrl }, email, password, code)
  })
  return { baseUrl, token }
}

const isCodeMissing = (error: unknown): boolean =>
  error instanceof ServiceError && error.reasons.includes(errors.missingCode().message)
