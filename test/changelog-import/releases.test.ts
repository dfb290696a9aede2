import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { releasesByTag, type Tag } from '#changelog-import/releases.ts'

const commit = (hash: string, parents: string[] = []) => ({ hash, parents })

describe('releasesByTag', () => {
  it('takes the lowest of several tags on one commit', () => {
    const tags: Tag[] = [
      { name: 'v1.10.0', hash: 'a' },
      { name: 'v1.9.0', hash: 'a' },
    ]
    expect(releasesByTag([commit('a')], tags)).toEqual(new Map([['a', 'v1.9.0']]))
  })

  it('does not count a tag of a commit that is not there', () => {
    expect(releasesByTag([commit('a')], [{ name: 'v1.0.0', hash: 'x' }])).toEqual(
      new Map(),
    )
  })

  it('handles 100,000 commits and 1,000 tags', () => {
    const history = Array.from({ length: 100_000 }, (_, index) =>
      commit(
        String(index),
        index ? [String(index - 1), String(Math.max(0, index - 50))] : [],
      ),
    )
    const tags = Array.from({ length: 1000 }, (_, index): Tag => ({
      name: `v1.${1000 - index}.0`,
      hash: String(index * 100),
    }))
    const found = releasesByTag(history, tags)
    // the last tag, which contains all before it
    expect(new Set(found.values())).toEqual(new Set(['v1.1.0']))
    expect(found.size).toBe(99_901)
  })

  /** A random graph: the parents of each commit are earlier commits. */
  const history = fc
    .array(
      fc.record({
        tag: fc.option(fc.integer({ min: 0, max: 30 })),
        parents: fc.array(fc.nat(3), { maxLength: 2 }),
      }),
      { maxLength: 30 },
    )
    .map((rows) =>
      rows.map(({ tag, parents }, index) => ({
        hash: `h${index}`,
        tag,
        parents: parents
          .filter((back) => back < index)
          .map((back) => `h${index - 1 - back}`),
      })),
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
          const numbers = commits.flatMap((tagged) =>
            tagged.tag !== null && contains(tagged.hash, hash) ? [tagged.tag] : [],
          )
          return numbers.length > 0 ? [[hash, `v1.${Math.min(...numbers)}.0`]] : []
        })
        const tags = commits.flatMap(({ hash, tag }): Tag[] =>
          tag === null ? [] : [{ name: `v1.${tag}.0`, hash }],
        )
        expect(Object.fromEntries(releasesByTag(commits, tags))).toEqual(
          Object.fromEntries(expected),
        )
      }),
    )
  })
})
