import * as z from 'zod/mini'
import { ValidationError } from '../http/errors.ts'
import type { Settings } from '../settings.ts'

/** Requests per import, below the 1000 subrequests of a Worker on a paid plan. */
const MAX_REQUESTS = 950
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 10_000
const MAX_WAIT_SECONDS = 86_400
/** GitHub uses per_page, Gitea uses limit. The others spare Gitea details of each commit. */
const PARAMETERS = {
  per_page: '100',
  limit: '100',
  stat: 'false',
  verification: 'false',
  files: 'false',
}

export const TOO_LARGE = 'O histórico é grande demais: importe-o com changelog:sync.'

/** The git server failed, timed out or did not respond like the GitHub REST API. Contains no token. */
export class RepositoryUnavailableError extends Error {
  /** Seconds to wait, if the server sent them. */
  readonly retryAfter: string | null
  constructor(reason: string, retryAfter: string | null = null) {
    super(reason)
    this.retryAfter = retryAfter
  }
}

/** A page of a list, or of a comparison with the number of commits of all its pages. */
const pageOf = <Row>(row: z.ZodMiniType<Row>) =>
  z.union([z.array(row), z.object({ commits: z.array(row), total_commits: z.optional(z.int()) })])

export type PageReader = ReturnType<typeof createPageReader>

/** A client for one repository on a server with the GitHub REST API, such as GitHub Enterprise or Gitea. */
export function createPageReader(
  { GIT_REPOSITORY, GIT_API_URL, GIT_TOKEN }: Settings,
  timeout = TIMEOUT_MS,
) {
  let requests = 0

  /** Redirects are followed; to another origin, without the token (Fetch Standard, HTTP-redirect fetch). */
  async function get(path: string, query: Record<string, string>): Promise<unknown> {
    if (++requests > MAX_REQUESTS) throw new ValidationError({ commits: [TOO_LARGE] })
    const url = new URL(`${GIT_API_URL}/repos/${GIT_REPOSITORY}/${path}`)
    url.search = new URLSearchParams({ ...query, ...PARAMETERS }).toString()
    try {
      const response = await fetch(url, {
        signal: AbortSignal.timeout(timeout),
        headers: {
          Accept: 'application/vnd.github+json',
          'User-Agent': 'informer-provisioning-service', // GitHub rejects requests without one
          ...(GIT_TOKEN ? { Authorization: `Bearer ${GIT_TOKEN}` } : {}),
        },
      })
      if (response.redirected) requests += 1
      if (response.status === 409) return [] // the repository is empty
      if (!response.ok) throw unavailable(response)
      const bytes = await readBody(response, MAX_RESPONSE_BYTES)
      if (!bytes) throw new RepositoryUnavailableError(`more than ${MAX_RESPONSE_BYTES} bytes`)
      return JSON.parse(new TextDecoder().decode(bytes))
    } catch (error) {
      if (error instanceof RepositoryUnavailableError) throw error
      throw new RepositoryUnavailableError(error instanceof Error ? error.name : 'unknown')
    }
  }

  /**
   * The pages of a list or a comparison, without duplicate rows. The last page is complete by the total, or has no
   * new rows: Gitea sends no links to further pages of tags.
   * @throws {RepositoryUnavailableError} also if there are fewer rows than the total
   * @throws {ValidationError} if the import needs too many requests
   */
  return async function* readPages<Row>(
    path: string,
    query: Record<string, string>,
    row: z.ZodMiniType<Row>,
    keyOf: (row: Row) => string,
  ): AsyncGenerator<Row[], void> {
    const known = new Set<string>()
    for (let page = 1; ; page++) {
      const { data } = pageOf(row).safeParse(await get(path, { ...query, page: String(page) }))
      if (!data) throw new RepositoryUnavailableError('an invalid response')
      const [rows, total] = Array.isArray(data) ? [data] : [data.commits, data.total_commits]
      const added = rows.filter((row) => !known.has(keyOf(row)))
      for (const row of added) known.add(keyOf(row))
      yield added
      if (known.size === total) return
      if (added.length > 0) continue
      if (total !== undefined)
        throw new RepositoryUnavailableError(`${known.size} of ${total} rows`)
      return
    }
  }
}

/** Reads a body up to a limit; null if it is larger. */
async function readBody({ headers, body }: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(headers.get('Content-Length')) > maxBytes) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** GitHub sends its rate limits in Retry-After or x-ratelimit-reset. */
function unavailable({ status, headers }: Response): RepositoryUnavailableError {
  const isLimited = headers.get('x-ratelimit-remaining') === '0'
  const untilReset = isLimited ? Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000 : 0
  const seconds = Math.ceil(Number(headers.get('Retry-After')) || untilReset)
  const isSensible = seconds > 0 && seconds <= MAX_WAIT_SECONDS
  return new RepositoryUnavailableError(`status ${status}`, isSensible ? String(seconds) : null)
}
