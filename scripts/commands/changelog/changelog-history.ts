import * as z from 'zod/mini'
import type { Service } from '../service/service-call.ts'
import { send } from '../service/service-client.ts'
import type { LocalHistory } from './local-history.ts'
import { parseMessage } from '#changelog-import/commit-messages.ts'
import type { Commit } from '#changelog-import/commits.ts'
import {
  releasesByTag,
  sortByVersion,
  sortTopologically,
} from '#changelog-import/releases.ts'
import { isVersion, RELEASE_TYPES, type Version } from '#domain/versions.ts'

const MAX_COMMITS = 1000
/** Below the request limit of 1 MiB. */
const MAX_BYTES = 900_000
type SentCommit = Omit<Commit, 'date'> & {
  date: string
  version?: Version
}

const count = z.int().check(z.nonnegative())
const version = z.custom<Version>(
  (value) => typeof value === 'string' && isVersion(value),
)
const syncResult = z.object({
  imported: count,
  skipped: count,
  entries: z.array(z.looseObject({ version })),
})
type SyncResult = z.infer<typeof syncResult>

/**
 * Sends a history to the service, in as few requests as possible. Idempotent.
 * @param onSync called after each successful request; a failed one imports nothing
 */
export async function pushHistory(
  service: Service,
  { commits, tags }: LocalHistory,
  onSync: (result: SyncResult) => void,
  maxCommits = MAX_COMMITS,
): Promise<void> {
  const releases = releasesByTag(commits, tags)
  const highest = sortByVersion(tags).slice(-1)
  const push = async (batch: SentCommit[]) => {
    const body = { commits: batch, tags: highest.map(({ name }) => name) }
    const path = '/changelogs/sync-from-git'
    const result = await send(service, 'POST', path, body, syncResult)
    onSync(result)
    return result
  }

  const sorted = sortTopologically(commits)
  const released = sorted.filter(({ hash }) => releases.has(hash))
  const sent = released.map((commit) => toSent(commit, releases.get(commit.hash)))
  for (const batch of toBatches(sent, maxCommits)) {
    await push(batch)
  }

  const unreleased = byImportance(sorted.filter(({ hash }) => !releases.has(hash)))
  let next: Version | undefined
  for (const batch of toBatches(
    unreleased.map((commit) => toSent(commit)),
    maxCommits,
  )) {
    const { entries } = await push(batch.map((commit) => withVersion(commit, next)))
    next ??= entries[0]?.version
  }
}

/**
 * Unreleased commits share the version of the first entry imported, so the highest release types
 * go first.
 */
function byImportance(commits: Commit[]): Commit[] {
  const rankOf = ({ message }: Commit) => RELEASE_TYPES.indexOf(typeOf(message))
  return commits.toSorted((one, other) => rankOf(other) - rankOf(one))
}

const typeOf = (message: string) => parseMessage(message).releaseType

const toSent = (commit: Commit, version?: Version): SentCommit =>
  withVersion({ ...commit, date: commit.date.toISOString() }, version)

const withVersion = (commit: SentCommit, version: Version | undefined): SentCommit =>
  version ? { ...commit, version } : commit

/** Splits commits into as few batches as the limits of the service allow. */
function toBatches(commits: SentCommit[], maxCommits: number): SentCommit[][] {
  const batches: SentCommit[][] = []
  let room = 0
  for (const commit of commits) {
    const size = Buffer.byteLength(JSON.stringify(commit)) + 1
    if (size > room || batches.at(-1)?.length === maxCommits) {
      batches.push([])
      room = MAX_BYTES
    }
    batches.at(-1)?.push(commit)
    room -= size
  }
  return batches
}
