import { execFileSync } from 'node:child_process'
import * as z from 'zod/mini'
import { parseMessage } from '../../src/domain/commit-messages.ts'
import type { Commit } from '../../src/domain/commits.ts'
import { releasesByTag, sortByVersion, sortTopologically } from '../../src/domain/releases.ts'
import { isVersion, RELEASE_TYPES, type Version } from '../../src/domain/versions.ts'
import type { Service } from './service-call.ts'
import { send } from './service-client.ts'

type LocalHistory = ReturnType<typeof readLocalHistory>

/** The history of a local repository: commits reachable from HEAD, and commits reachable only from tags. */
export function readLocalHistory(repo: string) {
  const read = (separator: string, ...args: string[]) =>
    git(repo, args).split(separator).filter(Boolean)

  // plumbing commands only, so user configuration has no effect; for an annotated tag, *objectname is the tagged commit
  const tags = read(
    '\n',
    'for-each-ref',
    'refs/tags',
    '--format=%(refname:strip=2) %(objectname) %(*objectname)',
  )
  const format = ['--encoding=UTF-8', '--no-commit-header', '--format=%H%n%cI%n%P%n%B%x00']
  const commits = read('\0\n', 'rev-list', ...format, 'HEAD', '--')
  const offBranch = read('\n', 'rev-list', '--parents', '--tags', '--not', 'HEAD', '--')
  return {
    tags: tags.map((line) => {
      const [name = '', object = '', target] = line.split(' ')
      return { name, hash: target || object }
    }),
    commits: commits.map((record) => {
      const [hash = '', date = '', parents = '', ...message] = record.split('\n')
      return {
        hash,
        parents: words(parents),
        message: message.join('\n').trimEnd(),
        date: new Date(date),
      }
    }),
    offBranch: offBranch.map((line) => {
      const [hash = '', ...parents] = words(line)
      return { hash, parents }
    }),
  }
}

const words = (line: string) => line.split(' ').filter(Boolean)

function git(repo: string, args: string[]): string {
  try {
    return execFileSync('git', ['-C', repo, ...args], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: 'pipe',
    })
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim().split('\n')[0]
    throw new Error(`git ${args[0]} in ${repo}: ${reason || (error as Error).message}`)
  }
}

const MAX_COMMITS = 1000
/** Below the request limit of 1 MiB. */
const MAX_BYTES = 900_000
/** An entry has at most 10,000 characters; the rest of a longer message is not worth sending. */
const MAX_MESSAGE = 50_000

type SentCommit = Omit<Commit, 'date'> & { date: string; version?: Version }

const version = z.custom<Version>((value) => typeof value === 'string' && isVersion(value))
const syncResult = z.object({
  imported: z.int().check(z.nonnegative()),
  skipped: z.int().check(z.nonnegative()),
  entries: z.array(z.object({ version })),
})
type SyncResult = z.infer<typeof syncResult>

/**
 * Sends a history to the service, in as few requests as possible. Idempotent.
 * @param onSync called after each successful request; a failed one imports nothing
 */
export async function pushHistory(
  service: Service,
  { commits, offBranch, tags }: LocalHistory,
  onSync: (result: SyncResult) => void,
  maxCommits = MAX_COMMITS,
): Promise<void> {
  const releases = releasesByTag(commits, tags, offBranch)
  const highest = sortByVersion(tags).slice(-1)
  const push = async (commits: SentCommit[]) => {
    const body = { commits, tags: highest.map(({ name }) => name) }
    const path = '/changelogs/sync-from-git'
    const result = await send(service, 'POST', path, body, syncResult)
    onSync(result)
    return result
  }
  const toSent = ({ hash, message, date, parents }: Commit): SentCommit => {
    const isCut = message.length > MAX_MESSAGE
    const footer = isCut && typeOf(message) === 'major' ? '\n\nBREAKING CHANGE: …' : ''
    const version = releases.get(hash)
    const kept = message.slice(0, MAX_MESSAGE) + footer
    return { hash, message: kept, date: date.toISOString(), parents, ...(version && { version }) }
  }
  const sorted = sortTopologically(commits)
  const released = sorted.filter(({ hash }) => releases.has(hash))
  for (const batch of toBatches(released.map(toSent), maxCommits)) await push(batch)

  // Unreleased commits share the version of the first entry imported, so the highest release types go first.
  const rankOf = ({ message }: Commit) => RELEASE_TYPES.indexOf(typeOf(message))
  const unreleased = sorted
    .filter(({ hash }) => !releases.has(hash))
    .sort((one, other) => rankOf(other) - rankOf(one))
  let next: Version | undefined
  for (const batch of toBatches(unreleased.map(toSent), maxCommits)) {
    const { entries } = await push(
      next ? batch.map((commit) => ({ ...commit, version: next })) : batch,
    )
    next ??= entries[0]?.version
  }
}

const typeOf = (message: string) => parseMessage(message).releaseType

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
