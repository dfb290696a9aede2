import { listKnownCommits } from '../database/changelog-imports.ts'
import type { Database } from '../database/client.ts'
import { type Commit, type ParsedCommit, parseCommit } from '../domain/commits.ts'
import type { GraphCommit } from '../domain/releases.ts'
import { parseDateTime } from '../domain/timestamps.ts'
import type { CommitRow, GitClient } from './client.ts'
import { HistoryTooLargeError, RepositoryUnavailableError } from './errors.ts'
import type { Pages } from './pages.ts'

const MAX_NEW_COMMITS = 10_000

/**
 * Characters of JSON of what is kept of their messages; with all copies, below the 128 MB of memory
 * of a Worker.
 */
const MAX_TEXT = 13_000_000

type Collect<Collected> = (pages: Pages<CommitRow>) => Promise<Collected[]>

/**
 * Collects the commits reachable from `head` but not from `base`. Where the server cannot compare
 * them, or finds nothing between, as Gitea does for unrelated commits, it collects all that are
 * reachable from `head`.
 */
export async function readRange<Collected>(
  client: GitClient,
  base: string | null,
  head: string,
  collect: Collect<Collected>,
): Promise<Collected[]> {
  if (base !== null) {
    const compared = await ifAvailable(collect(client.compareCommits(base, head)))
    if (compared && compared.length > 0) return compared
  }
  return collect(client.listCommits(head))
}

/** What is read, or null if the server fails. */
async function ifAvailable<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof RepositoryUnavailableError) return null
    throw error
  }
}

/**
 * Collects commits with what entries keep of their messages. Above the limits, known commits are
 * looked up: they keep their place in the history but not their message, to save memory.
 * @throws {HistoryTooLargeError} if there are too many new commits, or too much text of them
 */
export async function collectCommits(
  db: Database,
  pages: Pages<CommitRow>,
): Promise<ParsedCommit[]> {
  const old: ParsedCommit[] = []
  let added: ParsedCommit[] = []
  let size = 0
  for await (const rows of pages) {
    const commits = rows.map((row) => parseCommit(toCommit(row)))
    added.push(...commits)
    size += sizeOf(commits)
    if (added.length <= MAX_NEW_COMMITS && size <= MAX_TEXT) continue

    const hashes = added.map(({ hash }) => hash)
    const known = await listKnownCommits(db, hashes)
    for (const commit of added) {
      if (known.has(commit.hash)) old.push({ ...commit, change: null })
    }
    added = added.filter(({ hash }) => !known.has(hash))
    size = sizeOf(added)
    if (added.length > MAX_NEW_COMMITS) throw new HistoryTooLargeError('commits')
    if (size > MAX_TEXT) throw new HistoryTooLargeError('memory')
  }
  return [...old, ...added]
}

function sizeOf(commits: ParsedCommit[]): number {
  return JSON.stringify(commits).length
}

/** Collects the graph of commits. */
export async function collectGraph(pages: Pages<CommitRow>): Promise<GraphCommit[]> {
  const graph: GraphCommit[] = []
  for await (const rows of pages) {
    for (const row of rows) graph.push(toGraphCommit(row))
  }
  return graph
}

function toGraphCommit({ sha, parents }: CommitRow): GraphCommit {
  return {
    hash: sha,
    parents: parents ?? null,
  }
}

function toCommit(row: CommitRow): Commit {
  const { message, committer, author } = row.commit
  const date = parseDateTime(committer?.date ?? author?.date ?? '')
  if (!date) throw new RepositoryUnavailableError('a commit without a date')
  return {
    ...toGraphCommit(row),
    message,
    date,
  }
}
