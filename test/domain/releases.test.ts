import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMessage } from '../../src/domain/commits.ts'
import { inHistoryOrder, nextRelease, releasesByTag } from '../../src/domain/releases.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
const commit = (hash: string, seconds: number, tags: string[] = [], parents: string[] = []) => ({
  hash,
  date: at(seconds),
  tags,
  parents,
})
const releases = (commits: Parameters<typeof releasesByTag>[0]) => Object.fromEntries(releasesByTag(commits))

describe('releasesByTag', () => {
  it('gives each commit the first version tag at or after it', () => {
    const history = [
      commit('a', 1),
      commit('b', 2, ['v1.0.0']),
      commit('c', 3, ['nightly', '1.1.0', 'v1.1.0-rc.1']),
      commit('d', 4, ['v1.1.0']),
      commit('e', 5),
    ]
    expect(releases(history)).toEqual({ a: 'v1.0.0', b: 'v1.0.0', c: 'v1.1.0', d: 'v1.1.0' })
  })

  it('takes the lowest of several tags on one commit', () => {
    expect(releases([commit('a', 1, ['v1.10.0', 'v1.9.0'])])).toEqual({ a: 'v1.9.0' })
  })

  const history = fc
    .array(
      fc.record({
        seconds: fc.integer({ min: 0, max: 20 }),
        tag: fc.option(fc.integer({ min: 0, max: 30 })),
      }),
      { maxLength: 30 },
    )
    .map((rows) =>
      rows.map(({ seconds, tag }, index) =>
        commit(
          `h${String(index).padStart(2, '0')}`,
          seconds,
          tag === null ? [] : [`v1.${tag}.0`],
          index ? [`h${String(index - 1).padStart(2, '0')}`] : [],
        ),
      ),
    )

  it('does not depend on the order in which commits arrive', () => {
    fc.assert(
      fc.property(
        history.chain((commits) =>
          fc.tuple(fc.constant(commits), fc.shuffledSubarray(commits, { minLength: commits.length })),
        ),
        ([commits, shuffled]) => {
          expect(releases(shuffled)).toEqual(releases(commits))
          expect(inHistoryOrder(shuffled)).toEqual(inHistoryOrder(commits))
        },
      ),
    )
  })
})

describe('inHistoryOrder', () => {
  it('puts parents first where a rebase gave all commits one date', () => {
    const chain = [
      commit('c', 1),
      commit('a', 1, [], ['c']),
      commit('d', 1, [], ['a']),
      commit('b', 1, [], ['d']),
    ]
    const hashes = inHistoryOrder([...chain].reverse()).map(({ hash }) => hash)
    expect(hashes).toEqual(['c', 'a', 'd', 'b'])
  })

  it('ends on parents that go in a circle', () => {
    const circle = [commit('a', 1, [], ['b']), commit('b', 1, [], ['a']), commit('c', 1, [], ['c'])]
    expect(inHistoryOrder(circle)).toHaveLength(3)
  })

  it('keeps every commit once', () => {
    const any = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 3 }), fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 })),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(any, (rows) => {
        const commits = rows.map(([seconds, parents], index) =>
          commit(String(index), seconds, [], parents.map(String)),
        )
        const ordered = inHistoryOrder(commits)
        expect(new Set(ordered)).toEqual(new Set(commits))
        expect(ordered.map(({ date }) => date.getTime())).toEqual(
          commits.map(({ date }) => date.getTime()).sort((a, b) => a - b),
        )
      }),
    )
  })
})

describe('nextRelease', () => {
  it.each([
    [['fix: x'], ['v1.2.3'], 'v1.2.4'],
    [['fix: x', 'feat: y'], ['v1.2.3'], 'v1.3.0'],
    [['feat: y', 'docs!: z'], ['v1.2.3', 'v0.9.0'], 'v2.0.0'],
    [['something'], [], 'v0.0.1'],
    [['feat: x'], ['v1.9.0', 'v1.10.0'], 'v1.11.0'],
  ] as const)('of %j, known %j, is %s', (messages, known, expected) => {
    expect(nextRelease(messages.map(parseMessage), [...known])).toBe(expected)
  })
})
