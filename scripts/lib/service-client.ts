import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from './command-line.ts'
import { askKnownPassword } from './password-prompt.ts'

const TIMEOUT_MS = 60_000
const MAX_ATTEMPTS = 6
const MAX_RETRY_AFTER_SECONDS = 60

/** Where the service is, down to the version, `https://HOST/v1`, and the token to call it with. */
export type Service = { baseUrl: string; token?: string | undefined }

type ServiceResponse = {
  status: number
  data?: unknown
  message?: string
  errors?: Record<string, string[]>
  pagination?: { has_more_pages: boolean }
}

/**
 * Calls the service; with a body it is a POST. Where the service asks to come back later (429 or 503 with
 * `Retry-After`), that is done a few times: the request must be safe to repeat.
 *
 * @throws where there is no response, or not one of the service
 */
export async function callService(
  { baseUrl, token }: Service,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ServiceResponse> {
  const url = baseUrl.replace(/\/+$/, '') + path
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error) => {
      throw new Error(`${url}: ${reasonOf(error)}`)
    })
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
    const isBusy = response.status === 429 || response.status === 503
    if (isBusy && seconds <= MAX_RETRY_AFTER_SECONDS && attempt < MAX_ATTEMPTS) {
      await response.body?.cancel()
      await sleep(seconds * 1000)
      continue
    }
    const content = (await response.json().catch(() => null)) as Omit<ServiceResponse, 'status'> | null
    if (!content?.data && !content?.message)
      throw new Error(`${url}: ${response.status} from what is not this service`)
    return { ...content, status: response.status }
  }
}

/** `fetch` itself says only that it failed, and keeps the reason as the cause: of several addresses, a code. */
function reasonOf({ message, cause }: Error): string {
  const { message: reason, code } = (cause ?? {}) as NodeJS.ErrnoException
  return reason || code || message
}

/** What went wrong, in one line. */
export const describeFailure = ({ status, message, errors }: ServiceResponse) =>
  [status, message, ...Object.values(errors ?? {}).flat()].join(' ')

/** All items of a list of the service, from all of its pages. */
export async function readList<Item>(service: Service, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page += 1) {
    const response = await callService(
      service,
      `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`,
    )
    if (response.status !== 200) throw new Error(`${path}: ${describeFailure(response)}`)
    items.push(...(response.data as Item[]))
    if (!response.pagination?.has_more_pages) return items
  }
}

/**
 * The access token that a command works with: of a login, for which it asks the password, or `ACCESS_TOKEN`.
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
  const response = await callService({ baseUrl }, '/auth/login', {
    email,
    password: await askKnownPassword(),
  })
  if (response.status !== 200) throw new Error(`login: ${describeFailure(response)}`)
  return (response.data as { access_token: string }).access_token
}
