import { execFileSync } from 'node:child_process'
import type { Commit } from '../../src/domain/commits.ts'

/** A commit without its content. */
type Ancestry = Pick<Commit, 'hash' | 'parents'>

export type LocalHistory = {
  tags: {
    name: string
    hash: string
  }[]
  /** The commits reachable from HEAD. */
  commits: Commit[]
  /** The commits reachable only from tags. */
  offBranch: Ancestry[]
}

/** What git needs of the environment: no token, and no folder of another repository. */
const PASSED_ON = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'TMPDIR']

const MAX_OUTPUT_BYTES = 2 ** 30

/**
 * The history of a local repository, which may be anybody's. Its configuration can change nothing
 * and run nothing: only plumbing commands are used, and an object that is missing is not fetched.
 * @throws naming the folder and what git says
 */
export function readLocalHistory(repo: string): LocalHistory {
  return {
    tags: readTags(repo),
    commits: readCommits(repo),
    offBranch: readOffBranch(repo),
  }
}

/** Of an annotated tag, `*objectname` is the tagged commit. */
function readTags(repo: string): LocalHistory['tags'] {
  const format = '--format=%(refname:strip=2) %(objectname) %(*objectname)'
  const lines = split(git(repo, 'for-each-ref', 'refs/tags', format), '\n')
  return lines.map((line) => {
    const [name = '', object = '', target] = line.split(' ')
    return {
      name,
      hash: target || object,
    }
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
      date: new Date(date),
    }
  })
}

function readOffBranch(repo: string): Ancestry[] {
  const lines = git(repo, 'rev-list', '--parents', '--tags', '--not', 'HEAD', '--')
  return split(lines, '\n').map((line) => {
    const [hash = '', ...parents] = split(line, ' ')
    return {
      hash,
      parents,
    }
  })
}

const split = (text: string, separator: string) => text.split(separator).filter(Boolean)

function git(repo: string, command: string, ...args: string[]): string {
  const options = ['-C', repo, '-c', 'protocol.allow=never']
  try {
    return execFileSync('git', [...options, command, ...args], {
      encoding: 'utf8',
      env: gitEnvironment() as NodeJS.ProcessEnv,
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: 'pipe',
    })
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim().split('\n')[0]
    throw new Error(`git ${command} in ${repo}: ${reason || (error as Error).message}`)
  }
}

/**
 * A partial clone makes git fetch what is missing, by a program that the clone's configuration
 * names. `protocol.file.allow` there would outdo `protocol.allow`, but not `GIT_ALLOW_PROTOCOL`.
 */
function gitEnvironment(): Record<string, string | undefined> {
  const passedOn = PASSED_ON.filter((name) => process.env[name] !== undefined)
  return {
    ...Object.fromEntries(passedOn.map((name) => [name, process.env[name]])),
    LC_ALL: 'C',
    GIT_NO_LAZY_FETCH: '1', // from git 2.44 on
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
  }
}
