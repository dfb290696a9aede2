import {
  EmptyRepositoryError,
  HistoryTooLargeError,
  RepositoryUnavailableError,
} from './git-errors.ts'
import type { Settings } from '#settings.ts'

/** Requests per import, below the 1000 subrequests of a Worker on a paid plan. */
const MAX_REQUESTS = 950
const TIMEOUT_MS = 10_000

export type Query = Record<string, string>

/** Requests for the configured repository, counted for one import. They return parsed JSON. */
export function createRequests(settings: Settings, timeout = TIMEOUT_MS) {
  const headers = headersOf(settings)
  let requests = 0

  /**
   * Redirects are followed; to another origin, without the token (Fetch Standard, HTTP-redirect
   * fetch).
   * @throws {EmptyRepositoryError} if the repository has no commits
   * @throws {RepositoryUnavailableError} if the host fails otherwise
   * @throws {HistoryTooLargeError} if the import needs too many requests
   */
  return async function get(path: string, query: Query): Promise<unknown> {
    requests += 1
    if (requests > MAX_REQUESTS) throw new HistoryTooLargeError('requests')
    try {
      const response = await fetch(urlOf(settings, path, query), {
        headers,
        signal: AbortSignal.timeout(timeout),
      })
      if (response.redirected) requests += 1
      if (!response.ok) throw errorOf(response)
      return await response.json()
    } catch (error) {
      if (error instanceof RepositoryUnavailableError) throw error
      const reason = error instanceof Error ? error.name : 'unknown'
      throw new RepositoryUnavailableError(reason)
    }
  }
}

function headersOf({ GIT_TOKEN }: Settings): Record<string, string> {
  const headers = {
    Accept: 'application/vnd.github+json',
    'User-Agent': 'informer-provisioning-service', // GitHub rejects requests without one
  }
  if (!GIT_TOKEN) return headers
  return { ...headers, Authorization: `Bearer ${GIT_TOKEN}` }
}

function urlOf(settings: Settings, path: string, query: Query): URL {
  const { GIT_API_URL, GIT_REPOSITORY } = settings
  const url = new URL(`${GIT_API_URL}/repos/${GIT_REPOSITORY}/${path}`)
  url.search = new URLSearchParams({ ...query, per_page: '100' }).toString()
  return url
}

function errorOf({ status }: Response): RepositoryUnavailableError {
  const reason = `status ${status}`
  if (status === 409) return new EmptyRepositoryError(reason)
  return new RepositoryUnavailableError(reason)
}
