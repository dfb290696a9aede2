import { env } from 'cloudflare:workers'
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
} from '../support/changelog-imports.ts'
import type { Scenario } from '../support/git/server.ts'
import {
  administratorToken,
  callJson,
  rateLimits,
  tokenOf,
  UNLIMITED,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { createGitHubClient } from '#changelog-import/github-client.ts'
import { readNewHistory } from '#changelog-import/history.ts'
import { openDatabase } from '#database/client.ts'
import { parseSettings } from '#settings.ts'

/** An author's date. */
const OK = { date: '2020-02-02T00:00:00Z' }

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

  const comparisons = async () =>
    (await repository.requests()).flatMap(({ path, query }) =>
      /compare\/(.+)/.exec(path)?.[1] && query.page === '1' ? path : [],
    )
  const comparison = (base: number, head: number) =>
    `repos/office/service/compare/${hash(base)}...${hash(head)}`

  it('reads every page of commits and of tags, and skips merges', async () => {
    const history = servedCommits(230)
    history[229] = { ...history[229], message: 'feat: last' } as (typeof history)[0]
    await repository.serve({
      commits: history.map((commit, at) =>
        at === 100 ? { ...commit, parents: [hash(98), hash(99)] } : commit,
      ),
      tags: [
        ...Array.from({ length: 100 }, (_, at) => ({
          name: `other-${at}`,
          sha: hash(210),
        })),
        { name: 'v1.5.0', sha: hash(200) },
      ],
    })
    const { body } = await repository.pull()
    expect(body.data).toMatchObject({ imported: 229, skipped: 1 })
    const all = await storedEntries()
    expect(all.filter(({ version }) => version === 'v1.5.0')).toHaveLength(200)
    expect(all.filter(({ version }) => version === 'v1.6.0')).toHaveLength(29)
    const pages = (await repository.requests()).filter(
      ({ path }) => path === 'repos/office/service/commits',
    )
    expect(pages).toHaveLength(5)
    expect(pages[0]?.query).toMatchObject({ per_page: '100', page: '1' })
    expect(await comparisons()).toEqual([])
  })

  it('shows an informer no drafts, and counts them', async () => {
    await repository.serve({ commits: servedCommits(3) })
    const { status, body } = await callJson(SYNC_PATH, {
      method: 'POST',
      token: await tokenOf('ana@example.org'),
      env: { ...repository.settings, GIT_IMPORT_LIMIT: UNLIMITED },
    })
    expect([status, body.data]).toEqual([200, { imported: 3, skipped: 0, entries: [] }])
    expect(await storedEntries()).toHaveLength(3)
  })

  it('reads a second time only what lies between, with what was merged late', async () => {
    await repository.serve({ commits: servedCommits(120) })
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
    })
    expect((await repository.pull()).body.data).toMatchObject({
      imported: 120,
      skipped: 1,
    })
    expect(await comparisons()).toEqual([comparison(119, 239)])
    expect((await storedEntries()).find(({ title }) => title === 'late')).toMatchObject({
      version: 'v1.2.0',
    })
  })

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
    ['the comparison is too large', 'sends too much to compare', 5],
    ['the comparison is cut off', 'cuts comparisons off', 5],
  ] as const)('reads everything where %s', async (_, behaviour, kept) => {
    await repository.serve({ commits: servedCommits(5) })
    await repository.pull()
    await repository.serve({
      commits: [...servedCommits(kept), ...servedCommits(10).slice(6)],
      behaviour,
    })
    expect((await repository.pull()).body.data).toMatchObject({
      imported: 4,
      skipped: kept,
    })
    expect(await comparisons()).toEqual([comparison(4, 9)])
  })

  it('reads the whole history after only pushes, and of another branch', async () => {
    await callJson(SYNC_PATH, {
      token,
      body: {
        commits: [{ hash: hash(2), message: 'x', date: '9000-01-01T00:00:00Z' }],
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

  /** A release branch of two commits, with its tag at the end. */
  const release = [101, 102].map((number) => ({
    ...sent(number, `fix: ${number}`),
    sha: hash(number),
    parents: [hash(number === 101 ? 2 : 101)],
  }))
  const releaseTag = { name: 'v2.0.0', sha: hash(102) }

  it('does not count a tag beside the branch, until it is merged', async () => {
    const tags = [releaseTag, { name: 'v1.9.0', sha: hash(0) }]
    await repository.serve({ commits: servedCommits(3), offBranch: release, tags })
    const versions = { 0: 'v1.9.0', 1: 'v1.9.1', 2: 'v1.9.1' }
    expect(imported(await repository.pull())).toEqual(versions)
    const merge = { ...sent(200, 'merge'), sha: hash(200), parents: [hash(2), hash(102)] }
    await repository.serve({ commits: [...servedCommits(3), ...release, merge], tags })
    expect(imported(await repository.pull())).toEqual({ 101: 'v2.0.0', 102: 'v2.0.0' })
  })

  it('counts from a tag that a commit of an earlier import got since', async () => {
    await repository.serve({ commits: servedCommits(3) })
    await repository.pull()
    const tags = [{ name: 'v4.0.0', sha: hash(1) }]
    await repository.serve({ commits: servedCommits(4), tags })
    expect(imported(await repository.pull())).toEqual({ 3: 'v4.0.1' })
  })

  const TOO_LARGE = 'O histórico é grande demais: importe-o com changelog:sync.'
  const TOO_MANY = 'Há mais de 10.000 commits novos: importe-os com changelog:sync.'
  const long = (count: number) => {
    const message = `fix: a\n\n${'long '.repeat(2500)}`
    return servedCommits(count).map((commit) => ({ ...commit, message }))
  }
  it.each<[what: string, message: string, scenario: () => Scenario]>([
    [
      'requests, redirected ones twice, than a call may send',
      TOO_LARGE,
      () => ({ commits: servedCommits(480), pageSize: 1, movedTo: inject('gitServer') }),
    ],
    ['text than a Worker has memory for', TOO_LARGE, () => ({ commits: long(1300) })],
    ['than 10,000 new commits', TOO_MANY, () => ({ commits: servedCommits(10_001) })],
  ])('is 422 for more %s', async (_, message, scenario) => {
    await repository.serve(scenario())
    const { status, body } = await repository.pull()
    expect([status, body.errors, await storedEntries()]).toEqual([
      422,
      { commits: [message] },
      [],
    ])
  })

  it('imports long messages, and 10,000 new commits beside a known one', async () => {
    await repository.serve({ commits: long(100) })
    expect((await repository.pull()).body.data).toMatchObject({ imported: 100 })

    await resetImports()
    await repository.serve({ commits: servedCommits(10_001) })
    await callJson(SYNC_PATH, { token, body: { commits: [sent(10_000, 'fix: known')] } })
    const counts = { imported: 10_000, skipped: 1 }
    expect((await repository.pull()).body.data).toMatchObject(counts)
  })

  it.each([undefined, 'a-token'])(
    'sends the branch, and GitHub its headers, with the token %s',
    async (token) => {
      await repository.serve({ commits: servedCommits(1) })
      await repository.pull({ GIT_BRANCH: 'stable', GIT_TOKEN: token })
      const requests = await repository.requests()
      expect(requests[0]?.query).toMatchObject({ sha: 'stable' })
      for (const request of requests) {
        expect(request).toMatchObject({
          accept: 'application/vnd.github+json',
          userAgent: 'informer-provisioning-service',
          authorization: token ? `Bearer ${token}` : null,
        })
      }
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
    while (responses.length < 14 && responses.at(-1)?.status !== 429) {
      responses.push(await repository.pull({ GIT_IMPORT_LIMIT }))
    }
    expect(responses.slice(0, 6).map(({ status }) => status)).toEqual(Array(6).fill(200))
    const { status, headers } = responses.at(-1) ?? {}
    expect([status, headers?.get('Retry-After')]).toEqual([429, '60'])
    const other = {
      token: await tokenOf('ana@example.org'),
      method: 'POST',
      env: { ...repository.settings, GIT_IMPORT_LIMIT },
    }
    expect((await callJson(SYNC_PATH, other)).status).toBe(200)
  })

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

  it.each([
    [{ committer: { date: '2017-08-04T16:40:00+518:00' }, author: OK }, '2020-02-02'],
    [{ committer: { date: '+010000-01-01T00:00:00Z' }, author: OK }, '2020-02-02'],
    [{ committer: {}, author: OK }, '2020-02-02'],
    [{ committer: { date: null }, author: null }, '1970-01-01'],
    [{}, '1970-01-01'],
  ])('gives a commit by %j the date %s', async (people, date) => {
    const commit = { message: 'feat: x', ...people }
    const body = JSON.stringify([{ sha: hash(1), commit, parents: [] }])
    await repository.serve({ commits: servedCommits(1), response: { request: 2, body } })
    expect((await repository.pull()).status).toBe(200)
    expect(await storedEntries()).toEqual([expect.objectContaining({ date })])
  })

  it.each<[string, Partial<Scenario>, string]>([
    ['an error', { response: { status: 500 } }, 'status 500'],
    ['HTML', { response: { body: '<html>' } }, 'SyntaxError'],
    ['something else', { response: { body: '{"commits":[]}' } }, 'an invalid response'],
    [
      'a later page as of no commits',
      { response: { request: 3, status: 409 } },
      'status 409',
    ],
    ['tags as of no commits', { response: { request: 5, status: 409 } }, 'status 409'],
    [
      'more than 10 MB',
      { response: { request: 2, body: `[]${' '.repeat(10 * 1024 ** 2)}` } },
      'more than 10 MB',
    ],
    ['half a page', { behaviour: 'breaks off' }, 'Error'],
    [
      'redirects in circles',
      { response: { status: 302, headers: { Location: '?' } } },
      'TypeError',
    ],
  ])(
    'responds 502 if the server sends %s, and imports nothing',
    async (_, scenario, reason) => {
      await repository.serve({ commits: servedCommits(150), ...scenario })
      const { status, body, headers } = await repository.pull({ GIT_TOKEN: 'a-token' })
      expect([status, body]).toEqual([
        502,
        { success: false, message: 'O repositório git não respondeu.' },
      ])
      expect(await storedEntries()).toEqual([])
      expect(logged('warn')).toMatchObject([
        {
          event: 'git repository unavailable',
          request_id: headers.get('X-Request-Id'),
          reason,
        },
      ])
      expect(JSON.stringify(logged('warn'))).not.toContain('a-token')
    },
  )

  it.each(['stalls', 'stalls in the body'] as const)(
    'gives up on a server that %s',
    async (behaviour) => {
      await repository.serve({ commits: servedCommits(1), behaviour })
      const settings = parseSettings({ ...env, ...repository.settings })
      const client = createGitHubClient(settings, 100)
      const pulling = readNewHistory(openDatabase(env.DB), settings, client)
      await expect(pulling).rejects.toThrow('TimeoutError')
    },
  )
})
