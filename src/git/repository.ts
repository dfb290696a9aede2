import { getSyncCursor, type Import } from '../database/changelog-imports.ts'
import type { Database } from '../database/client.ts'
import type { ImportInput } from '../domain/changelog-import.ts'
import type { Tag } from '../domain/releases.ts'
import type { Settings } from '../settings.ts'
import { type CommitRow, createGitClient, type GitClient } from './client.ts'
import { collectCommits, readRange } from './commits.ts'
import { EmptyRepositoryError } from './errors.ts'
import { readOffBranch } from './off-branch.ts'
import type { Pages } from './pages.ts'

export type NewHistory = ImportInput & Pick<Import, 'pulled'>

/**
 * Reads the commits of the configured repository since the last import, and all tags. Never returns
 * a partial history.
 * @returns no commits if the branch is empty or has not changed
 * @throws {RepositoryUnavailableError} if the server fails
 * @throws {HistoryTooLargeError} if there is too much for one import
 */
export async function readNewHistory(
  db: Database,
  settings: Settings,
  client = createGitClient(settings),
): Promise<NewHistory> {
  const source = sourceOf(settings)
  const lastHead = await getSyncCursor(db, source)
  const head = await readHead(client, settings.GIT_BRANCH)
  if (head === null || head === lastHead) {
    return {
      commits: [],
      tags: [],
      pulled: null,
    }
  }

  const collect = (pages: Pages<CommitRow>) => collectCommits(db, pages)
  const commits = await readRange(client, lastHead, head, collect)
  const tags = await readTags(client)
  const branch = { head, commits }
  const { stored, added } = await readOffBranch(db, client, branch, tags)
  return {
    commits,
    tags,
    offBranch: [...stored, ...added],
    pulled: {
      source,
      head,
      offBranch: added,
    },
  }
}

/** The name of a branch of a repository among those that were ever configured. */
function sourceOf({ GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH }: Settings): string {
  return [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
}

/** The newest commit of a branch; null if there is none. */
async function readHead(client: GitClient, branch?: string): Promise<string | null> {
  try {
    const { value: rows } = await client.listCommits(branch).next()
    return rows?.[0]?.sha ?? null
  } catch (error) {
    if (error instanceof EmptyRepositoryError) return null
    throw error
  }
}

async function readTags(client: GitClient): Promise<Tag[]> {
  const tags: Tag[] = []
  for await (const rows of client.listTags()) {
    for (const { name, commit } of rows) {
      tags.push({ name, hash: commit.sha })
    }
  }
  return tags
}
