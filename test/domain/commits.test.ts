import { describe, expect, it } from 'vitest'
import { isMerge } from '#changelog-import/commits.ts'

describe('isMerge', () => {
  it.each([
    ["Merge branch 'main' into feature", [], true],
    ["\n\nMerge branch 'a'", null, true],
    ["Merge branch 'topic' (early part)", [], true],
    ["Merge remote-tracking branch 'origin/x'", [], true],
    ["Merge tag 'v1.0.0'", [], true],
    ["Merge commit 'abcdef1'", [], true],
    ["Merge branch 'topic' of https://example.org/a into main", [], true],
    ["Merge branches 'a' and 'b'", null, true],
    ["Merge tags 'v1.0.0' and 'v1.0.1' into main", null, true],
    ['Merge pull request #12 from someone/branch', ['a'], true],
    ['feat: x', ['a', 'b'], true],
    ['feat: x', ['a'], false],
    ['feat: x', [], false],
    ['feat: x', null, false],
    ["feat: Merge branch 'a'", ['a'], false],
    ['Merge HEAD of the queue', ['a'], false],
    ['Merge one; two', ['a'], false],
    ['Merge ./a and ./b', ['a'], false],
    ['Merge /admin routes into /api', ['a'], false],
    ['Merge changes: x', ['a'], false],
    ['Merge commit from fork', ['a'], false],
  ])('of %j with the parents %j is %s', (message, parents, expected) => {
    expect(isMerge({ message, parents })).toBe(expected)
  })
})
