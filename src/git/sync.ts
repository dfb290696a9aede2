import type { Actor } from '../database/audit-events.ts'
import type { Database } from '../database/client.ts'
import { importEntries, readImportState, type SyncCursor } from '../database/imports.ts'
import { type Commit, isMerge, parseMessage } from '../domain/commits.ts'
import { inHistoryOrder, nextRelease, releasesByTag } from '../domain/releases.ts'
import { timestamp } from '../domain/timestamps.ts'
import { isVersion, type Version } from '../domain/versions.ts'

/** A commit to import; a version that was sent with it counts before any tag. */
type SentCommit = Commit & { version?: Version | null | undefined }

/** What one import is given: commits, and every tag of the call, also on commits that are not among them. */
export type SentHistory = { commits: SentCommit[]; tags: string[]; read?: SyncCursor }

/**
 * Imports commits as drafts: merges and commits that are known already are passed over. Two round trips.
 */
export async function importCommits(
  db: Database,
  { commits, tags, read }: SentHistory,
  actor: Actor,
  now = new Date(),
) {
  const unique = once(commits)
  const { known, highest } = await readImportState(
    db,
    unique.map(({ hash }) => hash),
  )
  const releases = releasesByTag(unique)
  const versionOf = (commit: SentCommit) => commit.version ?? releases.get(commit.hash)

  const fresh = inHistoryOrder(unique.filter((commit) => !known.has(commit.hash) && !isMerge(commit))).map(
    (commit) => ({ ...parseMessage(commit.message), commit, version: versionOf(commit) }),
  )
  const unreleased = fresh.filter(({ version }) => !version)
  const versions = [...(highest ? [highest] : []), ...tags.filter(isVersion)]
  const next = nextRelease(unreleased, versions)

  const entries = await importEntries(
    db,
    fresh.map(({ commit, version, title, description, category }, position) => ({
      id: crypto.randomUUID(),
      version: version ?? next,
      date: commit.date.toISOString().slice(0, 10),
      title,
      description,
      category,
      git_commit_hash: commit.hash,
      created_at: timestamp(now, position), // in the order of history
    })),
    read ?? null,
    actor,
  )
  return { imported: entries.length, skipped: commits.length - entries.length, entries }
}

/** Each commit once, as it was sent first, with all the tags that it was sent with. */
function once(commits: SentCommit[]): SentCommit[] {
  return [...Map.groupBy(commits, ({ hash }) => hash).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, tags: [...first.tags, ...others.flatMap(({ tags }) => tags)] }] : [],
  )
}
