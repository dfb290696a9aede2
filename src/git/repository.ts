import { getSyncCursor, type Import } from '../database/changelog-imports.ts'
import type { Database } from '../database/client.ts'
import type { ImportInput } from '../domain/changelog-import.ts'
import type { Tag } from '../domain/releases.ts'
import type { Settings } from '../settings.ts'
import { createGitClient, type GitClient } from './client.ts'
import { collectCommits, readRange } from './commits.ts'
import { readOffBranch } from './off-branch.ts'

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
  if (head === undefined || head === lastHead) {
    return { commits: [], tags: [], pulled: null }
  }

  const commits = await readRange(client, lastHead, head, (pages) => collectCommits(db, pages))
  const tags = await readTags(client)
  const { stored, added } = await readOffBranch(db, client, { head, commits }, tags)
  return {
    commits,
    tags,
    offBranch: [...stored, ...added],
    pulled: { source, head, offBranch: added },
  }
}

/** The name of a branch of a repository among those that were ever configured. */
function sourceOf({ GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH }: Settings): string {
  return [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
}

/** The newest commit of a branch; undefined if there is none. */
async function readHead(client: GitClient, branch?: string): Promise<string | undefined> {
  const firstPage = await client.listCommits(branch).next()
  return firstPage.value?.[0]?.sha
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
