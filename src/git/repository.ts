import * as z from 'zod/mini'
import type { Commit } from '../domain/commits.ts'
import type { GraphCommit } from '../domain/releases.ts'
import { parseDateTime } from '../domain/timestamps.ts'
import { compareVersions, isVersion, type Version } from '../domain/versions.ts'
import { type GitClient, RepositoryUnavailableError } from './client.ts'

/** Limited by the 128 MB of memory of a Worker. */
const MAX_NEW_COMMITS = 10_000

/** Further release branches are not read: an abandoned history may have left a thousand tags. */
const MAX_RELEASE_BRANCHES = 300

/** There are more than MAX_NEW_COMMITS new commits. */
export class TooManyCommitsError extends Error {}

type CommitRow = z.infer<typeof commitRow>
type Tag = z.infer<typeof tagPage>[number]
type Pages = AsyncGenerator<CommitRow[], void>
type ListKnown = (hashes: string[]) => Promise<Set<string>>

/** New commits and tags of a repository. */
type RepositoryHistory = {
  /** The newest commit of the branch; null if it is empty. */
  head: string | null
  commits: Commit[]
  offBranch: GraphCommit[]
  tags: string[]
}

const hash = z.string().check(z.regex(/^[0-9a-f]{7,64}$/i), z.toLowerCase())
const signature = z.nullish(z.object({ date: z.string() }))
const commitRow = z.object({
  sha: hash,
  commit: z.object({ message: z.string(), committer: signature, author: signature }),
  parents: z.optional(z.array(z.object({ sha: hash }))),
})
const commitPage = z.array(commitRow)
const comparisonPage = z.pipe(
  z.object({ commits: commitPage }),
  z.transform(({ commits }) => commits),
)
const tagPage = z.array(z.object({ name: z.string(), commit: z.object({ sha: hash }) }))

/**
 * Reads commits not reachable from `base`, or all if it is null or incomparable. Never returns a partial history.
 *
 * @param base the head of the last import; null for the whole history
 * @param listKnown returns which of the commits are already imported
 * @throws {RepositoryUnavailableError} if the server fails
 * @throws {TooManyCommitsError}
 */
export async function fetchRepositoryHistory(
  client: GitClient,
  branch: string | undefined,
  base: string | null,
  listKnown: ListKnown,
): Promise<RepositoryHistory> {
  const pages = client.pages('commits', branch ? { sha: branch } : {}, commitPage, ({ sha }) => sha)
  const newest = await readNewest(pages)
  const head = newest[0]?.sha ?? null
  if (head === null || head === base) return { head, commits: [], offBranch: [], tags: [] }

  const added = base && (await unlessFailed(collect(compare(client, base, head), listKnown), isIncomparable))
  const rows = added || (await collect(resume(newest, pages), listKnown))
  const tags = (await Array.fromAsync(client.pages('tags', {}, tagPage, ({ name }) => name))).flat()
  const offBranch = await readOffBranch(client, head, rows, tags, listKnown)

  const tagsOf = Map.groupBy(tags, ({ commit }) => commit.sha)
  const toNode = ({ sha, parents }: CommitRow): GraphCommit => ({
    hash: sha,
    parents: parents?.map((parent) => parent.sha) ?? null,
    tags: tagsOf.get(sha)?.map(({ name }) => name) ?? [],
  })
  return {
    head,
    commits: rows.map((row) => ({ ...toNode(row), message: row.commit.message, date: dateOf(row) })),
    offBranch: offBranch.map(toNode),
    tags: tags.map(({ name }) => name),
  }
}

/** The first page of a branch, starting with its head. */
async function readNewest(pages: Pages): Promise<CommitRow[]> {
  try {
    const first = await pages.next()
    return first.value ?? []
  } catch (error) {
    if (error instanceof RepositoryUnavailableError && error.status === 409) return [] // the repository is empty
    throw error
  }
}

async function* resume(first: CommitRow[], rest: Pages): Pages {
  yield first
  yield* rest
}

/** Commits reachable from `head` but not from `base`. */
const compare = (client: GitClient, base: string, head: string): Pages =>
  client.pages(`compare/${base}...${head}`, {}, comparisonPage, ({ sha }) => sha)

/** A commit is missing, or the two are unrelated. */
const isUnrelated = (status: number) => status === 404
/** Or they are too far apart for the server. */
const isIncomparable = (status: number) => isUnrelated(status) || status >= 500

/** Null if the comparison fails with such a status. */
async function unlessFailed(
  comparison: Promise<CommitRow[]>,
  isExpected: (status: number) => boolean,
): Promise<CommitRow[] | null> {
  try {
    return await comparison
  } catch (error) {
    if (error instanceof RepositoryUnavailableError && isExpected(error.status ?? 0)) return null
    throw error
  }
}

/**
 * Collects the rows of all pages. Above the limit, known commits are looked up. They keep their place in the history
 * but not their message, to save memory.
 *
 * @throws {TooManyCommitsError}
 */
async function collect(pages: Pages, listKnown: ListKnown): Promise<CommitRow[]> {
  const old: CommitRow[] = []
  let added: CommitRow[] = []
  for await (const page of pages) {
    added.push(...page)
    if (added.length <= MAX_NEW_COMMITS) continue
    const known = await listKnown(added.map(({ sha }) => sha))
    for (const row of added)
      if (known.has(row.sha)) old.push({ ...row, commit: { ...row.commit, message: '' } })
    added = added.filter(({ sha }) => !known.has(sha))
    if (added.length > MAX_NEW_COMMITS) throw new TooManyCommitsError()
  }
  return [...old, ...added]
}

/**
 * Commits reachable only from tags; highest tags first, because a release branch also contains its lower tags.
 *
 * @throws {RepositoryUnavailableError} also if the server cannot compare: without a tag, versions would be wrong
 */
async function readOffBranch(
  client: GitClient,
  head: string,
  rows: CommitRow[],
  tags: Tag[],
  listKnown: ListKnown,
): Promise<CommitRow[]> {
  const read = new Map(rows.map((row) => [row.sha, row]))
  const outside = tags
    .map(({ name, commit }) => ({ name, sha: commit.sha }))
    .filter((tag): tag is { name: Version; sha: string } => isVersion(tag.name) && !read.has(tag.sha))
    .sort((one, other) => compareVersions(other.name, one.name))
  const known = await listKnown(outside.map(({ sha }) => sha))
  const found: CommitRow[] = []
  let branches = 0
  for (const { sha } of outside) {
    if (known.has(sha) || read.has(sha)) continue
    if (++branches > MAX_RELEASE_BRANCHES) break
    const comparison = Array.fromAsync(compare(client, head, sha)).then((pages) => pages.flat())
    for (const row of (await unlessFailed(comparison, isUnrelated)) ?? []) {
      if (read.has(row.sha)) continue
      read.set(row.sha, row)
      found.push(row)
    }
  }
  return found
}

function dateOf({ commit }: CommitRow): Date {
  const date = parseDateTime(commit.committer?.date ?? commit.author?.date ?? '')
  if (!date) throw new RepositoryUnavailableError('a commit without a date')
  return date
}
