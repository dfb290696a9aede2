import { FLAG, TEXT, UsageError } from '../../lib/command-line.ts'
import { promptPassword, promptText } from '../../lib/prompts.ts'
import { type Service, urlOf } from './service-call.ts'
import { accessToken, BEARER_TOKEN } from './service-client.ts'
import { InterruptedError, ServiceError } from './service-error.ts'
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
function checkUrl(url: string, insecure: boolean): void {
  if (url.includes('@')) {
    throw new UsageError('O endereço não pode ter nome de usuário nem senha.')
  }
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`Não é um endereço: ${url}`)
  }
  if (!/\/v1(\/api)?\/*$/.test(url)) {
    throw new UsageError(`O endereço do serviço termina em /v1: ${url}`)
  }

  const isEncrypted = new URL(url).protocol === 'https:'
  if (!isEncrypted && !insecure && !isLoopback(url)) {
    throw new Error(
      `${url} não é criptografado. Use https:, ou --insecure em uma rede de confiança.`,
    )
  }
}

/**
 * Prompts for the password, and for a code if the service requires one. When the session ends, logs
 * in again with the same password, once for all calls.
 */
async function logIn(baseUrl: string, email: string): Promise<Service> {
  const password = await promptPassword('Senha')
  const getToken = () => accessToken({ baseUrl }, email, password)
  const token = await getToken().catch(async (error) => {
    if (!isCodeMissing(error)) throw error

    const code = await promptText('Código do segundo fator')
    if (!code) {
      const advice = 'Sem um terminal, o código é a segunda linha da entrada.'
      throw new Error(`${error.message} ${advice}`)
    }
    return accessToken({ baseUrl }, email, password, code)
  })

  const service: Service = { baseUrl, token }
  let renewal: Promise<void> | undefined
  const renew = async () => {
    try {
      service.token = await getToken()
    } catch (error) {
      throw toInterruption(error, service)
    } finally {
      renewal = undefined
    }
  }
  service.renewToken = async (ended) => {
    if (service.token !== ended) return
    renewal ??= renew()
    await renewal
  }
  return service
}

const isCodeMissing = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.status === 401 &&
  error.reasons.includes(errors.missingCode().message)

/** Converts the refusal of a login in the middle of a run: the password was changed meanwhile. */
function toInterruption(error: unknown, service: Service): unknown {
  return error instanceof ServiceError
    ? new InterruptedError(service, urlOf(service, '/auth/login'), error.problem)
    : error
}
