import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isMerge, parseCommit } from '../../src/domain/commits.ts'
import { parseDateTime } from '../../src/domain/timestamps.ts'
import { isVersion } from '../../src/domain/versions.ts'
import { countSteps } from './regexp-steps.ts'

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

describe('the regular expressions that read a commit', () => {
  const MAX_CHARACTERS = 1000
  const MAX_STEPS_PER_CHARACTER = 50
  /** For the texts that stand in for an empty message. */
  const MAX_STEPS_WITHOUT_CHARACTERS = 1000

  function readCommit(text: string): void {
    parseCommit({ hash: 'abcdef1', message: text, date: new Date(0), parents: null })
    parseDateTime(text)
    isVersion(text)
  }

  function expectFewSteps(text: string): void {
    const limit = MAX_STEPS_WITHOUT_CHARACTERS + MAX_STEPS_PER_CHARACTER * text.length
    expect(countSteps(() => readCommit(text), limit)).toBeGreaterThan(0)
  }

  it.each([
    `Merge branch '${'a'.repeat(980)}`,
    `Merge pull request #${'1'.repeat(970)}`,
    `feat${'('.repeat(990)}`,
    `feat:${' '.repeat(990)}`,
    `feat: a${' '.repeat(990)}b`,
    `fix: a\n\nb${' '.repeat(980)}c`,
    `fix: a\n\n${'\n \t'.repeat(300)}b`,
    `fix: a\n\n${'BREAKING CHANGE '.repeat(60)}`,
    `fix: a\n\n${'a-'.repeat(400)}`,
    `2026-01-31T12:00:00.${'0'.repeat(900)}!`,
    '2026-01-31T12:00'.repeat(60),
  ])('take few steps for %j', (text) => {
    expectFewSteps(text)
  })

  /** What each of them looks for: a beginning, and what leads it astray where it is repeated. */
  const looksFor = fc.constantFrom(
    {
      start: 'Merge ',
      words: ['pull request #1', "branch 'a'", 'remote-tracking', 'tag'],
      between: [' ', ' from '],
    },
    {
      start: '',
      words: ['feat', 'ç', '-', '(a)', '('],
      between: [': ', ':', '!', ' ', '\ud800'],
    },
    {
      start: 'feat: a',
      words: ['', 'b'],
      between: [' ', '\t', '\r', '\u2028', '\0', '\u200b'],
    },
    {
      start: 'fix: a\n\n',
      words: ['BREAKING CHANGE', 'BREAKING'],
      between: [': ', ' #', '\n'],
    },
    {
      start: 'fix: a\n\nb',
      words: ['', 'Refs: 1', '-'],
      between: ['\n', ' ', '\t', '\r'],
    },
    {
      start: '',
      words: ['2026-01-31', 'T12:00', '0'],
      between: [':', '.', 'Z', '+01:00', ''],
    },
    { start: 'v', words: ['1', '0', '10'], between: ['.', ''] },
  )
  const hostile = looksFor.chain(({ start, words, between }) => {
    const [word, separator] = [fc.constantFrom(...words), fc.constantFrom(...between)]
    const few = fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 3 })
    return fc.tuple(few, fc.constantFrom('!', ...words)).map(([pairs, end]) => {
      const repeated = pairs.flat().join('') || ' '
      const room = MAX_CHARACTERS - start.length - end.length
      return start + repeated.repeat(room / repeated.length) + end
    })
  })

  it('take few steps for a character, whatever is repeated', () => {
    fc.assert(fc.property(hostile, expectFewSteps), { numRuns: 500 })
  })
})
