import type * as z from 'zod/mini'
import { readUpTo } from '../http/streams.ts'
import type { Settings } from '../settings.ts'

const PER_PAGE = 100
/** Bounds what a server can make us request: below the thousand subrequests that a Worker on a paid plan may always make. */
const MAX_REQUESTS = 950
const MAX_REDIRECTS = 5
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024
const MAX_WAIT_SECONDS = 86_400
/** Milliseconds for one response, and for everything that one import requests. */
const TIME_LIMITS = { response: 10_000, history: 120_000 }

/** The git server did not respond as the GitHub REST API does, or not in time. It holds no token. */
export class RepositoryUnavailable extends Error {
  /** The status that says so; null where there was no response, or one of another shape. */
  readonly status: number | null
  /** Seconds to wait, where the server named them. */
  readonly retryAfter: string | null
  constructor(reason: string, status: number | null = null, retryAfter: string | null = null) {
    super(reason)
    this.status = status
    this.retryAfter = retryAfter
  }
}

export type GitClient = ReturnType<typeof createGitClient>

/** A client of one repository on a server that has the GitHub REST API, as GitHub Enterprise and Gitea do. */
export function createGitClient(
  source: Pick<Settings, 'GIT_REPOSITORY' | 'GIT_API_URL' | 'GIT_TOKEN'>,
  limits = TIME_LIMITS,
) {
  const end = AbortSignal.timeout(limits.history)
  let requests = 0

  /** Follows redirects on the same server only: another host would get the token, or what it must not know. */
  async function get(start: URL): Promise<Response> {
    const signal = AbortSignal.any([end, AbortSignal.timeout(limits.response)])
    let url = start
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (++requests > MAX_REQUESTS) throw new RepositoryUnavailable(`more than ${MAX_REQUESTS} requests`)
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
      if (url.origin !== start.origin) throw new RepositoryUnavailable('a redirect to another host or scheme')
    }
    throw new RepositoryUnavailable('too many redirects')
  }

  /**
   * The pages of a list, each row once.
   *
   * @throws {RepositoryUnavailable} where the server fails, stalls, limits us or responds with something else
   */
  async function* pages<Row>(
    path: string,
    query: Record<string, string>,
    schema: z.ZodMiniType<Row[]>,
    keyOf: (row: Row) => string,
  ): AsyncGenerator<Row[], void> {
    const known = new Set<string>()
    let isLinked = false
    for (let page = 1; ; page++) {
      const url = new URL(`${source.GIT_API_URL}/repos/${source.GIT_REPOSITORY}/${path}`)
      // GitHub says per_page, Gitea says limit
      const paging = { per_page: String(PER_PAGE), limit: String(PER_PAGE), page: String(page) }
      url.search = new URLSearchParams({ ...query, ...paging }).toString()
      const { rows, links } = await withReason(async () => {
        const response = await get(url)
        if (!response.ok) throw unavailable(response)
        return { rows: await parse(response, schema), links: response.headers.get('Link') }
      })
      const fresh = rows.filter((row) => !known.has(keyOf(row)))
      for (const row of fresh) known.add(keyOf(row))
      yield fresh
      isLinked ||= links !== null
      // a server that links its pages says when they end; else they end where one brings nothing new
      const hasNext = isLinked ? /rel="?next"?/.test(links ?? '') : fresh.length > 0
      if (!hasNext) return
    }
  }

  return { pages }
}

async function parse<Row>(response: Response, schema: z.ZodMiniType<Row[]>): Promise<Row[]> {
  const bytes = await readUpTo(MAX_RESPONSE_BYTES, response)
  if (!bytes) throw new RepositoryUnavailable(`more than ${MAX_RESPONSE_BYTES} bytes`)
  const result = schema.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
  if (!result.success) throw new RepositoryUnavailable('a response of another shape')
  return result.data
}

async function withReason<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RepositoryUnavailable) throw error
    throw new RepositoryUnavailable(error instanceof Error ? error.name : 'unknown')
  }
}

/** GitHub names its limits in Retry-After, or when they are reset in x-ratelimit-reset. */
function unavailable({ status, headers }: Response): RepositoryUnavailable {
  const isLimited = headers.get('x-ratelimit-remaining') === '0'
  const untilReset = isLimited ? Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000 : 0
  const seconds = Math.ceil(Number(headers.get('Retry-After')) || untilReset)
  const isSensible = seconds > 0 && seconds <= MAX_WAIT_SECONDS
  return new RepositoryUnavailable(`status ${status}`, status, isSensible ? String(seconds) : null)
}
