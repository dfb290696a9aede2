import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { texts } from './language.ts'

const TIMEOUT_MS = 120_000
const MAX_ATTEMPTS = 6
const MAX_RETRY_AFTER_SECONDS = 60
/** Of a hundred rows: a server that always says there are more is not followed for ever. */
const MAX_PAGES = 10_000

/** The base URL of the service with its version, `https://HOST/v1`, and the token. */
export type Service = { baseUrl: string; token?: string }

type Content<Data> = {
  success?: boolean
  data?: Data
  message?: string
  errors?: Record<string, string[]>
  pagination?: { has_more_pages: boolean }
}

/** An error response of the service. */
export class ServiceError extends Error {
  readonly status: number
  /** The messages of a response, those of a 422 with their fields. */
  readonly reasons: string[]
  constructor(url: string, status: number, { message, errors = {} }: Content<unknown>) {
    const ofFields = Object.entries(errors).flatMap(([field, texts]) =>
      texts.map((text) => `${field}: ${text}`),
    )
    const reasons = ofFields.length > 0 ? ofFields : [message ?? texts.notThisService]
    super(`${url}: ${status} ${message ? texts.quoted(reasons.join(' ')) : reasons}`)
    this.status = status
    this.reasons = reasons
  }
}

/** Whether a request was refused for what it says; other requests may succeed. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && [404, 409, 422].includes(error.status)

/**
 * Calls the service. Retries 429 and 503 with Retry-After; only for idempotent requests. A redirect is an error,
 * because it would take a password or a token to another address.
 * @throws {ServiceError} for an error response
 */
async function callService<Data>(
  { baseUrl, token }: Service,
  path: string,
  request: RequestInit = {},
) {
  const url = baseUrl.replace(/\/+$/, '') + path
  const headers = {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(request.body && { 'Content-Type': 'application/json' }),
    ...request.headers,
  }
  for (let attempt = 1; ; attempt += 1) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { ...request, headers, signal, redirect: 'manual' }).catch(
      (error) => {
        throw new Error(`${url}: ${reasonOf(error)}`)
      },
    )
    const location = response.headers.get('Location')
    if (location) throw new Error(`${url}: ${texts.redirects(location)}`)
    const content = (await response.json().catch(() => ({}))) as Content<Data>
    // a deletion has no data
    if (response.ok && (content.data || content.success))
      return content as Content<Data> & { data: Data }
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
    const isRetryable = [429, 503].includes(response.status) && seconds <= MAX_RETRY_AFTER_SECONDS
    if (!isRetryable || attempt === MAX_ATTEMPTS)
      throw new ServiceError(url, response.status, content)
    await sleep(seconds * 1000)
  }
}

/**
 * Creates something; safe to repeat after a lost response.
 * @param identity of a person: the same person is not created again within a week after they were deleted, also by
 *   another run of the same administrator
 * @throws {ServiceError} 409 if they were; 422 on `Idempotency-Key` if they were, or were renamed, and the body differs
 */
export const create = <Created>(service: Service, path: string, body: object, identity?: string) =>
  send<Created>(service, 'POST', path, body, {
    'Idempotency-Key': identity
      ? createHash('sha256').update(identity).digest('hex')
      : randomUUID(),
  })

type Method = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Sends a request, by default without a body, and returns its `data`. */
export async function send<Data>(
  service: Service,
  method: Method,
  path: string,
  body?: object,
  headers = {},
) {
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await callService<Data>(service, path, request)).data
}

/** Logs a user in. */
export async function accessToken(
  service: Service,
  email: string,
  password: string,
): Promise<string> {
  const body = { email, password }
  return (await send<{ access_token: string }>(service, 'POST', '/auth/login', body)).access_token
}

/** Reads every page of a list. @throws if it does not end */
export async function readList<Item>(service: Service, path: string, query = {}): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const parameters = new URLSearchParams({ ...query, per_page: '100', page: String(page) })
    const { data, pagination } = await callService<Item[]>(service, `${path}?${parameters}`)
    items.push(...data)
    if (!pagination?.has_more_pages) return items
    if (data.length === 0) break
  }
  throw new Error(`${service.baseUrl}${path}: ${texts.endless}`)
}

/** Enough to hide the latency of a deployed service, and few enough for its rate limits and a local one. */
const CONCURRENCY = 6

/** Runs work on items in their order, several at once. @throws the first failure, once what was started has ended */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
) {
  const waiting = (function* () {
    yield* items // a failure in a loop over a generator ends it, for all loops
  })()
  const workOnNext = async () => {
    for (const item of waiting) await work(item)
  }
  const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, workOnNext))
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
}

/** The reason of a failed `fetch` is its cause, which has only a code if several addresses failed. */
function reasonOf({ message, cause }: Error): string {
  const { message: reason, code } = (cause ?? {}) as NodeJS.ErrnoException
  return reason || code || message
}
