import type * as z from 'zod/mini'
import { readBody } from '../read-body.ts'
import type { Settings } from '../settings.ts'

const PER_PAGE = 100
/** Requests per import, below the 1000 subrequests of a Worker on a paid plan. */
const MAX_REQUESTS = 950
const MAX_REDIRECTS = 5
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024
const MAX_WAIT_SECONDS = 86_400
/** Milliseconds per response, and per import. */
const TIME_LIMITS = { response: 10_000, history: 300_000 }
/** Gitea looks these up for each commit unless told otherwise; GitHub ignores them. */
const NO_DETAILS = { stat: 'false', verification: 'false', files: 'false' }

/** The history cannot be read in one import: it has too many new commits, takes too many requests or is too long. */
export class HistoryTooLargeError extends Error {
  readonly limit: 'commits' | 'requests' | 'text'
  constructor(limit: HistoryTooLargeError['limit']) {
    super(`too many ${limit}`)
    this.limit = limit
  }
}

/** The git server failed, timed out or did not respond like the GitHub REST API. Contains no token. */
export class RepositoryUnavailableError extends Error {
  /** The HTTP status; null if there was no response, or an invalid one. */
  readonly status: number | null
  /** Seconds to wait, if the server sent them. */
  readonly retryAfter: string | null
  constructor(reason: string, status: number | null = null, retryAfter: string | null = null) {
    super(reason)
    this.status = status
    this.retryAfter = retryAfter
  }

  /** Whether the server refuses every request for now, not only this one. */
  get isRefusal(): boolean {
    return this.retryAfter !== null || [401, 403, 429].includes(this.status ?? 0)
  }
}

/** A page of a list, and the number of rows of all pages, if the server sends it. */
type Page<Row> = { rows: Row[]; total: number | null }

export type GitClient = ReturnType<typeof createGitClient>

/** A client for one repository on a server with the GitHub REST API, such as GitHub Enterprise or Gitea. */
export function createGitClient(
  source: Pick<Settings, 'GIT_REPOSITORY' | 'GIT_API_URL' | 'GIT_TOKEN'>,
  limits = TIME_LIMITS,
) {
  const end = AbortSignal.timeout(limits.history)
  let requests = 0

  /** Follows redirects only on the same origin, so no other host receives the token. */
  async function get(start: URL): Promise<Response> {
    const signal = AbortSignal.any([end, AbortSignal.timeout(limits.response)])
    let url = start
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (++requests > MAX_REQUESTS) throw new HistoryTooLargeError('requests')
      const response = await fetch(url, {
        redirect: 'manual',
        signal,
        headers: {
          Accept: 'application/vnd.github+json',
          'User-Agent': 'informer-provisioning-service', // GitHub rejects requests without one
          ...(source.GIT_TOKEN ? { Authorization: `Bearer ${source.GIT_TOKEN}` } : {}),
        },
      })
      const location = response.headers.get('Location')
      if (response.status < 300 || response.status > 399 || !location) return response
      await response.body?.cancel()
      url = new URL(location, url)
      if (url.origin !== start.origin)
        throw new RepositoryUnavailableError('a redirect to another host or scheme')
    }
    throw new RepositoryUnavailableError('too many redirects')
  }

  /**
   * The pages of a list, without duplicate rows.
   *
   * @throws {RepositoryUnavailableError} if the server fails, times out, limits the rate, responds unexpectedly, or
   *   sends fewer rows than it says there are
   * @throws {HistoryTooLargeError} if there are too many pages
   */
  async function* pages<Row>(
    path: string,
    query: Record<string, string>,
    schema: z.ZodMiniType<Page<Row>>,
    keyOf: (row: Row) => string,
  ): AsyncGenerator<Row[], void> {
    const known = new Set<string>()
    let isLinked = false
    for (let page = 1; ; page++) {
      const url = new URL(`${source.GIT_API_URL}/repos/${source.GIT_REPOSITORY}/${path}`)
      // GitHub uses per_page, Gitea uses limit
      const paging = { per_page: String(PER_PAGE), limit: String(PER_PAGE), page: String(page) }
      url.search = new URLSearchParams({ ...query, ...paging, ...NO_DETAILS }).toString()
      const { rows, total, links } = await withReason(async () => {
        const response = await get(url)
        if (!response.ok) throw unavailable(response)
        return { ...(await parse(response, schema)), links: response.headers.get('Link') }
      })
      const fresh = rows.filter((row) => !known.has(keyOf(row)))
      for (const row of fresh) known.add(keyOf(row))
      yield fresh
      if (known.size === total) return
      isLinked ||= links !== null
      // without Link headers, the list ends with a page that has no new rows
      const hasNext = isLinked ? /rel="?next"?/.test(links ?? '') : fresh.length > 0
      if (hasNext) continue
      if (total !== null) throw new RepositoryUnavailableError(`${known.size} of ${total} rows`)
      return
    }
  }

  return { pages }
}

async function parse<Row>(response: Response, schema: z.ZodMiniType<Page<Row>>): Promise<Page<Row>> {
  const bytes = await readBody(response, MAX_RESPONSE_BYTES)
  if (!bytes) throw new RepositoryUnavailableError(`more than ${MAX_RESPONSE_BYTES} bytes`)
  const result = schema.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
  if (!result.success) throw new RepositoryUnavailableError('an invalid response')
  return result.data
}

async function withReason<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RepositoryUnavailableError || error instanceof HistoryTooLargeError) throw error
    throw new RepositoryUnavailableError(error instanceof Error ? error.name : 'unknown')
  }
}

/** GitHub sends its rate limits in Retry-After or x-ratelimit-reset. */
function unavailable({ status, headers }: Response): RepositoryUnavailableError {
  const isLimited = headers.get('x-ratelimit-remaining') === '0'
  const untilReset = isLimited ? Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000 : 0
  const seconds = Math.ceil(Number(headers.get('Retry-After')) || untilReset)
  const isSensible = seconds > 0 && seconds <= MAX_WAIT_SECONDS
  return new RepositoryUnavailableError(`status ${status}`, status, isSensible ? String(seconds) : null)
}
