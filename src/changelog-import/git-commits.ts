import { type Commit, type ParsedCommit, parseCommit } from './commits.ts'
import type { CommitRow, Pages } from './git-client.ts'
import { HistoryTooLargeError, RepositoryUnavailableError } from './git-errors.ts'
import { listKnownCommits } from '#database/changelog/imports.ts'
import type { Database } from '#database/client.ts'
import { parseDateTime } from '#domain/timestamps.ts'

const MAX_NEW_COMMITS = 10_000

/**
 * Characters of JSON of new commits; with all copies, below the 128 MB of memory of a Worker.
 */
const MAX_TEXT = 13_000_000

/**
 * Collects commits. Beyond the limits, known commits are looked up and lose their message, to save
 * memory.
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

function toCommit({ sha, commit, parents }: CommitRow): Commit {
  const { message, committer, author } = commit
  const date = parseDateTime(committer?.date ?? author?.date ?? '')
  if (!date) throw new RepositoryUnavailableError('a commit without a date')
  return {
    hash: sha,
    message,
    date,
    parents: parents.map((parent) => parent.sha),
  }
}
