import type { Actor } from '../database/audit-events.ts'
import type { Database } from '../database/client.ts'
import { importEntries, readImportState, type SyncCursor } from '../database/imports.ts'
import { type Commit, isMerge, parseMessage } from '../domain/commits.ts'
import { type GraphCommit, inHistoryOrder, nextRelease, releasesByTag } from '../domain/releases.ts'
import { timestamp } from '../domain/timestamps.ts'
import { type Change, isVersion, type Version } from '../domain/versions.ts'

/** A commit to import; a version that was sent with it counts before any tag. */
export type CommitInput = Commit & { version?: Version | null | undefined }

/** What one import is given. */
export type History = {
  commits: CommitInput[]
  /** Commits that only tags lead to. */
  offBranch?: GraphCommit[]
  /** Every tag of the call, also those of commits that are not among these. */
  tags: string[]
  /** The least by which the next release rises. */
  bump?: Change | null | undefined
  cursor?: SyncCursor | null
}

/**
 * Imports commits as drafts: merges and commits that are known already are passed over. Two round trips.
 */
export async function importCommits(
  db: Database,
  { commits, offBranch, tags, bump, cursor }: History,
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
  const drafts = inHistoryOrder(added.filter((commit) => !isMerge(commit))).map((commit) => ({
    ...parseMessage(commit.message),
    commit,
    version: commit.version ?? releases.get(commit.hash),
  }))
  const unreleased = drafts.filter(({ version }) => !version)
  const versions = [...(highest ? [highest] : []), ...tags.filter(isVersion)]
  const next = nextRelease(unreleased, versions, bump ?? undefined)

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
      created_at: timestamp(now, position), // in the order of history
    })),
    merges.map(({ hash }) => hash),
    cursor ?? null,
    actor,
  )
  return { imported: entries.length, skipped: commits.length - entries.length, entries }
}

/** Each commit once, as it was sent first, with all the tags that it was sent with. */
function dedupe(commits: CommitInput[]): CommitInput[] {
  return [...Map.groupBy(commits, ({ hash }) => hash).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, tags: [...first.tags, ...others.flatMap(({ tags }) => tags)] }] : [],
  )
}
