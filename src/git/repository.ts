import * as z from 'zod/mini'
import type { Commit } from '../domain/commits.ts'
import type { GraphCommit } from '../domain/releases.ts'
import { parseDateTime } from '../domain/timestamps.ts'
import { compareVersions, isVersion, type Version } from '../domain/versions.ts'
import { type GitClient, RepositoryUnavailable } from './client.ts'

/** What a Worker can read and store in one request, with its memory of 128 MB. */
const MAX_NEW_COMMITS = 10_000

/** Release branches beyond this are not read: an abandoned history may have left a thousand tags behind. */
const MAX_RELEASE_BRANCHES = 300

/** There are more than MAX_NEW_COMMITS commits that are not known yet. */
export class TooManyCommits extends Error {}

type CommitRow = z.infer<typeof commitRow>
type Tag = z.infer<typeof tagPage>[number]
type Pages = AsyncGenerator<CommitRow[], void>
type ListKnown = (hashes: string[]) => Promise<Set<string>>

/** What is new in a repository. */
export type RepositoryHistory = {
  /** The newest commit of the branch; null where it is empty. */
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
 * Reads the commits of a branch that are not in the past of one that was read before, or all of them where
 * there is none, or where the server cannot compare the two. Everything or nothing.
 *
 * @param base the head of the branch when it was last read; null for the whole history
 * @param listKnown which of some commits an import has had already
 * @throws {RepositoryUnavailable} where the server does not respond as it should
 * @throws {TooManyCommits}
 */
export async function readHistory(
  client: GitClient,
  branch: string | undefined,
  base: string | null,
  listKnown: ListKnown,
): Promise<RepositoryHistory> {
  const pages = client.pages('commits', branch ? { sha: branch } : {}, commitPage, ({ sha }) => sha)
  const newest = await readNewest(pages)
  const head = newest[0]?.sha ?? null
  if (head === null || head === base) return { head, commits: [], offBranch: [], tags: [] }

  const added = base && (await unlessIncomparable(collect(compare(client, base, head), listKnown)))
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

/** The first page of a branch, which begins with its head. */
async function readNewest(pages: Pages): Promise<CommitRow[]> {
  try {
    const first = await pages.next()
    return first.value ?? []
  } catch (error) {
    if (error instanceof RepositoryUnavailable && error.status === 409) return [] // the repository is empty
    throw error
  }
}

async function* resume(first: CommitRow[], rest: Pages): Pages {
  yield first
  yield* rest
}

/** The commits in the past of one commit that are not in the past of another. */
const compare = (client: GitClient, base: string, head: string): Pages =>
  client.pages(`compare/${base}...${head}`, {}, comparisonPage, ({ sha }) => sha)

/** Null where one of two commits is gone, or has nothing to do with the other; or is too far from it. */
async function unlessIncomparable(comparison: Promise<CommitRow[]>): Promise<CommitRow[] | null> {
  try {
    return await comparison
  } catch (error) {
    const status = (error instanceof RepositoryUnavailable && error.status) || 0
    if (status === 404 || status >= 500) return null
    throw error
  }
}

/**
 * Every row of some pages, unless too many are new. What is known is looked up when there seem to be; it stays
 * for its place in history alone, without its message, so that a long one fits into memory.
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
    if (added.length > MAX_NEW_COMMITS) throw new TooManyCommits()
  }
  return [...old, ...added]
}

/**
 * The commits that version tags outside of a history lead to, as far as they are not in its past. The highest
 * tags come first, for a release branch holds the lower ones.
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
    for (const row of (await unlessIncomparable(comparison)) ?? []) {
      if (read.has(row.sha)) continue
      read.set(row.sha, row)
      found.push(row)
    }
  }
  return found
}

function dateOf({ commit }: CommitRow): Date {
  const date = parseDateTime(commit.committer?.date ?? commit.author?.date ?? '')
  if (!date) throw new RepositoryUnavailable('a commit without a date')
  return date
}
