import { execFileSync } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import { createRepository } from '../git/repository.ts'
import { isMerge } from '#changelog-import/commits.ts'

const repository = createRepository()
const base = repository.commit('main', 'x', [], 0)
for (const name of ['topic', 'other']) {
  const mark = repository.commit(name, name, [base], 1)
  repository.point(`tags/${name}-tag`, mark)
  repository.point(`remotes/origin/${name}`, mark)
}
repository.point('tags/base', base)
repository.flush()
const [topic] = repository.log('topic')
afterAll(() => repository.remove())

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
  const options = ['-C', repository.folder, ...identity]
  return execFileSync('git', [...options, ...args], { encoding: 'utf8', stdio: 'pipe' })
}

it.each([
  ['a branch', 'main', ['topic']],
  ['a branch, into another', 'release', ['topic']],
  ['several branches', 'main', ['topic', 'other']],
  ['a remote-tracking branch', 'main', ['origin/topic']],
  ['several remote-tracking branches', 'main', ['origin/topic', 'origin/other']],
  ['a tag', 'main', ['topic-tag']],
  ['several tags', 'main', ['topic-tag', 'other-tag']],
  ['a commit', 'main', [topic?.hash ?? '']],
])('isMerge recognizes the message of git merge for %s', (_, into, merged) => {
  git('checkout', '--quiet', '--force', '-B', into, 'base')
  git('merge', '--no-ff', '--no-edit', ...merged)
  const message = git('log', '-1', '--format=%B')
  expect(message).toMatch(/^Merge /)
  expect(isMerge({ message, parents: null })).toBe(true)
})
