import { parseMessage } from '../../src/domain/commits.ts'
import { releasesByTag, sortByVersion, sortTopologically } from '../../src/domain/releases.ts'
import { RELEASE_TYPES, type Version } from '../../src/domain/versions.ts'
import type { LocalHistory } from './git-history.ts'
import { send, type Service } from './service-client.ts'

const MAX_COMMITS = 1000
/** Below the request limit of 1 MiB. */
const MAX_BYTES = 900_000
/** An entry has at most 10,000 characters; the rest of a longer message is not worth sending. */
const MAX_MESSAGE = 50_000

type SentCommit = { hash: string; message: string; date: string; parents: string[] | null; version?: string }
type SyncResult = { imported: number; skipped: number; entries: { version: string }[] }

/**
 * Sends a history to the service, in as few requests as possible. Idempotent.
 *
 * @param onSync called after each successful request; a failed one imports nothing
 */
export async function pushHistory(
  service: Service,
  { commits, offBranch, tags }: LocalHistory,
  onSync: (result: SyncResult) => void,
  maxCommits = MAX_COMMITS,
): Promise<void> {
  const releases = releasesByTag(commits, tags, offBranch)
  const highest = sortByVersion(tags)
    .slice(-1)
    .map(({ name }) => name)
  const push = async (commits: SentCommit[]) => {
    const result = await send<SyncResult>(service, 'POST', '/changelogs/sync-from-git', {
      commits,
      tags: highest,
    })
    onSync(result)
    return result
  }

  const sent = sortTopologically(commits).map(({ hash, message, date, parents }) => {
    const { releaseType } = parseMessage(message)
    const kept = message.length <= MAX_MESSAGE ? message : cut(message, releaseType === 'major')
    return {
      rank: RELEASE_TYPES.indexOf(releaseType),
      version: releases.get(hash),
      commit: { hash, message: kept, date: date.toISOString(), parents },
    }
  })
  const released = sent.flatMap(({ commit, version }) => (version ? { ...commit, version } : []))
  for (const batch of toBatches(released, maxCommits)) await push(batch)

  // Unreleased commits share the version of the first entry imported, so the highest release types go first.
  const unreleased = sent.filter(({ version }) => !version).sort((one, other) => other.rank - one.rank)
  let next: Version | undefined
  for (const batch of toBatches(
    unreleased.map(({ commit }) => commit),
    maxCommits,
  )) {
    const result = await push(next ? batch.map((commit) => ({ ...commit, version: next })) : batch)
    next ??= result.entries[0]?.version as Version | undefined
  }
}

/** Cuts a message to what an entry keeps of it. */
const cut = (message: string, isBreaking: boolean) =>
  message.slice(0, MAX_MESSAGE) + (isBreaking ? '\n\nBREAKING CHANGE: …' : '')

/** Splits commits into as few batches as the limits of the service allow. */
function toBatches(commits: SentCommit[], maxCommits: number): SentCommit[][] {
  const batches: SentCommit[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const commit of commits) {
    const size = Buffer.byteLength(JSON.stringify(commit)) + 1
    if (bytes + size > MAX_BYTES || batches.at(-1)?.length === maxCommits) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(commit)
    bytes += size
  }
  return batches
}
