import { execFileSync } from 'node:child_process'
import type { Commit } from '../../src/domain/commits.ts'
import type { GraphCommit } from '../../src/domain/releases.ts'

/** The history of a local repository: commits reachable from HEAD, and commits reachable only from tags. */
export type LocalHistory = { commits: Commit[]; offBranch: GraphCommit[]; tags: string[] }

/** Plumbing commands only, so user configuration has no effect. */
export function readLocalHistory(repo: string): LocalHistory {
  // for an annotated tag, *objectname is the tagged commit
  const tags = git(repo, [
    'for-each-ref',
    'refs/tags',
    '--format=%(objectname) %(*objectname) %(refname:strip=2)',
  ])
    .split('\n')
    .map((line) => /^(?<object>\w+) (?<target>\w*) (?<name>.+)$/.exec(line)?.groups)
    .filter((tag) => tag !== undefined)
  const tagsOf = Map.groupBy(tags, ({ object, target }) => target || object)
  const nodeOf = (hash: string, parents: string[]): GraphCommit => ({
    hash,
    parents,
    tags: (tagsOf.get(hash) ?? []).map(({ name }) => name ?? ''),
  })
  const commits = git(repo, [
    'rev-list',
    '--encoding=UTF-8',
    '--no-commit-header',
    '--format=%H%n%cI%n%P%n%B%x00',
    'HEAD',
    '--',
  ])
    .split('\0\n')
    .filter(Boolean)
    .map((record) => {
      const [hash = '', date = '', parents = '', ...message] = record.split('\n')
      return {
        ...nodeOf(hash, parents.split(' ').filter(Boolean)),
        message: message.join('\n').trimEnd(),
        date: new Date(date),
      }
    })
  const offBranch = git(repo, ['rev-list', '--parents', '--tags', '--not', 'HEAD', '--'])
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [hash = '', ...parents] = line.split(' ')
      return nodeOf(hash, parents)
    })
  return { commits, offBranch, tags: tags.map(({ name }) => name ?? '') }
}

function git(repo: string, args: string[]): string {
  try {
    return execFileSync('git', ['-C', repo, ...args], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim().split('\n')[0]
    throw new Error(`git ${args[0]} in ${repo}: ${reason || (error as Error).message}`)
  }
}
