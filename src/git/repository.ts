import * as z from 'zod/mini'
import type { Commit } from '../domain/commits.ts'
import { parseDateTime } from '../domain/timestamps.ts'
import { readUpTo } from '../http/streams.ts'
import type { Settings } from '../settings.ts'

const PER_PAGE = 100
/** Bounds what a server can make us ask for: far below the subrequests that a Worker may make. */
const MAX_PAGES = 400
const MAX_REDIRECTS = 5
const MAX_ANSWER_BYTES = 10 * 1024 * 1024
const MAX_WAIT_SECONDS = 86_400
/** Milliseconds for one answer, and for everything that one import asks. */
const TIME_LIMITS = { answer: 10_000, history: 60_000 }

/** The git server did not answer as the GitHub REST API does, or not in time. It holds no token. */
export class RepositoryUnavailable extends Error {
  /** Seconds to wait, where the server told them. */
  readonly retryAfter: string | null
  constructor(reason: string, retryAfter: string | null = null) {
    super(reason)
    this.retryAfter = retryAfter
  }
}

type History = { commits: Commit[]; tags: string[] }

type Source = Pick<Settings, 'GIT_REPOSITORY' | 'GIT_BRANCH' | 'GIT_API_URL' | 'GIT_TOKEN'>

const signature = z.nullish(z.object({ date: z.string() }))
const commitPage = z.array(
  z.object({
    sha: z.string().check(z.regex(/^[0-9a-f]{7,64}$/i)),
    commit: z.object({ message: z.string(), committer: signature, author: signature }),
    parents: z.optional(z.array(z.object({ sha: z.string() }))),
  }),
)
const tagPage = z.array(z.object({ name: z.string(), commit: z.object({ sha: z.string() }) }))

/**
 * Reads commits and tags from the configured repository, in the shape of the GitHub REST API, which GitHub
 * Enterprise and Gitea share. Everything or nothing.
 *
 * @param since only commits of this moment and after; null for the whole history
 * @throws {RepositoryUnavailable} where the server fails, stalls, refuses, limits us or answers nonsense
 */
export async function readHistory(
  source: Source,
  since: string | null,
  limits = TIME_LIMITS,
): Promise<History> {
  const end = AbortSignal.timeout(limits.history)
  const signal = () => AbortSignal.any([end, AbortSignal.timeout(limits.answer)])
  const query = { ...(source.GIT_BRANCH ? { sha: source.GIT_BRANCH } : {}), ...(since ? { since } : {}) }
  try {
    const tags = await readPages(source, 'tags', {}, tagPage, ({ name }) => name, signal)
    const commits = await readPages(source, 'commits', query, commitPage, ({ sha }) => sha, signal)
    const tagsOf = Map.groupBy(tags, ({ commit }) => commit.sha.toLowerCase())
    return {
      commits: commits.map(({ sha, commit, parents }) => ({
        hash: sha.toLowerCase(),
        message: commit.message,
        date: moment(commit.committer?.date ?? commit.author?.date),
        tags: (tagsOf.get(sha.toLowerCase()) ?? []).map(({ name }) => name),
        parents: (parents ?? []).map((parent) => parent.sha.toLowerCase()),
      })),
      tags: tags.map(({ name }) => name),
    }
  } catch (error) {
    if (error instanceof RepositoryUnavailable) throw error
    throw new RepositoryUnavailable(error instanceof Error ? error.name : 'unknown')
  }
}

async function readPages<Row>(
  source: Source,
  resource: 'commits' | 'tags',
  query: Record<string, string>,
  schema: z.ZodMiniType<Row[]>,
  keyOf: (row: Row) => string,
  signal: () => AbortSignal,
): Promise<Row[]> {
  const rows = new Map<string, Row>()
  let isLinked = false
  for (let page = 1; page <= MAX_PAGES; page++) {
    const url = new URL(`${source.GIT_API_URL}/repos/${source.GIT_REPOSITORY}/${resource}`)
    // GitHub says per_page, Gitea says limit
    const paging = { per_page: String(PER_PAGE), limit: String(PER_PAGE), page: String(page) }
    url.search = new URLSearchParams({ ...query, ...paging }).toString()
    const response = await get(url, source.GIT_TOKEN, signal())
    if (response.status === 409 && page === 1) return [] // GitHub: the repository is empty
    if (!response.ok) throw refused(response)
    const bytes = await readUpTo(MAX_ANSWER_BYTES, response)
    if (!bytes) throw new RepositoryUnavailable(`more than ${MAX_ANSWER_BYTES} bytes`)
    const answer = schema.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    if (!answer.success) throw new RepositoryUnavailable('an answer of another shape')
    const known = rows.size
    for (const row of answer.data) rows.set(keyOf(row), row)
    const links = response.headers.get('Link')
    isLinked ||= links !== null
    // a server that links its pages says when they end; else they end where one brings nothing new
    const hasNext = isLinked ? /rel="?next"?/.test(links ?? '') : rows.size > known
    if (!hasNext) return [...rows.values()]
  }
  throw new RepositoryUnavailable(`more than ${MAX_PAGES} pages`)
}

/** Follows redirects, but hands the token to no other host. */
async function get(start: URL, token: string | undefined, signal: AbortSignal): Promise<Response> {
  let url = start
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: {
        Accept: 'application/vnd.github+json',
        'User-Agent': 'informer-provisioning-service', // GitHub refuses requests without one
        ...(token && url.origin === start.origin ? { Authorization: `Bearer ${token}` } : {}),
      },
    })
    const location = response.headers.get('Location')
    if (response.status < 300 || response.status > 399 || !location) return response
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new RepositoryUnavailable('too many redirects')
}

/** GitHub tells its limits in Retry-After, or when they are reset in x-ratelimit-reset. */
function refused({ status, headers }: Response): RepositoryUnavailable {
  const isLimited = headers.get('x-ratelimit-remaining') === '0'
  const untilReset = isLimited ? Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000 : 0
  const seconds = Math.ceil(Number(headers.get('Retry-After')) || untilReset)
  const isSensible = seconds > 0 && seconds <= MAX_WAIT_SECONDS
  return new RepositoryUnavailable(`status ${status}`, isSensible ? String(seconds) : null)
}

function moment(text: string | undefined): Date {
  const date = parseDateTime(text ?? '')
  if (!date) throw new RepositoryUnavailable('a commit without a date')
  return date
}
