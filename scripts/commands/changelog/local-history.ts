import { execFileSync } from 'node:child_process'
import { shortenMessage } from '#changelog-import/commit-messages.ts'
import { compareVersions, isVersion, type Version } from '#domain/versions.ts'

export type LocalCommit = {
  hash: string
  date: string
  message: string
  version: Version | null
}

/** The commits reachable from HEAD without merges, oldest first. */
type LocalHistory = {
  /** Commits that a version tag of the branch contains. */
  released: LocalCommit[]
  unreleased: LocalCommit[]
  /** The highest version tag of the branch. */
  highestTag: Version | null
}

const MAX_OUTPUT_BYTES = 2 ** 30

/** The end of the year 9999, the last that the service takes. */
const MAX_SECONDS = 253_402_300_799

/** Characters of a message that are sent whole. */
const MAX_MESSAGE = 20_000

/**
 * Reads the history of a local repository by plumbing commands, which the user's configuration of
 * git does not change.
 * @throws with git's own message
 */
export function readLocalHistory(repo: string): LocalHistory {
  refuseShallowClone(repo)
  const read = readCommits(repo)
  const tags = readVersionTags(repo)
  const versions = readVersions(repo, tags)
  const commits = read.map((commit) => ({
    ...commit,
    version: versions.get(commit.hash) ?? null,
  }))
  return {
    released: commits.filter(({ version }) => version),
    unreleased: commits.filter(({ version }) => !version),
    highestTag: tags.at(-1) ?? null,
  }
}

/** Without its older commits, a history would permanently get other versions. */
function refuseShallowClone(repo: string): void {
  const isShallow = git(repo, 'rev-parse', '--is-shallow-repository').trim()
  if (isShallow !== 'true') return

  throw new Error(
    `a história em ${repo} está incompleta (um clone raso): git fetch --unshallow`,
  )
}

/** Returns the version tags of the branch, lowest first. */
function readVersionTags(repo: string): Version[] {
  const format = '--format=%(refname:strip=2)'
  const names = split(
    git(repo, 'for-each-ref', '--merged=HEAD', format, 'refs/tags'),
    '\n',
  )
  return names.filter(isVersion).sort(compareVersions)
}

/** Asks git for the commits of each tag. A commit has the lowest version that contains it. */
function readVersions(repo: string, lowestFirst: Version[]): Map<string, Version> {
  const versions = new Map<string, Version>()
  const lower: string[] = []
  for (const version of lowestFirst) {
    const tag = `refs/tags/${version}`
    for (const hash of split(git(repo, 'rev-list', tag, ...lower, '--'), '\n')) {
      if (!versions.has(hash)) versions.set(hash, version)
    }
    lower[0] = `^${tag}` // its commits have a version
  }
  return versions
}

function readCommits(repo: string): Omit<LocalCommit, 'version'>[] {
  const options = [
    '--no-merges',
    '--topo-order',
    '--reverse',
    '--encoding=UTF-8',
    '--no-commit-header',
    '--format=%H%n%ct%n%at%n%B%x00',
  ]
  const records = split(git(repo, 'rev-list', ...options, 'HEAD', '--'), '\0\n')
  return records.map((record) => {
    const [hash = '', committed = '', authored = '', ...message] = record.split('\n')
    const date = toDate(committed, authored)
    return { hash, date, message: shorten(message.join('\n').trimEnd()) }
  })
}

/** Shortens a message that may exceed the service's limit of a request. */
const shorten = (message: string) =>
  message.length > MAX_MESSAGE ? shortenMessage(message) : message

/**
 * Returns the first date of seconds as git prints them: nothing if it cannot read a date. Its
 * formatted dates would have impossible time zones.
 */
function toDate(...seconds: string[]): string {
  const known = seconds.find((text) => text !== '' && Number(text) <= MAX_SECONDS)
  return new Date(Number(known ?? 0) * 1000).toISOString()
}

const split = (text: string, separator: string) => text.split(separator).filter(Boolean)

function git(repo: string, command: string, ...args: string[]): string {
  try {
    return execFileSync('git', ['-C', repo, command, ...args], {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: 'pipe',
    })
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    throw new Error(
      `a história em ${repo} não pode ser lida: ${stderr?.trim() || message}`,
    )
  }
}
