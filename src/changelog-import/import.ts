import type { ParsedMessage } from './commit-messages.ts'
import type { ParsedCommit } from './commits.ts'
import { releasesByTag, sortTopologically, type Tag } from './releases.ts'
import {
  highestReleaseType,
  highestVersion,
  isVersion,
  nextVersion,
  type ReleaseType,
  type Version,
} from '#domain/versions.ts'

/** The input of one import. */
export type ImportInput = {
  /** Their own versions take precedence over tags. */
  commits: (ParsedCommit & { version?: Version | null })[]
  tags: Tag[]
  /** Names of other tags of the repository. */
  otherTags?: string[] | null
  /** The minimum release type of the next release. */
  bump?: ReleaseType | null
}

/** The state of earlier imports. */
export type ImportState = {
  /** The hashes of the commits. */
  known: Set<string>
  /** The highest version of an entry. */
  highest: Version | null
}

/** An entry to import, as a draft. */
export type PlannedEntry = Omit<ParsedMessage, 'releaseType'> & {
  version: Version
  date: string
  git_commit_hash: string
}

/** A new commit that becomes an entry; without a version it belongs to the next release. */
type Change = ParsedMessage & {
  hash: string
  date: Date
  version: Version | undefined
}

/**
 * Plans which commits become entries, and of which versions. Skips merges and known commits.
 * Commits of no release form the next one: the highest known version, raised by their highest
 * release type.
 * @returns the entries, oldest first
 */
export function planImport(input: ImportInput, state: ImportState): PlannedEntry[] {
  const changes = listChanges(input, state.known)
  const next = planNextVersion(input, changes, state.highest)
  return changes.map((change) => toEntry(change, next))
}

function listChanges({ commits, tags }: ImportInput, known: Set<string>): Change[] {
  const releases = releasesByTag(commits, tags)
  const added = commits.filter(({ hash }) => !known.has(hash))
  const changes: Change[] = []
  for (const { change, hash, date, version } of sortTopologically(added)) {
    if (!change) continue
    changes.push({
      ...change,
      hash,
      date,
      version: version ?? releases.get(hash),
    })
  }
  return changes
}

/** Plans the version of unreleased commits. */
function planNextVersion(
  { tags, otherTags, bump }: ImportInput,
  changes: Change[],
  highest: Version | null,
): Version {
  const versions = [...tags.map(({ name }) => name), ...(otherTags ?? [])].filter(
    isVersion,
  )
  if (highest) versions.push(highest)

  const types = bump ? [bump] : []
  for (const { releaseType, version } of changes) {
    if (!version) types.push(releaseType)
  }
  return nextVersion(highestVersion(versions), highestReleaseType(types))
}

function toEntry(change: Change, next: Version): PlannedEntry {
  return {
    version: change.version ?? next,
    date: change.date.toISOString().slice(0, 10),
    title: change.title,
    description: change.description,
    category: change.category,
    git_commit_hash: change.hash,
  }
}
