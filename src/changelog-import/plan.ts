import type { ParsedMessage } from './commit-messages.ts'
import type { NewDraft } from '#database/changelog/imports.ts'
import {
  highestReleaseType,
  highestVersion,
  nextVersion,
  type Version,
} from '#domain/versions.ts'

/** A commit to import. */
export type Commit = {
  /** 7 to 64 lower-case hex digits. */
  hash: string
  date: Date
  /** What an entry keeps of its message; null for a merge. */
  change: ParsedMessage | null
  /** Null if it belongs to the next release. */
  version: Version | null
}

/** The state of earlier imports. */
type ImportState = {
  /** The hashes of the commits. */
  known: Set<string>
  /** The highest version of an entry. */
  highest: Version | null
}

/**
 * Plans which commits become entries, and of which versions. Skips known commits, and merges, whose
 * `change` is null (`history.ts`, and `sync.ts` of the routes). Commits without a version form the
 * next release: the highest version of an entry, a tag or a commit, raised by their highest release
 * type.
 * @param tags versions of the repository
 * @returns the entries, oldest first; of one date in the order of the commits
 */
export function planImport(
  commits: Commit[],
  tags: Version[],
  { known, highest }: ImportState,
): NewDraft[] {
  const byHash = new Map(commits.map((commit) => [commit.hash, commit]))
  const added = [...byHash.values()].filter(({ hash }) => !known.has(hash))
  const unreleased = added.filter(({ version }) => !version)

  const versions = [highest, ...tags, ...commits.map(({ version }) => version)]
  const rise = highestReleaseType(
    unreleased.flatMap(({ change }) => change?.releaseType ?? []),
  )
  const next = nextVersion(
    highestVersion(versions.filter((version) => version !== null)),
    rise,
  )

  const entries: NewDraft[] = []
  for (const commit of added.sort((one, other) => +one.date - +other.date)) {
    if (commit.change) entries.push(toEntry(commit, commit.change, next))
  }
  return entries
}

function toEntry(
  { hash, date, version }: Commit,
  { title, description, category }: ParsedMessage,
  next: Version,
): NewDraft {
  return {
    version: version ?? next,
    date: date.toISOString().slice(0, 10),
    title,
    description,
    category,
    git_commit_hash: hash,
  }
}
