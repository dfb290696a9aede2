import type { Actor } from '../database/audit-events.ts'
import { importEntries, readImportState, type SyncCursor } from '../database/changelog-imports.ts'
import type { Database } from '../database/client.ts'
import { type Commit, isMerge, parseMessage } from '../domain/commits.ts'
import { type GraphCommit, nextReleaseVersion, releasesByTag, sortTopologically } from '../domain/releases.ts'
import { timestamp } from '../domain/timestamps.ts'
import { isVersion, type ReleaseType, type Version } from '../domain/versions.ts'

/** A commit to import; its own version takes precedence over tags. */
type CommitInput = Commit & { version?: Version | null | undefined }

/** The input of one import. */
export type ImportInput = {
  commits: CommitInput[]
  /** Commits reachable only from tags. */
  offBranch?: GraphCommit[]
  /** All tags, including those of other commits. */
  tags: string[]
  /** The minimum release type of the next release. */
  bump?: ReleaseType | null | undefined
  cursor?: SyncCursor | null
}

/** Imports commits as drafts, skipping merges and known commits. Two round trips. */
export async function importCommits(
  db: Database,
  { commits, offBranch, tags, bump, cursor }: ImportInput,
  actor: Actor,
  now = new Date(),
) {
  const unique = dedupe(commits)
  const { known, highest } = await readImportState(
    db,
    unique.map(({ hash }) => hash),
  )
  const releases = releasesByTag(unique, offBranch)
  const added = unique.filter(({ hash }) => !known.has(hash))
  const merges = added.filter(isMerge)
  const drafts = sortTopologically(added.filter((commit) => !isMerge(commit))).map((commit) => ({
    ...parseMessage(commit.message),
    commit,
    version: commit.version ?? releases.get(commit.hash),
  }))
  const unreleased = drafts.filter(({ version }) => !version)
  const versions = [...(highest ? [highest] : []), ...tags.filter(isVersion)]
  const next = nextReleaseVersion(unreleased, versions, bump ?? undefined)

  const entries = await importEntries(
    db,
    drafts.map(({ commit, version, title, description, category }, position) => ({
      id: crypto.randomUUID(),
      version: version ?? next,
      date: commit.date.toISOString().slice(0, 10),
      title,
      description,
      category,
      git_commit_hash: commit.hash,
      created_at: timestamp(now, position), // in history order
    })),
    merges.map(({ hash }) => hash),
    cursor ?? null,
    actor,
  )
  return { imported: entries.length, skipped: commits.length - entries.length, entries }
}

/** Removes duplicates: keeps the first of each commit, with the tags of all. */
function dedupe(commits: CommitInput[]): CommitInput[] {
  return [...Map.groupBy(commits, ({ hash }) => hash).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, tags: [...first.tags, ...others.flatMap(({ tags }) => tags)] }] : [],
  )
}
