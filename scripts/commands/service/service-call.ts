import ky, {
  type HTTPError,
  isHTTPError,
  isNetworkError,
  isTimeoutError,
  type Options,
  SchemaValidationError,
} from 'ky'
import type * as z from 'zod/mini'
import {
  connectionProblem,
  InterruptedError,
  isTemporary,
  NOT_THIS_SERVICE,
  ServiceError,
} from './service-error.ts'
import { isApiToken, type Scope } from '#domain/api-tokens.ts'

/** The longest `Retry-After` that is worth waiting for, in seconds. */
const MAX_WAIT = 60

/** Many times the largest page. */
const MAX_RESPONSE_BYTES = 50_000_000

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

export type Service = {
  /** With its version: `https://HOST/v1`. */
  baseUrl: string
  token?: string
  /** Replaces a token that has ended, if the password is known. */
  renewToken?: (ended: string) => Promise<void>
  /** The scopes that the command needs of an API token. */
  scopes?: readonly Scope[]
  /** Whether a write was sent, and not refused. */
  hasWritten?: boolean
}

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: object | undefined
  headers?: Record<string, string>
}

export const urlOf = ({ baseUrl }: Service, path: string) =>
  baseUrl.replace(/\/+$/, '') + path

/**
 * Calls the service with a repeatable request, and once more with a new token if the old one has
 * ended.
 * @param content the form of the response
 * @throws {ServiceError} for a response that refuses the request
 * @throws {InterruptedError} if the call may succeed later
 */
export async function callService<Content>(
  service: Service,
  call: Call,
  content: z.ZodMiniType<Content>,
): Promise<Content> {
  const { token, renewToken } = service
  try {
    return await request(service, call, content)
  } catch (error) {
    const hasEnded = token && error instanceof ServiceError && error.status === 401
    if (!hasEnded) throw error
    if (!renewToken) {
      const advice = isApiToken(token) ? API_TOKEN_ENDED : TOKEN_ENDED
      throw new InterruptedError(
        service,
        urlOf(service, call.path),
        `${error.problem}. ${advice}`,
      )
    }
    await renewToken(token)
    return request(service, call, content)
  }
}

async function request<Content>(
  service: Service,
  { method, path, body, headers }: Call,
  content: z.ZodMiniType<Content>,
): Promise<Content> {
  const url = urlOf(service, path)
  const { token } = service
  const authorization = token && { Authorization: `Bearer ${token}` }
  const isWrite = token !== undefined && method !== 'GET'
  try {
    const response = ky(url, {
      ...OPTIONS,
      method,
      headers: { ...authorization, ...headers },
      json: body,
    })
    const answer = await response.json(content)
    service.hasWritten ||= isWrite
    return answer
  } catch (error) {
    service.hasWritten ||= isWrite && !isHTTPError(error) // nobody knows
    throw toProblem(service, url, error)
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

function toProblem(service: Service, url: string, error: unknown): unknown {
  if (isHTTPError(error)) return toRefusal(service, url, error)
  if (isNetworkError(error) || isTimeoutError(error)) {
    return new InterruptedError(service, url, connectionProblem(error))
  }
  const isOther = error instanceof SchemaValidationError || error instanceof SyntaxError
  return isOther ? new InterruptedError(service, url, NOT_THIS_SERVICE) : error
}

/** Of several scopes, the token may lack one or all: it cannot read its own. */
function describeScopes(scopes: readonly Scope[]): string {
  const list = new Intl.ListFormat('pt').format(scopes)
  return scopes.length > 1
    ? `O token de API precisa dos escopos ${list}.`
    : `Falta ao token de API o escopo ${list}.`
}

function toRefusal(
  service: Service,
  url: string,
  { response: { status, headers }, data }: HTTPError,
): Error {
  const location = headers.get('Location')
  if (location) {
    return new Error(
      `${url}: redireciona para ${location}; o comando não segue redirecionamentos.`,
    )
  }

  const { scopes } = service
  const lacksScope = headers.get('WWW-Authenticate')?.includes(' scope="')
  const hint = lacksScope && scopes ? describeScopes(scopes) : ''
  const error = new ServiceError(url, status, data, hint)
  return isTemporary(status) ? new InterruptedError(service, url, error.problem) : error
}
