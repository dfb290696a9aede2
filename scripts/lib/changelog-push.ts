import { parseMessage } from '../../src/domain/commits.ts'
import { changeOf, inHistoryOrder, releasesByTag } from '../../src/domain/releases.ts'
import { CHANGES, compareVersions, isVersion, type Version } from '../../src/domain/versions.ts'
import type { LocalHistory } from './git-history.ts'
import { postJson, type Service } from './service-client.ts'

const MAX_COMMITS = 1000
/** Below the mebibyte that one call takes. */
const MAX_BYTES = 900_000
/** An entry shows 10,000 characters of a message; a longer one is not worth a call of its own. */
const MAX_MESSAGE = 50_000

type SentCommit = { hash: string; message: string; date: string; parents: string[] | null; version?: string }
type Synced = { imported: number; skipped: number; entries: { version: string }[] }

/**
 * Sends a history to the service, in as few calls as it takes. Repeating it sends the same and changes nothing.
 *
 * @param onCall hears what the service has taken after each call: a call that fails takes nothing
 */
export async function pushHistory(
  service: Service,
  { commits, offBranch, tags }: LocalHistory,
  onCall: (synced: Synced) => void,
  maxCommits = MAX_COMMITS,
): Promise<void> {
  const releases = releasesByTag(commits, offBranch)
  const highest = tags.filter(isVersion).sort(compareVersions).slice(-1)
  const send = async (commits: SentCommit[]) => {
    const synced = await postJson<Synced>(service, '/changelogs/sync-from-git', { commits, tags: highest })
    onCall(synced)
    return synced
  }

  const sent = inHistoryOrder(commits).map(({ hash, message, date, parents }) => ({
    change: CHANGES.indexOf(changeOf(parseMessage(message))),
    version: releases.get(hash),
    commit: { hash, message: message.slice(0, MAX_MESSAGE), date: date.toISOString(), parents },
  }))
  const released = sent.flatMap(({ commit, version }) => (version ? { ...commit, version } : []))
  for (const call of calls(released, maxCommits)) await send(call)

  // The rest shares one version, which the first call decides that imports any: so what asks for most goes first.
  const unreleased = sent.filter(({ version }) => !version).sort((one, other) => other.change - one.change)
  let next: Version | undefined
  for (const call of calls(
    unreleased.map(({ commit }) => commit),
    maxCommits,
  )) {
    const synced = await send(next ? call.map((commit) => ({ ...commit, version: next })) : call)
    next ??= synced.entries[0]?.version as Version | undefined
  }
}

/** Commits in as few calls as the service takes. */
function calls(commits: SentCommit[], maxCommits: number): SentCommit[][] {
  const groups: SentCommit[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const commit of commits) {
    const size = Buffer.byteLength(JSON.stringify(commit)) + 1
    if (bytes + size > MAX_BYTES || groups.at(-1)?.length === maxCommits) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(commit)
    bytes += size
  }
  return groups
}
