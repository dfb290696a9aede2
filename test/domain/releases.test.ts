import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { releasesByTag, sortTopologically } from '#changelog-import/releases.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
const commit = (
  hash: string,
  seconds: number,
  tags: string[] = [],
  parents: string[] | null = null,
) => ({
  hash,
  date: at(seconds),
  tags,
  parents,
})
type TaggedCommit = ReturnType<typeof commit>
const tagsOf = (commits: TaggedCommit[]) =>
  commits.flatMap(({ hash, tags }) => tags.map((name) => ({ name, hash })))
const releases = (commits: TaggedCommit[]) =>
  Object.fromEntries(releasesByTag(commits, tagsOf(commits)))

describe('releasesByTag', () => {
  it('assigns each commit the first version tag at or after it', () => {
    const history = [
      commit('a', 1),
      commit('b', 2, ['v1.0.0']),
      commit('c', 3, ['nightly', '1.1.0', 'v1.1.0-rc.1']),
      commit('d', 4, ['v1.1.0']),
      commit('e', 5),
    ]
    expect(releases(history)).toEqual({
      a: 'v1.0.0',
      b: 'v1.0.0',
      c: 'v1.1.0',
      d: 'v1.1.0',
    })
  })

  it('takes the lowest of several tags on one commit', () => {
    expect(releases([commit('a', 1, ['v1.10.0', 'v1.9.0'])])).toEqual({ a: 'v1.9.0' })
  })

  it('takes the first tag by date for commits without parents beside others with parents', () => {
    const history = [
      commit('a', 1),
      commit('b', 2, ['v2.0.0'], []),
      commit('c', 3, [], ['b']),
      commit('d', 4, ['v1.0.0']),
      commit('e', 5),
    ]
    expect(releases(history)).toStrictEqual({
      a: 'v1.0.0',
      b: 'v2.0.0',
      c: 'v1.0.0',
      d: 'v1.0.0',
    })
  })

  it('does not count a tag of a commit that is not there', () => {
    const history = [commit('a', 1, [], [])]
    expect(releasesByTag(history, [{ name: 'v1.0.0', hash: 'x' }])).toEqual(new Map())
  })

  it('handles 100,000 commits and 1,000 tags', () => {
    const history = Array.from({ length: 100_000 }, (_, index) =>
      commit(
        String(index),
        index,
        index % 100 ? [] : [`v1.${100_000 - index}.0`],
        index ? [String(index - 1), String(Math.max(0, index - 50))] : [],
      ),
    )
    const found = releasesByTag(history, tagsOf(history))
    // the last tag, which contains all before it
    expect(new Set(found.values())).toEqual(new Set(['v1.100.0']))
    expect(found.size).toBe(99_901)
  })

  /** A random graph: the parents of each commit are earlier commits. */
  const history = fc
    .array(
      fc.record({
        seconds: fc.integer({ min: 0, max: 20 }),
        tag: fc.option(fc.integer({ min: 0, max: 30 })),
        parents: fc.array(fc.nat(3), { maxLength: 2 }),
      }),
      { maxLength: 30 },
    )
    .map((rows) =>
      rows.map(({ seconds, tag, parents }, index) =>
        commit(
          `h${index}`,
          seconds,
          tag === null ? [] : [`v1.${tag}.0`],
          parents.filter((back) => back < index).map((back) => `h${index - 1 - back}`),
        ),
      ),
    )

  it('agrees with a search from each commit to its descendants', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const contains = (one: string, other: string): boolean =>
          one === other ||
          (commits.find(({ hash }) => hash === one)?.parents ?? []).some((parent) =>
            contains(parent, other),
          )
        const expected = commits.flatMap(({ hash }) => {
          const [lowest] = commits
            .filter((commit) => contains(commit.hash, hash))
            .flatMap(({ tags }) => tags.map((tag) => Number(tag.split('.')[1])))
            .sort((one, other) => one - other)
          return lowest === undefined ? [] : [[hash, `v1.${lowest}.0`]]
        })
        expect(releases(commits)).toEqual(Object.fromEntries(expected))
      }),
    )
  })

  it('is independent of the order of commits', () => {
    fc.assert(
      fc.property(
        history.chain((commits) =>
          fc.tuple(
            fc.constant(commits),
            fc.shuffledSubarray(commits, { minLength: commits.length }),
          ),
        ),
        ([commits, shuffled]) => {
          expect(releases(shuffled)).toEqual(releases(commits))
          expect(sortTopologically(shuffled)).toEqual(sortTopologically(commits))
        },
      ),
    )
  })
})

describe('sortTopologically', () => {
  it('puts parents first if a rebase gave all commits the same date', () => {
    const chain = [
      commit('c', 1),
      commit('a', 1, [], ['c']),
      commit('d', 1, [], ['a']),
      commit('b', 1, [], ['d']),
    ]
    const hashes = sortTopologically([...chain].reverse()).map(({ hash }) => hash)
    expect(hashes).toEqual(['c', 'a', 'd', 'b'])
  })

  it('puts a parent first, also after another parent that is elsewhere', () => {
    const history = [commit('a', 1, [], ['elsewhere', 'b']), commit('b', 2, [], [])]
    expect(sortTopologically(history).map(({ hash }) => hash)).toEqual(['b', 'a'])
  })

  it('sorts commits of one date by hash', () => {
    const history = ['b', 'c', 'a'].map((hash) => commit(hash, 1))
    expect(sortTopologically(history).map(({ hash }) => hash)).toEqual(['a', 'b', 'c'])
  })

  it('puts parents first if a clock was wrong, and otherwise sorts by date', () => {
    const history = [
      commit('d', 4, [], ['c']),
      commit('a', 2, [], []),
      commit('c', 1, [], ['a']),
      commit('b', 3, [], ['a']),
    ]
    expect(sortTopologically(history).map(({ hash }) => hash)).toEqual([
      'a',
      'c',
      'b',
      'd',
    ])
  })

  it('reads every parent at most twice, however often it is named', () => {
    const MAX_READS = 2
    const ancestors = Array.from({ length: 900 }, (_, index) =>
      commit(`a${index}`, index, [], []),
    )
    const parents = [...ancestors.map(({ hash }) => hash), ...Array(1000).fill('a0')]
    const { counted, reads } = countingReads(parents)
    const ordered = sortTopologically([commit('b', 0, [], counted), ...ancestors])
    expect(ordered.at(-1)?.hash).toBe('b')
    expect(reads()).toBeLessThanOrEqual(MAX_READS * parents.length)
  })

  it('keeps every commit once', () => {
    const any = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 3 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 }),
      ),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(any, (rows) => {
        const commits = rows.map(([seconds, parents], index) =>
          commit(String(index), seconds, [], parents.map(String)),
        )
        const ordered = sortTopologically(commits)
        expect(ordered).toHaveLength(commits.length)
        expect(new Set(ordered)).toEqual(new Set(commits))
      }),
    )
  })
})

/** A list with the number of times that any of its items was read. */
function countingReads<Item>(items: Item[]) {
  let reads = 0
  const counted = new Proxy(items, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
      return Reflect.get(target, key, receiver)
    },
  })
  return { counted, reads: () => reads }
}
