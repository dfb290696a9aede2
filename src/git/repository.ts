import * as z from 'zod/mini'
import { type Commit, type ParsedCommit, parseCommit } from '../domain/commits.ts'
import type { GraphCommit } from '../domain/releases.ts'
import { parseDateTime } from '../domain/timestamps.ts'
import { compareVersions, isVersion, type Version } from '../domain/versions.ts'
import { type GitClient, HistoryTooLargeError, RepositoryUnavailableError } from './client.ts'

const MAX_NEW_COMMITS = 10_000

/** Characters of JSON of what is kept of their messages; with all copies, below the 128 MB of memory of a Worker. */
const MAX_TEXT = 13_000_000

type CommitRow = z.infer<typeof commitRow>
type Tag = z.infer<typeof tagRow>
type Pages = AsyncGenerator<CommitRow[], void>

/** What earlier imports have read. */
export type ImportedHistory = {
  /** Which of some commits are imported. */
  listKnown(hashes: string[]): Promise<Set<string>>
  /**
   * Which of some tagged commits were read with all their ancestors, and the commits beside the branch that were, if
   * any of the new commits is one of them: then a release branch was merged.
   */
  readReleases(tagged: string[], added: string[]): Promise<{ read: Set<string>; merged: GraphCommit[] }>
}

/** New commits and tags of a repository. */
type RepositoryHistory = {
  /** The newest commit of the branch. */
  head: string
  commits: ParsedCommit[]
  /** Commits reachable only from tags, and those of them that no import has read before. */
  offBranch: GraphCommit[]
  newOffBranch: GraphCommit[]
  tags: string[]
}

const hash = z.string().check(z.regex(/^[0-9a-f]{7,64}$/i), z.toLowerCase())
const signature = z.nullish(z.object({ date: z.string() }))
const commitRow = z.object({
  sha: hash,
  commit: z.object({ message: z.string(), committer: signature, author: signature }),
  parents: z.optional(z.array(z.object({ sha: hash }))),
})
const tagRow = z.object({ name: z.string(), commit: z.object({ sha: hash }) })
const list = <Row extends z.ZodMiniType>(row: Row) =>
  z.pipe(
    z.array(row),
    z.transform((rows) => ({ rows, total: null })),
  )
const comparison = z.pipe(
  z.object({ commits: z.array(commitRow), total_commits: z.optional(z.int()) }),
  z.transform(({ commits, total_commits: total = null }) => ({ rows: commits, total })),
)

/**
 * Reads commits not reachable from `base`, or all if it is null or incomparable. Never returns a partial history.
 *
 * @param base the head of the last import; null for the whole history
 * @returns null if there are none: the branch is empty or its head is `base`
 * @throws {RepositoryUnavailableError} if the server fails
 * @throws {HistoryTooLargeError}
 */
export async function fetchRepositoryHistory(
  client: GitClient,
  branch: string | undefined,
  base: string | null,
  imported: ImportedHistory,
): Promise<RepositoryHistory | null> {
  const head = await readHead(client, branch)
  if (head === null || head === base) return null
  const commits = await readBeyond(client, base, head, (pages) => collectCommits(pages, imported))
  const tags = (await Array.fromAsync(client.pages('tags', {}, list(tagRow), ({ name }) => name))).flat()
  const { found, merged } = await readOffBranch(client, head, commits, tags, imported)

  const tagsOf = Map.groupBy(tags, ({ commit }) => commit.sha)
  const tagged = <C extends GraphCommit>(commit: C): C => ({
    ...commit,
    tags: tagsOf.get(commit.hash)?.map(({ name }) => name) ?? [],
  })
  return {
    head,
    commits: commits.map(tagged),
    offBranch: [...merged, ...found].map(tagged),
    newOffBranch: found,
    tags: tags.map(({ name }) => name),
  }
}

/** A commit and its ancestors, newest first; of the default branch if it is undefined. */
const listCommits = (client: GitClient, sha?: string): Pages =>
  client.pages('commits', sha ? { sha } : {}, list(commitRow), ({ sha }) => sha)

