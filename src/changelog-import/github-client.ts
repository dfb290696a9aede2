import * as z from 'zod/mini'
import { COMMIT_HASH } from '#domain/changelog.ts'
import type { Settings } from '#settings.ts'

/** Requests per import, below the 1000 subrequests of a Worker on a paid plan. */
const MAX_REQUESTS = 950
const TIMEOUT_MS = 10_000
/** Of one response, so that an isolate, which has 128 MB, can hold it. */
const MAX_RESPONSE_BYTES = 10 * 1024 ** 2

/** The host failed, timed out or did not respond like the GitHub REST API. Contains no token. */
export class RepositoryUnavailableError extends Error {}

/** The repository has no commits yet: GitHub's status 409. */
export class EmptyRepositoryError extends RepositoryUnavailableError {}

/** The limit that a history exceeds. */
type ImportLimit = 'commits' | 'requests' | 'memory'

/** The history is larger than one import can read. */
export class HistoryTooLargeError extends Error {
  readonly limit: ImportLimit

  constructor(limit: ImportLimit) {
    super(`too much for one import: ${limit}`)
    this.limit = limit
  }
}

const hash = z.string().check(z.toLowerCase(), z.regex(COMMIT_HASH))
const signature = z.nullish(z.object({ date: z.nullish(z.string()) }))

const commitRow = z.object({
  sha: hash,
  commit: z.object({
    message: z.string(),
    committer: signature,
    author: signature,
  }),
  parents: z.array(z.object({ sha: hash })),
})

const tagRow = z.object({
  name: z.string(),
  commit: z.object({ sha: hash }),
})

const commitList = z.array(commitRow)
const tagList = z.array(tagRow)

const comparison = z.object({
  commits: commitList,
  total_commits: z.int(),
})

/** The rows of one page after another. */
export type Pages<Row> = AsyncGenerator<Row[], void>

export type CommitRow = z.infer<typeof commitRow>
type TagRow = z.infer<typeof tagRow>
export type GitHubClient = ReturnType<typeof createGitHubClient>

/**
 * Creates a client of the configured repository, on GitHub or GitHub Enterprise. Its reads throw
 * `RepositoryUnavailableError` if the host fails, and `HistoryTooLargeError` if one import needs
 * too many requests.
 * @param timeout milliseconds for a response
 */
export function createGitHubClient(settings: Settings, timeout?: number) {
  const get = createRequests(settings, timeout)

  async function getPage<Page>(
    schema: z.ZodMiniType<Page>,
    path: string,
    page: number,
    query: Query = {},
  ): Promise<Page> {
    const body = await get(path, { ...query, page: String(page) })
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    throw new RepositoryUnavailableError('an invalid response')
  }

  /** Reads a list up to its first empty page, because a short one need not be the last. */
  async function* readList<Row>(
    schema: z.ZodMiniType<Row[]>,
    path: string,
    query?: Query,
  ): Pages<Row> {
    for (let page = 1; ; page++) {
      const rows = await getPage(schema, path, page, query)
      if (rows.length === 0) return
      yield rows
    }
  }

  /** Lists a commit or branch and its ancestors; without a name, the default branch. */
  function listCommits(name?: string): Pages<CommitRow> {
    return readList(commitList, 'commits', name ? { sha: name } : {})
  }

  function listTags(): Pages<TagRow> {
    return readList(tagList, 'tags')
  }

  /**
   * Lists the commits that are reachable from `head` but not from `base`.
   * @throws {RepositoryUnavailableError} if the host sends fewer commits than it counts, as GitHub
   *   Enterprise before 3.1, which sends the same 250 for every page
   */
  async function* compareCommits(base: string, head: string): Pages<CommitRow> {
    const read = new Set<string>()
    for (let page = 1; ; page++) {
      const path = `compare/${base}...${head}`
      const { commits, total_commits } = await getPage(comparison, path, page)
      const added = commits.filter(({ sha }) => !read.has(sha))
      for (const { sha } of added) read.add(sha)
      yield added

      if (read.size === total_commits) return
      if (added.length === 0) {
        throw new RepositoryUnavailableError(`${read.size} of ${total_commits} commits`)
      }
    }
  }

  return { listCommits, listTags, compareCommits }
}

type Query = Record<string, string>

/** Requests for the configured repository, counted for one import. They return parsed JSON. */
function createRequests(settings: Settings, timeout = TIMEOUT_MS) {
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
      return JSON.parse(await readText(response))
    } catch (error) {
      if (error instanceof RepositoryUnavailableError) throw error
      const reason = error instanceof Error ? error.name : 'unknown'
      throw new RepositoryUnavailableError(reason)
    }
  }
}

/** @throws {RepositoryUnavailableError} if it is too long; the rest is not read */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_RESPONSE_BYTES) {
      throw new RepositoryUnavailableError('more than 10 MB')
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
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
