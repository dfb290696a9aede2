import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Entry,
  hash,
  imported,
  push,
  resetImports,
  sent,
  storedEntries,
  versionsOf,
} from '../changelog-imports.ts'

beforeEach(resetImports)

const versions = async () => (await storedEntries()).map(({ version }) => version)

describe('POST /v1/changelogs/sync-from-git with commits', () => {
  it('uses the version of the body, else of the first tag at or after, else of the next release', async () => {
    const { body } = await push([
      sent(5, 'feat: e'),
      sent(1, 'fix: a'),
      sent(4, 'fix: d', { version: 'v7.7.7' }),
      sent(3, 'fix: c', { tags: ['v1.2.0', 'latest'] }),
      sent(2, "Merge branch 'x'", { tags: ['v1.1.5'] }),
      sent(6, 'fix: f'),
    ])
    // the highest version known: v1.2.0, of the tags and of the entries of the demo data; what is
    // sent is none
    expect(versionsOf(body.data.entries)).toEqual({
      1: 'v1.1.5',
      3: 'v1.2.0',
      4: 'v7.7.7',
      5: 'v1.3.0',
      6: 'v1.3.0',
    })
  })

  it.each([
    [['fix: a', 'docs: b'], 'v1.1.1'],
    [['fix: a', 'feat: b'], 'v1.2.0'],
    [['feat: a', 'chore!: b'], 'v2.0.0'],
    [['fix: a', 'fix: b\n\nBREAKING CHANGE: c'], 'v2.0.0'],
  ])(
    'counts the next release of %j from the highest entry, a draft: %s',
    async (messages, version) => {
      await push(messages.map((message, index) => sent(index + 1, message)))
      expect(new Set(await versions())).toEqual(new Set([version]))
    },
  )

  it.each([
    ['merges', sent(2, 'feat!: b', { parents: [hash(1), hash(9)] }), 'v1.1.1'],
    ['tagged commits', sent(2, 'feat!: b', { tags: ['v3.0.0'] }), 'v3.0.1'],
    ['commits with a version', sent(2, 'feat!: b', { version: 'v3.0.0' }), 'v1.1.1'],
  ])('counts no %s in the next release', async (_, commit, version) => {
    const { body } = await push([
      sent(1, 'fix: a', { parents: [] }),
      commit,
      sent(3, 'fix: c', { parents: [hash(1)] }),
    ])
    expect(versionsOf(body.data.entries)).toMatchObject({ 3: version })
  })

  it('takes the tags of every copy of a commit', async () => {
    expect(
      imported(
        await push([
          sent(0xab, 'fix: a'),
          {
            ...sent(0xab, 'fix: a', { tags: ['v3.0.0'] }),
            hash: hash(0xab).toUpperCase(),
          },
        ]),
      ),
    ).toEqual({ [0xab]: 'v3.0.0' })
  })

  it('counts the next release from v10.0.0, after v9.0.0, and from tags of known commits', async () => {
    await push([
      sent(1, 'fix: a', { version: 'v9.0.0' }),
      sent(2, 'fix: b', { version: 'v10.0.0' }),
    ])
    await push([sent(3, 'fix: c')])
    expect(await versions()).toEqual(['v9.0.0', 'v10.0.0', 'v10.0.1'])
    await push([sent(2, 'fix: b', { tags: ['v11.0.0'] }), sent(4, 'fix: d')])
    expect((await versions()).at(-1)).toBe('v11.0.1')
  })

  it('recognizes a parent in upper case', async () => {
    const { body } = await push([
      sent(0xaa, 'fix: a', { parents: [] }),
      sent(0xab, 'fix: b', { parents: [hash(0xaa).toUpperCase()], tags: ['v2.0.0'] }),
    ])
    expect(versionsOf(body.data.entries)).toEqual({ [0xaa]: 'v2.0.0', [0xab]: 'v2.0.0' })
  })

  it('uses dates if all lists of parents are empty', async () => {
    const response = await push([
      sent(1, 'fix: a', { parents: [] }),
      sent(2, 'fix: b', { parents: [], tags: ['v2.0.0'] }),
    ])
    expect(imported(response)).toEqual({ 1: 'v2.0.0', 2: 'v2.0.0' })
  })

  it.each([
    [{ tags: ['v4.0.0', 'v3.9.9', 'v5.0.0-rc.1', 'x'] }, 'v4.0.1'],
    [{ bump: 'minor' }, 'v1.2.0'],
    [{ tags: ['v4.0.0'], bump: 'major' }, 'v5.0.0'],
    [{ tags: null, bump: null }, 'v1.1.1'],
  ])('derives the next release also from known versions: %j', async (more, version) => {
    expect(imported(await push([sent(1, 'fix: a')], more))).toEqual({ 1: version })
  })

  it('lets a bump raise the next release only', async () => {
    const commits = [sent(1, 'fix: a', { tags: ['v2.0.0'] }), sent(2, 'feat: b')]
    expect(imported(await push(commits, { bump: 'patch' }))).toEqual({
      1: 'v2.0.0',
      2: 'v2.1.0',
    })
  })

  it('considers only new commits: a known feat and a new fix make a patch', async () => {
    expect(imported(await push([sent(1, 'feat: a')]))).toEqual({ 1: 'v1.2.0' })
    expect(imported(await push([sent(1, 'feat: a'), sent(2, 'fix: b')]))).toEqual({
      2: 'v1.2.1',
    })
    const released = [
      sent(1, 'feat: a'),
      sent(2, 'fix: b'),
      sent(3, 'fix: c', { tags: ['v1.3.0'] }),
    ]
    expect(imported(await push(released))).toEqual({ 3: 'v1.3.0' })
    expect(await versions()).toEqual(['v1.2.0', 'v1.2.1', 'v1.3.0'])
  })

  it('lists entries of one day and version with the newest commit first', async () => {
    const { body } = await push([1, 2, 3].map((number) => sent(number, `fix: ${number}`)))
    expect(body.data.entries.map(({ title }: Entry) => title)).toEqual(['3', '2', '1'])
  })
})
