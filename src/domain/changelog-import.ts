import type { ParsedCommit, ParsedMessage } from './commits.ts'
import { type GraphCommit, releasesByTag, sortTopologically, type Tag } from './releases.ts'
import {
  highestReleaseType,
  highestVersion,
  isVersion,
  nextVersion,
  type ReleaseType,
  type Version,
} from './versions.ts'

/** The input of one import. */
export type ImportInput = {
  /** Their own versions take precedence over tags. */
  commits: (ParsedCommit & { version?: Version | null })[]
  /** Commits reachable only from tags. */
  offBranch?: GraphCommit[]
  tags: Tag[]
  /** Names of other tags of the repository. */
  otherTags?: string[] | null
  /** The minimum release type of the next release. */
  bump?: ReleaseType | null
}

/** An entry to import, as a draft. */
export type PlannedEntry = Omit<ParsedMessage, 'releaseType'> & {
  version: Version
  date: string
  git_commit_hash: string
}

/**
 * Plans which commits become entries, and of which versions. Skips merges and known commits. Commits of no release
 * form the next one: the highest known version, raised by their highest release type.
 * @param known the hashes of commits that are already imported
 * @param highest the highest version of an entry
 * @returns the entries, oldest first
 */
export function planImport(
  { commits, offBranch, tags, otherTags, bump }: ImportInput,
  { known, highest }: { known: Set<string>; highest: Version | null },
): PlannedEntry[] {
  const releases = releasesByTag(commits, tags, offBranch)
  const added = sortTopologically(commits.filter(({ hash }) => !known.has(hash)))
  const changes = added.flatMap(({ change, hash, date, version }) =>
    change ? [{ ...change, hash, date, version: version ?? releases.get(hash) }] : [],
  )
  const types = changes.flatMap(({ releaseType, version }) => (version ? [] : releaseType))
  const names = [highest ?? '', ...tags.map(({ name }) => name), ...(otherTags ?? [])]
  const next = nextVersion(
    highestVersion(names.filter(isVersion)),
    highestReleaseType(bump ? [bump, ...types] : types),
  )
  return changes.map(({ title, description, category, hash, date, version = next }) => ({
    version,
    date: date.toISOString().slice(0, 10),
    title,
    description,
    category,
    git_commit_hash: hash,
  }))
}
