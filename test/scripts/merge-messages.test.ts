import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { isMerge } from '../../src/domain/commits.ts'
import { createRepository } from '../git/repository.ts'

const ADDRESSES = [
  'https://example.org/a',
  'git@example.org:a/b',
  '../a',
  '/srv/git/a',
  '~/a',
  '.',
]
const REFS = [
  [''], // the other repository's HEAD
  ["branch 'g'"],
  ["branch 'g'", "branch 'h'", "branch 'i'"],
  ["tag 'v1'", "tag 'v2'"],
  ["remote-tracking branch 'origin/g'"],
  ["'refs/pull/1/head'"],
]

const repository = createRepository()
repository.commit('main', 'x', [], 0)
repository.flush()
const [head] = repository.log('HEAD')
afterAll(() => repository.remove())

/** The subject that git writes for a merge of refs of several repositories. */
function mergeMessage(sources: [address: string, refs: string[]][]): string {
  const lines = sources.flatMap(([address, refs]) =>
    refs.map((ref) => `${head?.hash}\t\t${ref && `${ref} of `}${address}\n`),
  )
  writeFileSync(join(repository.folder, '.git', 'FETCH_HEAD'), lines.join(''))
  const args = ['-C', repository.folder, 'fmt-merge-msg', '-F', '.git/FETCH_HEAD']
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n', 1)[0] ?? ''
}

it('isMerge recognizes every message of git fmt-merge-msg', () => {
  const ofOne = ADDRESSES.flatMap((address) =>
    REFS.flatMap((refs) => [
      mergeMessage([[address, refs]]),
      mergeMessage([[address, [...refs, ...['', "branch 'z'"]]]]),
    ]),
  )
  const ofTwo = REFS.flatMap((refs) =>
    REFS.map((others) =>
      mergeMessage([
        ['../a', refs],
        ['ssh://git@example.org/b', others],
      ]),
    ),
  )
  const messages = [...new Set([...ofOne, ...ofTwo])].flatMap((message) => [
    message,
    `${message} into topic/x`,
  ])
  expect(messages.length).toBeGreaterThan(150)
  expect(messages).toContain("Merge HEAD, branch 'z' of ../a")
  expect(messages.filter((message) => !isMerge({ message, parents: null }))).toEqual([])
})
