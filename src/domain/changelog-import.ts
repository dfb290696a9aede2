import type { ParsedCommit, ParsedMessage } from './commits.ts'
import { type GraphCommit, nextReleaseVersion, releasesByTag, sortTopologically } from './releases.ts'
import { isVersion, type ReleaseType, type Version } from './versions.ts'

/** The input of one import. */
export type ImportInput = {
  /** Their own versions take precedence over tags. */
  commits: (ParsedCommit & { version?: Version | null | undefined })[]
  /** Commits reachable only from tags. */
  offBranch?: GraphCommit[]
  /** All tags, including those of other commits. */
  tags: string[]
  /** The minimum release type of the next release. */
  bump?: ReleaseType | null | undefined
}

/** An entry to import, as a draft. */
export type PlannedEntry = Pick<ParsedMessage, 'category' | 'title' | 'description'> & {
  version: Version
  date: string
  git_commit_hash: string
}

/**
 * Plans which commits become entries, and of which versions. Skips merges and known commits.
 *
 * @param known the hashes of commits that are already imported
 * @param highest the highest version of an entry
 * @returns the entries, oldest first, and the hashes of all new commits
 */
export function planImport(
  { commits, offBranch, tags, bump }: ImportInput,
  { known, highest }: { known: Set<string>; highest: Version | null },
): { entries: PlannedEntry[]; added: string[] } {
  const unique = dedupe(commits)
  const releases = releasesByTag(unique, offBranch)
  const added = sortTopologically(unique.filter(({ hash }) => !known.has(hash)))
  const changes = added.flatMap(({ change, ...commit }) =>
    change ? [{ change, commit, version: commit.version ?? releases.get(commit.hash) }] : [],
  )
  const next = nextReleaseVersion(
    changes.flatMap(({ change, version }) => (version ? [] : change)),
    [...(highest ? [highest] : []), ...tags.filter(isVersion)],
    bump ?? undefined,
  )
  const entries = changes.map(({ change: { category, title, description }, commit, version = next }) => ({
    version,
    date: commit.date.toISOString().slice(0, 10),
    title,
    description,
    category,
    git_commit_hash: commit.hash,
  }))
  return { entries, added: added.map(({ hash }) => hash) }
}

/** Removes duplicates: keeps the first of each commit, with the tags of all. */
function dedupe<C extends GraphCommit>(commits: C[]): C[] {
  return [...Map.groupBy(commits, ({ hash }) => hash).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, tags: [...first.tags, ...others.flatMap(({ tags }) => tags)] }] : [],
  )
}
