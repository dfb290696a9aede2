import type { ParsedCommit } from './commits.ts'
import { createGitClient, type GitClient } from './git-client.ts'
import { collectCommits } from './git-commits.ts'
import { EmptyRepositoryError, RepositoryUnavailableError } from './git-errors.ts'
import type { ImportInput } from './import.ts'
import type { Tag } from './releases.ts'
import {
  getSyncCursor,
  type Import,
  listKnownCommits,
} from '#database/changelog/imports.ts'
import type { Database } from '#database/client.ts'
import type { Settings } from '#settings.ts'

export type NewHistory = ImportInput & Pick<Import, 'pulled'>

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
  client = createGitClient(settings),
): Promise<NewHistory> {
  const source = sourceOf(settings)
  const lastHead = await getSyncCursor(db, source)
  const head = await readHead(client, settings.GIT_BRANCH)
  if (head === null || head === lastHead) return { commits: [], tags: [], pulled: null }

  const commits = await readCommits(db, client, lastHead, head)
  const tags = await readTags(db, client, commits)
  return { commits, tags, pulled: { source, head } }
}

/** Returns the name under which the last commit read from the configured branch is stored. */
function sourceOf({ GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH }: Settings): string {
  return [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
}

/** Returns the newest commit of a branch; null if there is none. */
async function readHead(client: GitClient, branch?: string): Promise<string | null> {
  try {
    const { value: rows } = await client.listCommits(branch).next()
    return rows?.[0]?.sha ?? null
  } catch (error) {
    if (error instanceof EmptyRepositoryError) return null
    throw error
  }
}

/**
 * Reads the commits of a branch since the last head. After a force-push, or if the host cannot
 * compare the two, reads the whole branch.
 */
async function readCommits(
  db: Database,
  client: GitClient,
  lastHead: string | null,
  head: string,
): Promise<ParsedCommit[]> {
  if (lastHead !== null) {
    const compared = await readComparison(db, client, lastHead, head)
    if (compared.length > 0) return compared
  }
  return collectCommits(db, client.listCommits(head))
}

/** Reads the commits between two others; none if the host cannot compare them. */
async function readComparison(
  db: Database,
  client: GitClient,
  base: string,
  head: string,
): Promise<ParsedCommit[]> {
  try {
    return await collectCommits(db, client.compareCommits(base, head))
  } catch (error) {
    if (error instanceof RepositoryUnavailableError) return []
    throw error
  }
}

/** Reads the tags of the branch: those of commits read now or imported before. */
async function readTags(
  db: Database,
  client: GitClient,
  commits: ParsedCommit[],
): Promise<Tag[]> {
  const tags: Tag[] = []
  for await (const rows of client.listTags()) {
    for (const { name, commit } of rows) tags.push({ name, hash: commit.sha })
  }

  const hashes = tags.map(({ hash }) => hash)
  const onBranch = await listKnownCommits(db, hashes)
  for (const { hash } of commits) onBranch.add(hash)
  return tags.filter(({ hash }) => onBranch.has(hash))
}
