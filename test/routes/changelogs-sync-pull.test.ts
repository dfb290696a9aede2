import { beforeEach, describe, expect, inject, it } from 'vitest'
import {
  hash,
  imported,
  resetImports,
  SYNC_PATH,
  sent,
  servedCommits,
  servedRepository,
  storedEntries,
} from '../changelog-imports.ts'
import { administratorToken, callJson, rateLimits } from '../helper.ts'

let token: string
beforeEach(async () => {
  token = await administratorToken()
  await resetImports()
})

describe('POST /v1/changelogs/sync-from-git from the configured repository', () => {
  let repository: ReturnType<typeof servedRepository>
  beforeEach(() => {
    repository = servedRepository()
  })

  /** A pull that imports nothing, because there is too much. */
  async function expectTooMuch(
    message = 'O histórico é grande demais: importe-o com changelog:sync.',
  ) {
    const { status, body } = await repository.pull()
    expect([status, body.errors, await storedEntries()]).toEqual([
      422,
      { commits: [message] },
      [],
    ])
  }

  const comparisons = async () =>
    (await repository.requests()).flatMap(({ path, query }) =>
      /compare\/(.+)/.exec(path)?.[1] && query.page === '1' ? path : [],
    )
  const comparison = (base: number, head: number) =>
    `repos/office/service/compare/${hash(base)}...${hash(head)}`

  it.each(['github', 'gitea'] as const)(
    'reads every page of %s, with tags and merges',
    async (host) => {
      const history = servedCommits(230)
      history[229] = { ...history[229], message: 'feat: last' } as (typeof history)[0]
      await repository.serve({
        commits: history.map((commit, at) =>
          at === 100 ? { ...commit, parents: [hash(98), hash(99)] } : commit,
        ),
        tags: [
          { name: 'v1.5.0', sha: hash(200) },
          { name: 'other', sha: hash(210) },
        ],
        host,
      })
      const { body } = await repository.pull()
      expect(body.data).toMatchObject({ imported: 229, skipped: 1 })
      const all = await storedEntries()
      expect(all.filter(({ version }) => version === 'v1.5.0')).toHaveLength(200)
      expect(all.filter(({ version }) => version === 'v1.6.0')).toHaveLength(29)
      const pages = (await repository.requests()).filter(
        ({ path }) => path === 'repos/office/service/commits',
      )
      expect(pages).toHaveLength({ github: 5, gitea: 7 }[host])
      expect(pages[0]?.query).toMatchObject({ per_page: '100', page: '1' })
      expect(await comparisons()).toEqual([])
    },
  )

  it.each(['github', 'gitea'] as const)(
    'reads from %s a second time only what lies between, with what was merged late',
    async (host) => {
      await repository.serve({ commits: servedCommits(120), host })
      expect((await repository.pull()).body.data).toMatchObject({ imported: 120 })
      const late = {
        sha: hash(500),
        message: 'feat: late',
        date: '2026-01-02T00:00:00Z',
        parents: [hash(3)],
      }
      const merge = {
        ...servedCommits(121)[120],
        message: 'late',
        parents: [hash(119), late.sha],
      }
      await repository.serve({
        commits: [
          ...servedCommits(120),
          late,
          merge as typeof late,
          ...servedCommits(240).slice(121),
        ],
        host,
      })
      expect((await repository.pull()).body.data).toMatchObject({
        imported: 120,
        skipped: 1,
      })
      expect(await comparisons()).toEqual([comparison(119, 239)])
      expect((await storedEntries()).find(({ title }) => title === 'late')).toMatchObject(
        {
          version: 'v1.2.0',
        },
      )
    },
  )

  it('sends no further requests for an unchanged branch', async () => {
    await repository.serve({ commits: servedCommits(3) })
    await repository.pull()
    const before = (await repository.requests()).length
    expect((await repository.pull()).body.data).toEqual({
      imported: 0,
      skipped: 0,
      entries: [],
    })
    expect(await repository.requests()).toHaveLength(before + 1)
  })

  it.each([
    ['the one that was read last is gone', undefined, 2],
    ['the server cannot compare', 'cannot compare', 5],
    [
      'the comparison is too large, as of Gitea, which sends it whole',
      'sends too much to compare',
      5,
    ],
    ['the comparison is cut off', 'cuts comparisons off', 5],
  ] as const)('reads everything where %s', async (_, behaviour, kept) => {
    await repository.serve({ commits: servedCommits(5) })
    await repository.pull()
    await repository.serve({
      commits: [...servedCommits(kept), ...servedCommits(9).slice(6)],
      behaviour,
    })
    expect((await repository.pull()).body.data).toMatchObject({
      imported: 3,
      skipped: kept,
    })
    expect(await comparisons()).toEqual([comparison(4, 8)])
  })

  it('reads the whole history after only pushes, and of another branch', async () => {
    await callJson(SYNC_PATH, {
      token,
      body: {
        commits: [
          {
            hash: hash(2),
            message: 'x',
            date: '9000-01-01T00:00:00Z',
            parents: [hash(1)],
          },
        ],
      },
    })
    await repository.serve({ commits: servedCommits(3) })
    expect((await repository.pull()).body.data).toMatchObject({ imported: 2, skipped: 1 })
    await repository.serve({ commits: servedCommits(5) })
    expect((await repository.pull({ GIT_BRANCH: 'other' })).body.data).toMatchObject({
      imported: 2,
      skipped: 3,
    })
    expect(await comparisons()).toEqual([])
  })

  it('finds releases tagged on release branches, and reads each branch once', async () => {
    const offBranch = [1, 2, 3].map((number) => ({
      sha: hash(100 + number),
      message: 'chore: release',
      date: '2026-01-01T04:00:00Z',
      parents: [number === 1 ? hash(2) : hash(99 + number)],
    }))
    const tags = [
      { name: 'v2.0.1', sha: hash(102) },
      { name: 'v2.0.2', sha: hash(103) },
      { name: 'v2.0.0', sha: hash(101) },
      { name: 'nightly', sha: hash(77) },
      { name: 'v0.9.0', sha: hash(78) },
    ]
    await repository.serve({ commits: servedCommits(5), offBranch, tags })
    const versions = { 0: 'v2.0.0', 1: 'v2.0.0', 2: 'v2.0.0', 3: 'v2.0.3', 4: 'v2.0.3' }
    expect(imported(await repository.pull())).toEqual(versions)
    expect(await comparisons()).toEqual([comparison(4, 103), comparison(4, 78)])
  })

  /** A release branch of two commits, with its tag at the end. */
  const release = [101, 102].map((number) => ({
    ...sent(number, `fix: ${number}`),
    sha: hash(number),
    parents: [hash(number === 101 ? 2 : 101)],
  }))
  const releaseTag = { name: 'v2.0.0', sha: hash(102) }

  it('gives what is merged late of a release branch the version of its tag, which is not read again', async () => {
    const tags = [releaseTag, { name: 'v1.9.0', sha: hash(0) }]
    await repository.serve({ commits: servedCommits(5), offBranch: release, tags })
    await repository.pull()
    const merge = { ...sent(200, 'merge'), sha: hash(200), parents: [hash(4), hash(101)] }
    await repository.serve({ commits: [...servedCommits(5), ...release, merge], tags })
    expect(imported(await repository.pull())).toEqual({ 101: 'v2.0.0' })
    expect(await comparisons()).toEqual([comparison(4, 102), comparison(4, 200)])
  })

  it('reads a release tag whose commit was pushed or entered by hand', async () => {
    await callJson(SYNC_PATH, { token, body: { commits: [sent(102, 'fix: 102')] } })
    await repository.serve({
      commits: servedCommits(3),
      offBranch: release,
      tags: [releaseTag],
    })
    expect(imported(await repository.pull())).toEqual({
      0: 'v2.0.0',
      1: 'v2.0.0',
      2: 'v2.0.0',
    })
  })

  const besideEach = (count: number) =>
    Array.from({ length: count }, (_, minor) => ({
      name: `v8.${minor}.0`,
      sha: hash(1000 + minor),
      message: 'chore: release',
      date: '2026-01-01T04:00:00Z',
      parents: [hash(minor)],
    }))

  it('reads every release tag beside the branch, once', async () => {
    const releases = besideEach(320)
    await repository.serve({
      commits: servedCommits(320),
      offBranch: releases,
      tags: releases,
    })
    const expected = Array.from({ length: 320 }, (_, minor) => [minor, `v8.${minor}.0`])
    expect(imported(await repository.pull())).toEqual(Object.fromEntries(expected))
    const before = (await repository.requests()).length
    await repository.serve({
      commits: servedCommits(321),
      offBranch: releases,
      tags: releases,
    })
    expect(imported(await repository.pull())).toEqual({ 320: 'v8.319.1' })
    expect(
      (await repository.requests())
        .slice(before)
        .map(({ path }) => path.split('/').at(3)),
    ).toEqual(['commits', 'compare', ...Array(5).fill('tags')])
  })

  it('is 422 where the release tags take more requests than a call may send', async () => {
    const releases = besideEach(950)
    await repository.serve({
      commits: servedCommits(950),
      offBranch: releases,
      tags: releases,
    })
    await expectTooMuch()
  })

  it('is 422 where the messages take more memory than a Worker has', async () => {
    const commits = servedCommits(1300).map((commit) => ({
      ...commit,
      message: `fix: a\n\n${'long '.repeat(2500)}`,
    }))
    await repository.serve({ commits })
    await expectTooMuch()
    await repository.serve({ commits: commits.slice(0, 100) })
    expect((await repository.pull()).body.data).toMatchObject({ imported: 100 })
  })

  it('dates an entry by the author where a commit has no committer', async () => {
    const date = '2026-03-05T00:00:00Z'
    const own = { sha: hash(1), message: 'fix: 1', date, isWithoutCommitter: true }
    await repository.serve({ commits: [...servedCommits(1), own] })
    await repository.pull()
    expect((await storedEntries()).map(({ date }) => date)).toEqual([
      '2026-01-01',
      '2026-03-05',
    ])
  })

  it('imports at most 10,000 new commits', async () => {
    await repository.serve({ commits: servedCommits(10_001) })
    await expectTooMuch('Há mais de 10.000 commits novos: importe-os com changelog:sync.')
    await callJson(SYNC_PATH, { token, body: { commits: [sent(10_000, 'fix: known')] } })
    expect((await repository.pull()).body.data).toMatchObject({
      imported: 10_000,
      skipped: 1,
    })
  })

  it('takes a commit of 100 parents, and one that names its parent 85,000 times', async () => {
    const parents = servedCommits(100).map(({ sha }) => sha)
    const repeating = {
      ...sent(200, 'fix: x'),
      sha: hash(200),
      parents: Array(85_000).fill(hash(0)),
    }
    const merge = {
      ...sent(201, 'fix: y'),
      sha: hash(201),
      parents: [...parents, hash(200)].slice(1),
    }
    await repository.serve({ commits: [...servedCommits(100), repeating, merge] })
    expect((await repository.pull()).body.data).toMatchObject({
      imported: 101,
      skipped: 1,
    })
  })

  it.each([undefined, 'a-token'])(
    'sends the branch, and GitHub its headers, with the token %s',
    async (token) => {
      await repository.serve({ commits: servedCommits(1) })
      await repository.pull({ GIT_BRANCH: 'stable', GIT_TOKEN: token })
      const requests = await repository.requests()
      expect(requests[0]?.query).toMatchObject({ sha: 'stable' })
      for (const request of requests)
        expect(request).toMatchObject({
          accept: 'application/vnd.github+json',
          userAgent: 'informer-provisioning-service',
          authorization: token ? `Bearer ${token}` : null,
        })
    },
  )

  it.each([
    ['with its token', '127.0.0.1', 'Bearer a-token'],
    ['to another host without the token', 'localhost', null],
  ])('follows a repository that has moved, %s', async (_, host, authorization) => {
    const movedTo = inject('gitServer').replace('127.0.0.1', host)
    await repository.serve({ commits: servedCommits(3), movedTo })
    expect((await repository.pull({ GIT_TOKEN: 'a-token' })).body.data).toMatchObject({
      imported: 3,
    })
    expect((await repository.requests()).at(-1)).toMatchObject({
      path: expect.stringMatching(/^moved/),
      authorization,
    })
  })

  it('imports nothing from a repository that is empty', async () => {
    await repository.serve({ commits: [], response: { status: 409 } })
    expect((await repository.pull()).body.data).toEqual({
      imported: 0,
      skipped: 0,
      entries: [],
    })
  })

  it('is limited to six a minute for one caller', async () => {
    await repository.serve({ commits: servedCommits(1) })
    const { GIT_IMPORT_LIMIT } = rateLimits()
    const responses = []
    while (responses.length < 14 && responses.at(-1)?.status !== 429)
      responses.push(await repository.pull({ GIT_IMPORT_LIMIT }))
    expect(responses.slice(0, 6).map(({ status }) => status)).toEqual(Array(6).fill(200))
    const { status, headers } = responses.at(-1) ?? {}
    expect([status, headers?.get('Retry-After')]).toEqual([429, '60'])
    const other = {
      token,
      method: 'POST',
      env: { ...repository.settings, GIT_IMPORT_LIMIT },
    }
    expect((await callJson(SYNC_PATH, other)).status).toBe(200)
  })

  it.each([{ tags: ['v9.0.0'] }, { bump: 'major' }])(
    'rejects %j without commits',
    async (body) => {
      const { status, body: response } = await callJson(SYNC_PATH, {
        token,
        body,
        env: repository.settings,
      })
      expect([status, response.errors]).toEqual([
        422,
        { commits: ['Envie as tags e o bump com os commits a que se referem.'] },
      ])
    },
  )

  it.each([undefined, '', '{}', '{"commits":null}'])(
    'without a repository and with the body %s is 422',
    async (body) => {
      const response = await callJson(SYNC_PATH, { method: 'POST', token, body })
      expect([response.status, response.body.errors]).toEqual([
        422,
        { commits: ['Envie os commits ou configure o repositório git.'] },
      ])
    },
  )
})
