import { execFileSync } from 'node:child_process'
import type { Commit } from '../../src/domain/commits.ts'
import type { GraphCommit, Tag } from '../../src/domain/releases.ts'

/** The history of a local repository: commits reachable from HEAD, and commits reachable only from tags. */
export type LocalHistory = { commits: Commit[]; offBranch: GraphCommit[]; tags: Tag[] }

/** Plumbing commands only, so user configuration has no effect. */
export function readLocalHistory(repo: string): LocalHistory {
  const read = (separator: string, ...args: string[]) => git(repo, args).split(separator).filter(Boolean)

  // for an annotated tag, *objectname is the tagged commit
  const tags = read('\n', 'for-each-ref', 'refs/tags', '--format=%(refname:strip=2) %(objectname) %(*objectname)')
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
      return { hash, parents: words(parents), message: message.join('\n').trimEnd(), date: new Date(date) }
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
    return execFileSync('git', ['-C', repo, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: 'pipe' })
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim().split('\n')[0]
    throw new Error(`git ${args[0]} in ${repo}: ${reason || (error as Error).message}`)
  }
}
