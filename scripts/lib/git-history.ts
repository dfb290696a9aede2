import { execFileSync } from 'node:child_process'
import type { Commit } from '../../src/domain/commits.ts'

/** Every commit that HEAD has in its past, with its tags. */
export function readHistory(repo: string): Commit[] {
  // an annotated tag is an object of its own, and *objectname what it is set on
  const tags = git(repo, [
    'for-each-ref',
    'refs/tags',
    '--format=%(objectname) %(*objectname) %(refname:strip=2)',
  ])
    .split('\n')
    .map((line) => /^(?<object>\w+) (?<target>\w*) (?<name>.+)$/.exec(line)?.groups)
    .filter((tag) => tag !== undefined)
  const tagsOf = Map.groupBy(tags, ({ object, target }) => target || object)
  return git(repo, ['log', '-z', '--encoding=UTF-8', '--format=%H%n%cI%n%P%n%B'])
    .split('\0')
    .filter(Boolean)
    .map((record) => {
      const [hash = '', date = '', parents = '', ...message] = record.split('\n')
      return {
        hash,
        message: message.join('\n').trimEnd(),
        date: new Date(date),
        tags: (tagsOf.get(hash) ?? []).map(({ name }) => name ?? ''),
        parents: parents.split(' ').filter(Boolean),
      }
    })
}

function git(repo: string, args: string[]): string {
  try {
    return execFileSync('git', ['-C', repo, ...args], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n')[0]
    throw new Error(`git ${args[0]} in ${repo}: ${said || (error as Error).message}`)
  }
}
