import { execFileSync } from 'node:child_process'
import type { Commit } from '../../src/domain/commits.ts'
import type { GraphCommit, Tag } from '../../src/domain/releases.ts'

/** The history of a local repository: commits reachable from HEAD, and commits reachable only from tags. */
export type LocalHistory = { commits: Commit[]; offBranch: GraphCommit[]; tags: Tag[] }

/** Plumbing commands only, so user configuration has no effect. */
export function readLocalHistory(repo: string): LocalHistory {
  // for an annotated tag, *objectname is the tagged commit
  const tags = git(repo, ['for-each-ref', 'refs/tags', '--format=%(refname:strip=2) %(objectname) %(*objectname)'])
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', object = '', target] = line.split(' ')
      return { name, hash: target || object }
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
        hash,
        parents: parents.split(' ').filter(Boolean),
        message: message.join('\n').trimEnd(),
        date: new Date(date),
      }
    })
  const offBranch = git(repo, ['rev-list', '--parents', '--tags', '--not', 'HEAD', '--'])
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [hash = '', ...parents] = line.split(' ')
      return { hash, parents }
    })
  return { commits, offBranch, tags }
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
