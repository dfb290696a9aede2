import { describe, expect, it } from 'vitest'
import { isMergeMessage, parseMessage } from '#changelog-import/commit-messages.ts'
import { type Commit, planImport } from '#changelog-import/plan.ts'
import type { Version } from '#domain/versions.ts'

/** A commit whose hash is its message. */
const commit = (message: string, version: Version | null = null, day = 1): Commit => ({
  hash: message,
  date: new Date(Date.UTC(2026, 0, day)),
  change: isMergeMessage(message) ? null : parseMessage(message),
  version,
})

type State = { tags?: Version[]; known?: string[]; highest?: Version | null }

const plan = (commits: Commit[], { tags = [], known = [], highest = null }: State = {}) =>
  planImport(commits, tags, { known: new Set(known), highest })

describe('planImport', () => {
  it.each<[string[], State, Version]>([
    [['fix: a', 'docs: b'], {}, 'v0.0.1'],
    [['fix: a', 'feat: b'], { highest: 'v1.1.0' }, 'v1.2.0'],
    [['feat: a', 'chore!: b'], { highest: 'v1.1.0' }, 'v2.0.0'],
    [['fix: a', 'fix: b\n\nBREAKING CHANGE: c'], { highest: 'v1.1.0' }, 'v2.0.0'],
    [['fix: a', 'feat: known'], { highest: 'v1.1.0', known: ['feat: known'] }, 'v1.1.1'],
    [['fix: a'], { highest: 'v9.0.0', tags: ['v10.0.0', 'v1.0.0'] }, 'v10.0.1'],
    [['fix: a'], { highest: 'v10.0.0', tags: ['v9.0.0'] }, 'v10.0.1'],
  ])('of %j, with %j, gives all the next release', (messages, state, version) => {
    const entries = plan(
      messages.map((message) => commit(message)),
      state,
    )
    expect(new Set(entries.map((entry) => entry.version))).toEqual(new Set([version]))
  })

  it.each([
    ['a new commit', [], 2],
    ['a known one', ['feat!: b'], 1],
  ])(
    'counts the next release from the version of %s, not from its type',
    (_, known, n) => {
      const commits = [commit('feat!: b', 'v3.0.0'), commit('fix: a')]
      const entries = plan(commits, { known, highest: 'v1.0.0' })
      expect(entries).toHaveLength(n)
      expect(entries.at(-1)?.version).toBe('v3.0.1')
    },
  )

  it('skips merges and repetitions', () => {
    const commits = [commit('fix: a'), commit("Merge branch 'x'"), commit('fix: a')]
    expect(plan(commits).map(({ title }) => title)).toEqual(['a'])
  })

  it('sorts by date, and commits of one moment as they are given', () => {
    const commits = [
      commit('fix: c', null, 2),
      commit('fix: b'),
      commit('fix: a'),
      commit('fix: d', null, 2),
    ]
    expect(plan(commits).map(({ title }) => title)).toEqual(['b', 'a', 'c', 'd'])
  })
})
