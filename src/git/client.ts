import * as z from 'zod/mini'
import { COMMIT_HASH, MAX_PARENTS } from '../domain/commits.ts'
import type { Settings } from '../settings.ts'
import { RepositoryUnavailableError } from './errors.ts'
import { type Pages, readComparison, readList } from './pages.ts'
import { createRequests, type Query } from './requests.ts'

const hash = z.string().check(z.toLowerCase(), z.regex(COMMIT_HASH))

/** The hashes of the parents, each once. */
const parents = z
  .pipe(
    z.array(z.object({ sha: hash })),
    z.transform((rows) => [...new Set(rows.map(({ sha }) => sha))]),
  )
  .check(z.maxLength(MAX_PARENTS))

const signature = z.nullish(z.object({ date: z.string() }))

const commitRow = z.object({
  sha: hash,
  commit: z.object({
    message: z.string(),
    committer: signature,
    author: signature,
  }),
  parents: z.optional(parents),
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

export type CommitRow = z.infer<typeof commitRow>
export type TagRow = z.infer<typeof tagRow>
export type GitClient = ReturnType<typeof createGitClient>

/**
 * A client for the configured repository, on a server with the GitHub REST API, such as GitHub
 * Enterprise or Gitea. All that it reads throws `RepositoryUnavailableError` if the server fails,
 * and `HistoryTooLargeError` if the import needs too many requests.
 * @param timeout milliseconds for a response
 */
export function createGitClient(settings: Settings, timeout?: number) {
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

  /** A commit or branch and its ancestors, newest first; without a name, the default branch. */
  function listCommits(name?: string): Pages<CommitRow> {
    const query: Query = name ? { sha: name } : {}
    const readPage = (page: number) => getPage(commitList, 'commits', page, query)
    return readList(readPage, ({ sha }) => sha)
  }

  function listTags(): Pages<TagRow> {
    const readPage = (page: number) => getPage(tagList, 'tags', page)
    return readList(readPage, ({ name }) => name)
  }

  /** The commits that are reachable from `head` but not from `base`. */
  function compareCommits(base: string, head: string): Pages<CommitRow> {
    const readPage = async (page: number) => {
      const path = `compare/${base}...${head}`
      const { commits, total_commits } = await getPage(comparison, path, page)
      return { rows: commits, total: total_commits }
    }
    return readComparison(readPage, ({ sha }) => sha)
  }

  return { listCommits, listTags, compareCommits }
}