/** The newest commit of a branch; null if the repository is empty. */
async function readHead(client: GitClient, branch: string | undefined): Promise<string | null> {
  try {
    const newest = await listCommits(client, branch).next()
    return newest.value?.[0]?.sha ?? null
  } catch (error) {
    if (error instanceof RepositoryUnavailableError && error.status === 409) return null
    throw error
  }
}

/**
 * Collects the commits reachable from `head` but not from `base`. Where the server cannot compare them, or finds
 * nothing between, as Gitea does for unrelated commits, it collects all that are reachable from `head`.
 */
async function readBeyond<Collected>(
  client: GitClient,
  base: string | null,
  head: string,
  collect: (pages: Pages) => Promise<Collected[]>,
): Promise<Collected[]> {
  try {
    const compared = base
      ? await collect(client.pages(`compare/${base}...${head}`, {}, comparison, ({ sha }) => sha))
      : []
    if (compared.length > 0) return compared
  } catch (error) {
    if (!(error instanceof RepositoryUnavailableError) || error.isRefusal) throw error
  }
  return collect(listCommits(client, head))
}

/**
 * Collects the commits of all pages. Above the limit, known commits are looked up. They keep their place in the history
 * but not their message, to save memory.
 *
 * @throws {HistoryTooLargeError}
 */
async function collectCommits(pages: Pages, { listKnown }: ImportedHistory): Promise<ParsedCommit[]> {
  const old: ParsedCommit[] = []
  let added: ParsedCommit[] = []
  let size = 0
  for await (const page of pages) {
    const commits = page.map((row) => parseCommit(toCommit(row)))
    added.push(...commits)
    size += JSON.stringify(commits).length
    if (added.length <= MAX_NEW_COMMITS && size <= MAX_TEXT) continue
    const known = await listKnown(added.map(({ hash }) => hash))
    for (const commit of added) if (known.has(commit.hash)) old.push({ ...commit, change: null })
    added = added.filter(({ hash }) => !known.has(hash))
    if (added.length > MAX_NEW_COMMITS) throw new HistoryTooLargeError('commits')
    size = JSON.stringify(added).length
    if (size > MAX_TEXT) throw new HistoryTooLargeError('text')
  }
  return [...old, ...added]
}

/**
 * Reads the commits that are reachable only from release tags, unless an earlier import has read them. The highest
 * tags go first, because a release branch also contains its lower tags.
 */
async function readOffBranch(
  client: GitClient,
  head: string,
  commits: ParsedCommit[],
  tags: Tag[],
  { readReleases }: ImportedHistory,
): Promise<{ found: GraphCommit[]; merged: GraphCommit[] }> {
  const seen = new Set(commits.map(({ hash }) => hash))
  const beside = tags
    .map(({ name, commit }) => ({ name, sha: commit.sha }))
    .filter((tag): tag is { name: Version; sha: string } => isVersion(tag.name) && !seen.has(tag.sha))
    .sort((one, other) => compareVersions(other.name, one.name))
    .map(({ sha }) => sha)
  const { read, merged } = await readReleases(beside, [...seen])
  const found: GraphCommit[] = []
  for (const sha of beside) {
    if (read.has(sha) || seen.has(sha)) continue
    const nodes = await readBeyond(client, head, sha, collectNodes)
    for (const node of nodes) {
      if (seen.has(node.hash)) continue
      seen.add(node.hash)
      found.push(node)
    }
  }
  return { found, merged }
}

const collectNodes = async (pages: Pages) => (await Array.fromAsync(pages, (page) => page.map(toNode))).flat()

const toNode = ({ sha, parents }: CommitRow): GraphCommit => ({
  hash: sha,
  parents: parents?.map((parent) => parent.sha) ?? null,
  tags: [],
})

function toCommit(row: CommitRow): Commit {
  const { message, committer, author } = row.commit
  const date = parseDateTime(committer?.date ?? author?.date ?? '')
  if (!date) throw new RepositoryUnavailableError('a commit without a date')
  return { ...toNode(row), message, date }
}
