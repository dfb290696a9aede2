import * as z from 'zod/mini'
import {
  getSyncCursor,
  type Import,
  listKnownCommits,
  readReleases,
} from '../database/changelog-imports.ts'
import type { Database } from '../database/client.ts'
import type { ImportInput } from '../domain/changelog-import.ts'
import { commitHash } from '../domain/changelog.ts'
import { type Commit, type ParsedCommit, parseCommit } from '../domain/commits.ts'
import { type GraphCommit, sortByVersion } from '../domain/releases.ts'
import { parseDateTime } from '../domain/timestamps.ts'
import { ValidationError } from '../http/errors.ts'
import type { Settings } from '../settings.ts'
import {
  createPageReader,
  type PageReader,
  RepositoryUnavailableError,
  TOO_LARGE,
} from './client.ts'

const MAX_NEW_COMMITS = 10_000
const TOO_MANY_COMMITS = 'Há mais de 10.000 commits novos: importe-os com changelog:sync.'

/** Characters of JSON of what is kept of their messages; with all copies, below the 128 MB of memory of a Worker. */
const MAX_TEXT = 13_000_000

type CommitRow = z.infer<typeof commitRow>
type Pages = AsyncGenerator<CommitRow[], void>

const signature = z.nullish(z.object({ date: z.string() }))
const commitRow = z.object({
  sha: commitHash,
  commit: z.object({ message: z.string(), committer: signature, author: signature }),
  parents: z.optional(z.array(z.object({ sha: commitHash }))),
})
const tagRow = z.object({ name: z.string(), commit: z.object({ sha: commitHash }) })

/**
 * Reads the commits of the configured repository since the last import, and all tags. Never returns a partial history.
 * @returns no commits if the branch is empty or has not changed
 * @throws {RepositoryUnavailableError} if the server fails
 * @throws {ValidationError} if there is too much for one import
 */
export async function readNewHistory(
  db: Database,
  settings: Settings,
  readPages = createPageReader(settings),
): Promise<ImportInput & Pick<Import, 'pulled'>> {
  const { GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH } = settings
  const source = [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
  const base = await getSyncCursor(db, source)
  const newest = await listCommits(readPages, GIT_BRANCH).next()
  const head = newest.value?.[0]?.sha
  if (!head || head === base) return { commits: [], tags: [], pulled: null }

  const commits = await readBeyond(readPages, base, head, (pages) => collectCommits(db, pages))
  const rows = (await Array.fromAsync(readPages('tags', {}, tagRow, ({ name }) => name))).flat()
  const tags = rows.map(({ name, commit }) => ({ name, hash: commit.sha }))
  const onBranch = new Set(commits.map(({ hash }) => hash))
  const released = sortByVersion(tags).map(({ hash }) => hash)
  const { read, merged } = await readReleases(db, released, [...onBranch])
  const unread = released.filter((hash) => !read.has(hash))
  const offBranch = await readOffBranch(readPages, head, unread, onBranch)
  return {
    commits,
    tags,
    offBranch: [...merged, ...offBranch],
    pulled: { source, head, offBranch },
  }
}

/** A commit and its ancestors, newest first; of the default branch if it is undefined. */
const listCommits = (readPages: PageReader, sha?: string): Pages =>
  readPages('commits', sha ? { sha } : {}, commitRow, ({ sha }) => sha)

/**
 * Collects the commits reachable from `head` but not from `base`. Where the server cannot compare them, or finds
 * nothing between, as Gitea does for unrelated commits, it collects all that are reachable from `head`.
 */
async function readBeyond<Collected>(
  readPages: PageReader,
  base: string | null,
  head: string,
  collect: (pages: Pages) => Promise<Collected[]>,
): Promise<Collected[]> {
  try {
    const path = `compare/${base}...${head}`
    const compared = base ? await collect(readPages(path, {}, commitRow, ({ sha }) => sha)) : []
    if (compared.length > 0) return compared
  } catch (error) {
    if (!(error instanceof RepositoryUnavailableError)) throw error
  }
  return collect(listCommits(readPages, head))
}

/**
 * Collects the commits of all pages. Above the limit, known commits are looked up. They keep their place in the history
 * but not their message, to save memory.
 */
async function collectCommits(db: Database, pages: Pages): Promise<ParsedCommit[]> {
  const old: ParsedCommit[] = []
  let added: ParsedCommit[] = []
  let size = 0
  for await (const page of pages) {
    const commits = page.map((row) => parseCommit(toCommit(row)))
    added.push(...commits)
    size += JSON.stringify(commits).length
    if (added.length <= MAX_NEW_COMMITS && size <= MAX_TEXT) continue
    const hashes = added.map(({ hash }) => hash)
    const known = await listKnownCommits(db, hashes)
    for (const commit of added) if (known.has(commit.hash)) old.push({ ...commit, change: null })
    added = added.filter(({ hash }) => !known.has(hash))
    if (added.length > MAX_NEW_COMMITS) throw new ValidationError({ commits: [TOO_MANY_COMMITS] })
    size = JSON.stringify(added).length
    if (size > MAX_TEXT) throw new ValidationError({ commits: [TOO_LARGE] })
  }
  return [...old, ...added]
}

/**
 * Reads the commits that are reachable only from some release tags. The highest tags go first, because a release
 * branch also contains its lower tags.
 * @param released the commits of the tags, lowest first
 */
async function readOffBranch(
  readPages: PageReader,
  head: string,
  released: string[],
  onBranch: Set<string>,
) {
  const found = new Map<string, GraphCommit>()
  for (const tagged of released.toReversed()) {
    if (onBranch.has(tagged) || found.has(tagged)) continue
    const nodes = await readBeyond(readPages, head, tagged, collectNodes)
    for (const node of nodes) if (!onBranch.has(node.hash)) found.set(node.hash, node)
  }
  return [...found.values()]
}

const collectNodes = async (pages: Pages) =>
  (await Array.fromAsync(pages, (page) => page.map(toNode))).flat()

const toNode = ({ sha, parents }: CommitRow): GraphCommit => ({
  hash: sha,
  parents: parents?.map((parent) => parent.sha) ?? null,
})

function toCommit(row: CommitRow): Commit {
  const { message, committer, author } = row.commit
  const date = parseDateTime(committer?.date ?? author?.date ?? '')
  if (!date) throw new RepositoryUnavailableError('a commit without a date')
  return { ...toNode(row), message, date }
}
