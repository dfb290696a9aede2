import ky, {
  type HTTPError,
  isHTTPError,
  isNetworkError,
  isTimeoutError,
  type Options,
  SchemaValidationError,
} from 'ky'
import type * as z from 'zod/mini'
import { connectionProblem, NOT_THIS_SERVICE, ServiceError } from './service-error.ts'
import { isApiToken, type Scope } from '#domain/api-tokens.ts'

/** The longest `Retry-After` that is worth waiting for, in seconds. */
const MAX_WAIT = 60

/** Statuses after which the same request may be repeated and may succeed. */
const RETRYABLE = [429, 502, 503, 504]

const OPTIONS: Options = {
  redirect: 'manual', // another address must not get a password or a token
  timeout: 60_000,
  retry: {
    limit: 5,
    methods: ['get', 'post', 'put', 'patch', 'delete'],
    statusCodes: RETRYABLE,
    afterStatusCodes: RETRYABLE,
    retryOnTimeout: true,
    jitter: true,
    shouldRetry: ({ error }) =>
      isHTTPError(error) && Number(error.response.headers.get('Retry-After')) > MAX_WAIT
        ? false
        : undefined,
  },
  fetch: fetchWhole,
}

const TOKEN_ENDED = 'A sessão terminou, ou o token é inválido. Entre de novo.'
const API_TOKEN_ENDED = 'O token de API foi excluído, venceu ou é inválido. Crie outro.'

/** Many times the largest page. */
const MAX_RESPONSE_BYTES = 50_000_000

/** Nothing that a command has done is lost, or done twice. */
const REPEATABLE = 'O comando pode ser repetido sem risco.'

export type Service = {
  /** With its version: `https://HOST/v1`. */
  baseUrl: string
  token?: string
  /** The scopes that the command needs of an API token. */
  scopes?: readonly Scope[]
}

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: object | undefined
  headers?: Record<string, string>
}

/**
 * Calls the service with a repeatable request.
 * @param content the form of the response
 * @throws {ServiceError} for a response that refuses the request
 */
export async function callService<Content>(
  service: Service,
  { method, path, body, headers }: Call,
  content: z.ZodMiniType<Content>,
): Promise<Content> {
  const { baseUrl, token } = service
  const url = baseUrl.replace(/\/+$/, '') + path
  const authorization = token && { Authorization: `Bearer ${token}` }
  try {
    const response = ky(url, {
      ...OPTIONS,
      method,
      headers: { ...authorization, ...headers },
      json: body,
    })
    return await response.json(content)
  } catch (error) {
    if (isHTTPError(error)) throw toRefusal(service, url, error)
    const isLost = isNetworkError(error) || isTimeoutError(error)
    const isOther = error instanceof SchemaValidationError || error instanceof SyntaxError
    if (!isLost && !isOther) throw error
    const problem = isLost ? connectionProblem(error) : NOT_THIS_SERVICE
    throw new Error(`${url}: ${problem}. ${REPEATABLE}`)
  }
}

/** Reads the whole response, so that one that breaks off is a lost connection. */
async function fetchWhole(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_RESPONSE_BYTES) throw new SyntaxError(NOT_THIS_SERVICE)
    chunks.push(chunk)
  }
  return new Response(bytes > 0 ? Buffer.concat(chunks) : null, response)
}

function toRefusal(service: Service, url: string, { response, data }: HTTPError): Error {
  const location = response.headers.get('Location')
  return location
    ? new Error(
        `${url}: redireciona para ${location}; o comando não segue redirecionamentos.`,
      )
    : new ServiceError(url, response.status, data, adviceOn(response, service))
}

function adviceOn({ status, headers }: Response, { token, scopes }: Service): string {
  if (status === 401 && token) {
    return `${isApiToken(token) ? API_TOKEN_ENDED : TOKEN_ENDED} ${REPEATABLE}`
  }
  if (status === 429 || status >= 500) return REPEATABLE
  const lacksScope = headers.get('WWW-Authenticate')?.includes(' scope="')
  return lacksScope && scopes ? `O token de API precisa de ${scopes.join(' e ')}.` : ''
}
