import { isMergeMessage, parseMessage } from './commit-messages.ts'
import {
  type CommitRow,
  createGitHubClient,
  EmptyRepositoryError,
  type GitHubClient,
  HistoryTooLargeError,
  type Pages,
  RepositoryUnavailableError,
} from './github-client.ts'
import type { Commit } from './plan.ts'
import { releasesByTag, type Tag } from './releases.ts'
import {
  getSyncCursor,
  type Import,
  listKnownCommits,
} from '#database/changelog/imports.ts'
import type { Database } from '#database/client.ts'
import { parseDateTime } from '#domain/timestamps.ts'
import { isVersion, type Version } from '#domain/versions.ts'
import type { Settings } from '#settings.ts'

const MAX_NEW_COMMITS = 10_000

/**
 * Characters of JSON of new commits; with all copies, below the 128 MB of memory of a Worker.
 */
const MAX_TEXT = 13_000_000

export type History = Pick<Import, 'pulled'> & {
  commits: Commit[]
  /** The version tags of the branch. */
  tags: Version[]
}

/** A commit whose release is not known yet. */
type ReadCommit = Omit<Commit, 'version'> & { parents: string[] }

/**
 * Reads the commits of the configured repository since the last import, and all tags. Never returns
 * a partial history.
 * @returns no commits if the branch is empty or has not changed
 * @throws {RepositoryUnavailableError} if the host fails
 * @throws {HistoryTooLargeError} if one import cannot hold it
 */
export async function readNewHistory(
  db: Database,
  settings: Settings,
  client = createGitHubClient(settings),
): Promise<History> {
  const source = sourceOf(settings)
  const lastHead = await getSyncCursor(db, source)
  const head = await readHead(client, settings.GIT_BRANCH)
  if (head === null || head === lastHead) return { commits: [], tags: [], pulled: null }

  const read = await readCommits(db, client, lastHead, head)
  const tags = await readTags(db, client, read)
  const releases = releasesByTag(read, tags)
  const commits = read.map((commit) => ({
    ...commit,
    version: releases.get(commit.hash) ?? null,
  }))
  return { commits, tags: tags.map(({ name }) => name), pulled: { source, head } }
}

/** Returns the name under which the last commit read from the configured branch is stored. */
function sourceOf({ GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH }: Settings): string {
  return [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
}

/** Returns the newest commit of a branch; null if there is none. */
async function readHead(client: GitHubClient, branch?: string): Promise<string | null> {
  try {
    const { value: rows } = await client.listCommits(branch).next()
    return rows?.[0]?.sha ?? null
  } catch (error) {
    if (error instanceof EmptyRepositoryError) return null
    throw error
  }
}

/**
 * Reads the commits of a branch since the last head, oldest first. After a force-push, or if the
 * host cannot compare the two, reads the whole branch.
 */
async function readCommits(
  db: Database,
  client: GitHubClient,
  lastHead: string | null,
  head: string,
): Promise<ReadCommit[]> {
  if (lastHead !== null) {
    const compared = await readComparison(db, client, lastHead, head)
    if (compared.length > 0) return compared
  }
  const newestFirst = await collectCommits(db, client.listCommits(head))
  return newestFirst.reverse()
}

/** Reads the commits between two others; none if the host cannot compare them. */
async function readComparison(
  db: Database,
  client: GitHubClient,
  base: string,
  head: string,
): Promise<ReadCommit[]> {
  try {
    return await collectCommits(db, client.compareCommits(base, head))
  } catch (error) {
    if (error instanceof RepositoryUnavailableError) return []
    throw error
  }
}

/**
 * Collects commits. Beyond the limits, known commits are looked up and lose their message, to save
 * memory.
 * @throws {HistoryTooLargeError} if there are too many new commits, or too much text of them
 */
async function collectCommits(
  db: Database,
  pages: Pages<CommitRow>,
): Promise<ReadCommit[]> {
  const old: ReadCommit[] = []
  let added: ReadCommit[] = []
  let size = 0
  for await (const rows of pages) {
    const commits = rows.map(parseRow)
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

function sizeOf(commits: ReadCommit[]): number {
  return JSON.stringify(commits).length
}

function parseRow({ sha, commit, parents }: CommitRow): ReadCommit {
  const { message, committer, author } = commit
  const dates = [committer, author].map((person) => parseDateTime(person?.date ?? ''))
  const isMerge = parents.length > 1 || isMergeMessage(message)
  return {
    hash: sha,
    date: dates.find((date) => date !== null) ?? new Date(0), // no commit stops a history
    change: isMerge ? null : parseMessage(message),
    parents: parents.map((parent) => parent.sha),
  }
}

/** Reads the version tags of the branch: those of commits read now or imported before. */
async function readTags(
  db: Database,
  client: GitHubClient,
  commits: ReadCommit[],
): Promise<Tag[]> {
  const tags: Tag[] = []
  for await (const rows of client.listTags()) {
    for (const { name, commit } of rows) {
      if (isVersion(name)) tags.push({ name, hash: commit.sha })
    }
  }

  const hashes = tags.map(({ hash }) => hash)
  const onBranch = await listKnownCommits(db, hashes)
  for (const { hash } of commits) onBranch.add(hash)
  return tags.filter(({ hash }) => onBranch.has(hash))
}
