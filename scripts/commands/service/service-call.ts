import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConnectionError,
  isTooLong,
  MAX_ATTEMPTS,
  parseRetryAfter,
  pauseAfter,
} from './retries.ts'
import {
  type Envelope,
  envelopeSchema,
  InterruptedError,
  isTemporary,
  ServiceError,
} from './service-error.ts'
import { isApiToken } from '#domain/api-tokens.ts'

const TIMEOUT_MS = 60_000

/** Far more than the service uses; deeper nesting could exhaust the stack. */
const MAX_DEPTH = 100

/** Statuses after which the same request may be repeated and may succeed. */
const RETRYABLE = [429, 502, 503, 504]

const TOKEN_ENDED = 'A sessão terminou, ou o token é inválido. Entre de novo.'
const API_TOKEN_ENDED = 'O token de API foi excluído, venceu ou é inválido. Crie outro.'

export type Service = {
  /** With its version: `https://HOST/v1`. */
  baseUrl: string
  token?: string
  /** Replaces a token that has ended, if the password is known. */
  renewToken?: (ended: string) => Promise<void>
}

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: object | undefined
  headers?: Record<string, string>
}
type Answer = {
  status: number
  content: Envelope
  retryAfter: number | undefined
  /** The scope that an API token lacks. */
  missingScope: string | undefined
}

export const urlOf = ({ baseUrl }: Service, path: string) =>
  baseUrl.replace(/\/+$/, '') + path

/**
 * Calls the service with a repeatable request, and once more with a new token if the old one has
 * ended.
 * @throws {ServiceError} for a response that refuses the request
 * @throws {InterruptedError} if the call may succeed later
 */
export async function callService(service: Service, call: Call): Promise<Answer> {
  const { token } = service
  try {
    return await callWithRetries(service, call)
  } catch (error) {
    const hasEnded = token && error instanceof ServiceError && error.status === 401
    if (!hasEnded) throw error
    if (!service.renewToken) {
      const advice = isApiToken(token) ? API_TOKEN_ENDED : TOKEN_ENDED
      const problem = `${error.problem}\n${advice}`
      throw new InterruptedError(urlOf(service, call.path), problem)
    }
    await service.renewToken(token)
    return callWithRetries(service, call)
  }
}

/** Repeats a call, with the same headers, after a lost connection or while the service is busy. */
async function callWithRetries(service: Service, call: Call): Promise<Answer> {
  const url = urlOf(service, call.path)
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MAX_ATTEMPTS
    let pause = pauseAfter(attempt)
    try {
      const answer = await callOnce(service, url, call)
      if (isSuccess(answer)) return answer

      pause = answer.retryAfter ?? pause
      const isRetryable = RETRYABLE.includes(answer.status) && !isTooLong(pause)
      if (isLast || !isRetryable) throw toError(url, answer)
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      if (isLast || !error.isRetryable) throw new InterruptedError(url, error.message)
    }
    await sleep(pause)
  }
}

/** The response to a deletion has no data. */
const isSuccess = ({ status, content }: Answer) =>
  status >= 200 &&
  status < 300 &&
  (content.data !== undefined || content.success === true)

function toError(url: string, { status, content, missingScope }: Answer): Error {
  const hint = missingScope && `Falta ao token de API o escopo ${missingScope}.`
  const error = new ServiceError(url, status, content, hint)
  return isTemporary(status) ? new InterruptedError(url, error.problem) : error
}

/**
 * Makes one attempt. A redirect is an error, because it would take a password or a token to another
 * address.
 * @throws {ConnectionError} if there is no complete response
 */
async function callOnce(service: Service, url: string, call: Call): Promise<Answer> {
  const { status, headers, text } = await fetchText(service, url, call).catch((error) => {
    throw new ConnectionError(error)
  })

  const location = headers.get('Location')
  if (location) {
    throw new Error(
      `${url}: redireciona para ${location}; o comando não segue redirecionamentos.`,
    )
  }

  const retryAfter = parseRetryAfter(headers.get('Retry-After'))
  return {
    status,
    content: parseEnvelope(text),
    retryAfter,
    missingScope: parseScope(headers.get('WWW-Authenticate')),
  }
}

async function fetchText(service: Service, url: string, { method, body, headers }: Call) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(service.token && { Authorization: `Bearer ${service.token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'manual',
  })
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }
}

/** Returns the scope named in a challenge (RFC 6750, section 3). */
const parseScope = (challenge: string | null) =>
  /\bscope="(?<scope>[\w:-]+)"/.exec(challenge ?? '')?.groups?.scope

/** Parses a response; anything that the service would not send counts as empty. */
function parseEnvelope(text: string): Envelope {
  try {
    const content: unknown = JSON.parse(text)
    return isTooDeep(content) ? {} : envelopeSchema.parse(content)
  } catch {
    return {}
  }
}

function isTooDeep(content: unknown): boolean {
  let level = [content].filter(isObject)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((object) => Object.values(object)).filter(isObject)
  }
  return false
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null
