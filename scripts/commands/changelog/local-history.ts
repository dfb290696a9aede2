import { execFileSync } from 'node:child_process'
import type { Commit } from '#changelog-import/commits.ts'
import { parseDateTime } from '#domain/timestamps.ts'

export type LocalHistory = {
  /** The commits reachable from HEAD. */
  commits: Commit[]
  /** The tags of these commits. */
  tags: { name: string; hash: string }[]
}

/** The environment variables that git needs: no tokens, and no folder of another repository. */
const PASSED_ON = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'TMPDIR']

const MAX_OUTPUT_BYTES = 2 ** 30

/**
 * Reads the history of a local repository, which need not be trusted: its configuration cannot
 * change or run anything, because only plumbing commands are used and missing objects are not
 * fetched.
 * @throws with git's own message, or if git is not installed
 */
export function readLocalHistory(repo: string): LocalHistory {
  refuseShallowClone(repo)
  return { commits: readCommits(repo), tags: readTags(repo) }
}

/** Without its older commits, a history would permanently get other versions. */
function refuseShallowClone(repo: string): void {
  const isShallow = git(repo, 'rev-parse', '--is-shallow-repository').trim()
  if (isShallow !== 'true') return

  throw new Error(
    `a história em ${repo} está incompleta (um clone raso): git fetch --unshallow`,
  )
}

/** Of an annotated tag, `*objectname` is the tagged commit. */
function readTags(repo: string): LocalHistory['tags'] {
  const format = '--format=%(refname:strip=2) %(objectname) %(*objectname)'
  const lines = split(
    git(repo, 'for-each-ref', '--merged=HEAD', format, 'refs/tags'),
    '\n',
  )
  return lines.map((line) => {
    const [name = '', object = '', target] = line.split(' ')
    return { name, hash: target || object }
  })
}

function readCommits(repo: string): Commit[] {
  const format = [
    '--encoding=UTF-8',
    '--no-commit-header',
    '--format=%H%n%cI%n%P%n%B%x00',
  ]
  const records = split(git(repo, 'rev-list', ...format, 'HEAD', '--'), '\0\n')
  return records.map((record) => {
    const [hash = '', date = '', parents = '', ...message] = record.split('\n')
    return {
      hash,
      parents: split(parents, ' '),
      message: message.join('\n').trimEnd(),
      date: parseDate(hash, date),
    }
  })
}

/** @throws for a date that the service would refuse, before anything is sent */
function parseDate(hash: string, text: string): Date {
  const date = parseDateTime(text)
  if (!date) throw new Error(`o commit ${hash} tem a data ${text}; nada foi enviado.`)
  return date
}

type GitError = Error & { code?: string; stderr?: string }

const split = (text: string, separator: string) => text.split(separator).filter(Boolean)

function git(repo: string, command: string, ...args: string[]): string {
  try {
    return execFileSync('git', ['-C', repo, command, ...args], {
      encoding: 'utf8',
      env: gitEnvironment() as NodeJS.ProcessEnv,
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: 'pipe',
    })
  } catch (error) {
    const { code, message, stderr } = error as GitError
    if (code === 'ENOENT') {
      throw new Error('o git não está instalado, ou não está no PATH.')
    }
    throw new Error(
      `a história em ${repo} não pode ser lida: ${stderr?.trim() || message}`,
    )
  }
}

/**
 * In a partial clone, git fetches missing objects by a program named in the clone's configuration.
 */
function gitEnvironment(): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])),
    GIT_NO_LAZY_FETCH: '1', // from git 2.44 on
    GIT_ALLOW_PROTOCOL: 'none', // for an earlier one
  }
}
