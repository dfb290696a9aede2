import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { readHistory } from '../../src/git/repository.ts'
import { parseSettings } from '../../src/settings.ts'
import type { Asked, Scenario } from '../git/server.ts'
import { administratorToken, call, callJson, counting, tokenOf } from '../helper.ts'
import { logged } from '../logs.ts'

const PATH = '/changelogs/sync-from-git'
const hash = (number: number) => number.toString(16).padStart(40, '0')

type Sent = {
  hash: string
  message: string
  date: string
  tags?: string[] | null
  version?: string | null
  parents?: string[] | null
}

/** A commit of a history in which every commit is an hour after the one before. */
const sent = (number: number, message: string, more: Partial<Sent> = {}): Sent => ({
  hash: hash(number),
  message,
  date: new Date(Date.UTC(2026, 0, 1, number)).toISOString(),
  ...more,
})

let token: string
beforeEach(async () => {
  token = await administratorToken()
  await env.DB.batch([
    env.DB.prepare('delete from changelogs where git_commit_hash is not null'),
    env.DB.prepare('delete from imported_commits'),
    env.DB.prepare('delete from sync_cursors'),
  ])
})

const push = (commits: unknown, options = {}) => callJson(PATH, { token, body: { commits }, ...options })

type Entry = {
  id: string
  git_commit_hash: string
  version: string
  title: string
  date: string
  category: string
}
type StoredEntry = Entry & { description: string; is_published: number }

/** The imported entries as they are stored, without what a second import makes anew. */
async function stored() {
  const { results } = await env.DB.prepare(
    `select git_commit_hash, version, date, title, description, category, is_published from changelogs
     where git_commit_hash is not null order by git_commit_hash`,
  ).all<StoredEntry>()
  return results
}

const versions = async () => (await stored()).map(({ version }) => version)

describe('POST /v1/changelogs/sync-from-git with commits', () => {
  it('imports them as drafts', async () => {
    const { status, body, headers } = await push([
      sent(1, 'feat(capa)!: nova capa\n\nCom *corpo*.\n\nSigned-off-by: A <a@example.org>', {
        version: 'v3.0.0',
      }),
      sent(2, 'docs: b'),
    ])
    expect(status).toBe(200)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(body).toMatchObject({ success: true, message: 'Sincronização concluída.' })
    expect(Object.keys(body.data)).toEqual(['imported', 'skipped', 'entries'])
    expect(body.data).toMatchObject({ imported: 2, skipped: 0 })
    expect(body.data.entries[0]).toEqual({
      id: expect.any(String),
      version: 'v3.0.0',
      date: '2026-01-01',
      title: 'nova capa',
      description: 'Com *corpo*.',
      category: 'Nova Funcionalidade',
      is_published: false,
      git_commit_hash: hash(1),
      created_at: expect.stringMatching(/\.\d{6}Z$/),
      updated_at: expect.any(String),
    })
    const shown = await callJson(`/changelogs/${body.data.entries[0].id}`, { token })
    expect(shown.body.data).toEqual(body.data.entries[0])
    expect((await call(`/changelogs/${body.data.entries[0].id}`)).status).toBe(404)
  })

  it('skips merges and what is known, so that a second time changes nothing', async () => {
    const commits = [
      sent(1, 'fix: a'),
      sent(2, "Merge branch 'a'"),
      sent(3, 'feat: b', { parents: [hash(1), hash(2)] }),
      sent(4, 'docs: c'),
      sent(4, 'docs: c'),
    ]
    expect((await push(commits)).body.data).toMatchObject({ imported: 2, skipped: 3 })
    const before = await stored()
    expect((await push(commits)).body.data).toMatchObject({ imported: 0, skipped: 5, entries: [] })
    expect(await stored()).toEqual(before)
  })

  it('knows a commit in upper case, entered by hand, and of an entry that was deleted', async () => {
    const { body: byHand } = await callJson('/changelogs', {
      token,
      body: {
        version: 'v1.0.0',
        date: '2026-01-01',
        title: 'x',
        description: 'x',
        category: 'Melhoria',
        git_commit_hash: 'ab'.repeat(20),
      },
    })
    const { body } = await push([sent(1, 'fix: a'), { ...sent(2, 'fix: b'), hash: 'AB'.repeat(20) }])
    expect(body.data).toMatchObject({ imported: 1, skipped: 1 })
    for (const id of [byHand.data.id, body.data.entries[0].id]) {
      expect((await call(`/changelogs/${id}`, { method: 'DELETE', token })).status).toBe(200)
    }
    const again = await push([sent(1, 'fix: a'), { ...sent(2, 'fix: b'), hash: 'ab'.repeat(20) }])
    expect(again.body.data).toMatchObject({ imported: 0, skipped: 2 })
    expect(await stored()).toEqual([])
  })

  it('knows a commit whose entry was given another one', async () => {
    const { body } = await push([sent(1, 'fix: a')])
    await call(`/changelogs/${body.data.entries[0].id}`, {
      method: 'PUT',
      token,
      body: { git_commit_hash: hash(9) },
    })
    expect((await push([sent(1, 'fix: a')])).body.data).toMatchObject({ imported: 0, skipped: 1 })
  })

  it('takes the version that was sent, else of the first tag at or after, else of the next release', async () => {
    const { body } = await push([
      sent(5, 'feat: e'),
      sent(1, 'fix: a'),
      sent(4, 'fix: d', { version: 'v7.7.7' }),
      sent(3, 'fix: c', { tags: ['v1.2.0', 'latest'] }),
      sent(2, "Merge branch 'x'", { tags: ['v1.1.5'] }),
      sent(6, 'fix: f'),
    ])
    const byHash = Object.fromEntries(
      body.data.entries.map((entry: Entry) => [Number.parseInt(entry.git_commit_hash, 16), entry.version]),
    )
    // the highest version known: v1.2.0, of the tags and of the entries of the demo data; what is sent is none
    expect(byHash).toEqual({ 1: 'v1.1.5', 3: 'v1.2.0', 4: 'v7.7.7', 5: 'v1.3.0', 6: 'v1.3.0' })
  })

  it.each([
    [['fix: a', 'docs: b'], 'v1.1.1'],
    [['fix: a', 'feat: b'], 'v1.2.0'],
    [['feat: a', 'chore!: b'], 'v2.0.0'],
    [['fix: a', 'fix: b\n\nBREAKING CHANGE: c'], 'v2.0.0'],
  ])('counts the next release of %j from the highest entry, a draft: %s', async (messages, version) => {
    await push(messages.map((message, index) => sent(index + 1, message)))
    expect(new Set(await versions())).toEqual(new Set([version]))
  })

  it('counts the next release from v10.0.0, after v9.0.0, and from tags of known commits', async () => {
    await push([sent(1, 'fix: a', { version: 'v9.0.0' }), sent(2, 'fix: b', { version: 'v10.0.0' })])
    await push([sent(3, 'fix: c')])
    expect(await versions()).toEqual(['v9.0.0', 'v10.0.0', 'v10.0.1'])
    await push([sent(2, 'fix: b', { tags: ['v11.0.0'] }), sent(4, 'fix: d')])
    expect((await versions()).at(-1)).toBe('v11.0.1')
  })

  it('dates an entry by the day of its commit in UTC', async () => {
    await push([
      sent(1, 'fix: a', { date: '2026-01-31T23:30:00-03:00' }),
      sent(2, 'fix: b', { date: '2026-02-03' }),
    ])
    expect((await stored()).map(({ date }) => date)).toEqual(['2026-02-01', '2026-02-03'])
  })

  it('lists entries of one day and version with the newest commit first', async () => {
    const { body } = await push([1, 2, 3].map((number) => sent(number, `fix: ${number}`)))
    expect(body.data.entries.map(({ title }: Entry) => title)).toEqual(['3', '2', '1'])
  })

  it('takes a thousand commits in one transaction of few statements', async () => {
    const commits = Array.from({ length: 1000 }, (_, number) =>
      sent(number, `fix: ${'ç'.repeat(200)}\n\n${number}`),
    )
    const { binding, count } = counting()
    const { body } = await push(commits, { env: { DB: binding } })
    expect(body.data).toMatchObject({ imported: 1000, skipped: 0 })
    expect(body.data.entries).toHaveLength(1000)
    expect(count.roundTrips).toBe(3)
    expect(await stored()).toHaveLength(1000)
  })

  it('takes a commit that is sent twice as it was sent first, with the tags of both', async () => {
    await push([
      sent(1, 'feat: first', { tags: ['v7.1.0'] }),
      { ...sent(1, 'fix: second', { tags: ['x'] }), hash: hash(1).toUpperCase() },
    ])
    expect(await stored()).toMatchObject([{ title: 'first', version: 'v7.1.0' }])
  })

  it.each([
    'fix: t\n\n-notes-\nx',
    'fix: t\n\n-references-\nx',
    `fix: t\n\n${'BREAKING CHANGE: x\n'.repeat(20_000)}`,
  ])('takes a message made to confuse parsers', async (message) => {
    expect((await push([sent(1, message)])).status).toBe(200)
    expect(await stored()).toMatchObject([{ title: 't', category: 'Correção' }])
  })

  it('imports an empty list', async () => {
    expect((await push([])).body.data).toEqual({ imported: 0, skipped: 0, entries: [] })
  })

  it('imports each commit once when two administrators sync at the same moment', async () => {
    const commits = Array.from({ length: 50 }, (_, number) => sent(number, `feat: ${number}`))
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, by) => push(by % 2 ? commits : commits.slice(10))),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(answers.reduce((total, { body }) => total + body.data.imported, 0)).toBe(50)
    expect(await stored()).toHaveLength(50)
  })

  const wrong = (fields: object) => [{ ...sent(1, 'fix: a'), ...fields }]
  it.each([
    ['no list', 'x'],
    ['a number', 5],
    ['an object', {}],
    ['a text for a commit', ['x']],
    ['null for a commit', [null]],
    ['a hundred thousand numbers', Array(100_000).fill(0)],
    [
      'a thousand bad tags of each of four hundred',
      Array.from({ length: 400 }, () => wrong({ tags: Array(1000).fill(0) })[0]),
    ],
    ['a hundred thousand parents', wrong({ parents: Array(100_000).fill(0) })],
    ['more than a thousand', Array.from({ length: 1001 }, (_, number) => sent(number, 'fix: x'))],
    ['no hash', wrong({ hash: undefined })],
    ['a short hash', wrong({ hash: 'abcdef' })],
    ['a hash that is none', wrong({ hash: 'not hexadecimal' })],
    ['no message', wrong({ message: undefined })],
    ['a message of another type', wrong({ message: 1 })],
    ['no date', wrong({ date: undefined })],
    ['a date that is none', wrong({ date: '2026-02-30T00:00:00Z' })],
    ['a date of another type', wrong({ date: 1769860800 })],
    ['a version that is none', wrong({ version: '1.0.0' })],
    ['tags that are no list', wrong({ tags: 'v1.0.0' })],
    ['parents that are no list', wrong({ parents: 'abcdef1' })],
  ])('refuses %s, and imports nothing', async (_, commits) => {
    const good =
      Array.isArray(commits) && commits.length < 1000 ? [sent(99, 'feat: good'), ...commits] : commits
    const { status, body } = await push(good)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['commits']])
    expect(body.errors.commits.join()).not.toMatch(/[Ii]nvalid/)
    expect(new Set(body.errors.commits).size).toBe(body.errors.commits.length)
    expect(await stored()).toEqual([])
  })

  it('takes null for what is not sent', async () => {
    const { status } = await push([sent(1, 'fix: a', { tags: null, version: null, parents: null })])
    expect(status).toBe(200)
  })

  it('takes a body of a mebibyte and no more', async () => {
    const body = (bytes: number) => {
      const frame = JSON.stringify({ commits: [sent(1, 'fix: ')] }).length
      return JSON.stringify({ commits: [sent(1, `fix: ${'x'.repeat(bytes - frame)}`)] })
    }
    expect((await call(PATH, { token, body: body(1024 * 1024 + 1) })).status).toBe(413)
    expect((await call(PATH, { token, body: body(1024 * 1024) })).status).toBe(200)
  })

  it('takes commits from administrators alone', async () => {
    const { status, body } = await push([sent(1, 'fix: a')], { token: await tokenOf('ana@example.org') })
    expect([status, body]).toEqual([403, { success: false, message: 'Acesso restrito a administradores.' }])
    expect(await stored()).toEqual([])
  })

  it('gives the same entries for any split of a history whose versions are resolved, in any order, twice over', async () => {
    const types = fc.constantFrom('feat', 'fix', 'docs', 'perf', 'feat!')
    const history = fc
      .array(fc.tuple(types, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 12 })
      .map((rows) =>
        rows.map(([type, minor], number) => sent(number, `${type}: ${number}`, { version: `v4.${minor}.0` })),
      )
    const split = history.chain((commits) =>
      fc.tuple(
        fc.constant(commits),
        fc.shuffledSubarray(commits, { minLength: commits.length }),
        fc.integer({ min: 1, max: 5 }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(split, async ([commits, shuffled, size]) => {
        const clear = () =>
          env.DB.batch([
            env.DB.prepare('delete from changelogs where git_commit_hash is not null'),
            env.DB.prepare('delete from imported_commits'),
          ])
        await clear()
        await push(commits)
        const whole = await stored()
        await clear()
        for (let time = 0; time < 2; time++) {
          for (let from = 0; from < shuffled.length; from += size)
            await push(shuffled.slice(from, from + size))
        }
        expect(await stored()).toEqual(whole)
      }),
      { numRuns: 25 },
    )
  })

  it('gives the unreleased rest of one call one version, whatever its order', async () => {
    const messages = fc.array(fc.constantFrom('feat: x', 'fix: x', 'x', 'docs!: x'), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(messages, fc.infiniteStream(fc.nat()), async (rows, order) => {
        await env.DB.batch([
          env.DB.prepare('delete from changelogs where git_commit_hash is not null'),
          env.DB.prepare('delete from imported_commits'),
        ])
        const commits = rows.map((message, number) => sent(number, message))
        const shuffled = commits
          .map((commit) => ({ commit, key: order.next().value ?? 0 }))
          .sort((one, other) => one.key - other.key)
        await push(shuffled.map(({ commit }) => commit))
        const expected = rows.includes('docs!: x') ? 'v2.0.0' : rows.includes('feat: x') ? 'v1.2.0' : 'v1.1.1'
        expect(new Set(await versions())).toEqual(new Set([expected]))
      }),
      { numRuns: 25 },
    )
  })
})

describe('POST /v1/changelogs/sync-from-git from the configured repository', () => {
  let server: string
  beforeEach(async () => {
    server = `${inject('gitServer')}/${crypto.randomUUID()}`
  })

  const serve = (scenario: Scenario) => fetch(server, { method: 'PUT', body: JSON.stringify(scenario) })
  const asked = async () => (await (await fetch(server)).json()) as Asked[]
  const source = () => ({ GIT_API_URL: server, GIT_REPOSITORY: 'office/service' })
  const pull = async (more: object = {}, caller?: string) =>
    callJson(PATH, {
      method: 'POST',
      token: caller ?? (await tokenOf('ana@example.org')),
      env: { ...source(), ...more },
    })

  const commits = (count: number) =>
    Array.from({ length: count }, (_, number) => {
      const { hash: sha, message, date } = sent(number, `fix: ${number}`)
      return { sha, message, date }
    })

  it.each(['github', 'gitea', 'linkless', 'linkless and short'] as const)(
    'reads every page of %s, with tags and merges',
    async (behaviour) => {
      const history = commits(230)
      history[229] = { ...history[229], message: 'feat: last' } as (typeof history)[0]
      await serve({
        commits: history.map((commit, at) =>
          at === 100 ? { ...commit, parents: [hash(98), hash(99)] } : commit,
        ),
        tags: [
          { name: 'v1.5.0', sha: hash(200) },
          { name: 'other', sha: hash(210) },
        ],
        behaviour,
      })
      const { status, body } = await pull()
      expect(status).toBe(200)
      expect(body.data).toMatchObject({ imported: 229, skipped: 1 })
      const all = await stored()
      expect(all.filter(({ version }) => version === 'v1.5.0')).toHaveLength(200)
      expect(all.filter(({ version }) => version === 'v1.6.0')).toHaveLength(29)
      const pages = (await asked()).filter(({ path }) => path === 'repos/office/service/commits')
      expect(pages).toHaveLength({ github: 3, gitea: 5, linkless: 4, 'linkless and short': 9 }[behaviour])
      expect(pages[0]?.query).toMatchObject({ per_page: '100', page: '1' })
      expect(pages[0]?.query).not.toHaveProperty('since')
    },
  )

  it('asks a second time only for what is new', async () => {
    await serve({ commits: commits(120) })
    await pull()
    await serve({ commits: commits(122) })
    const { body } = await pull()
    expect(body.data).toMatchObject({ imported: 2, skipped: 1 })
    const [last] = (await asked()).filter(({ path }) => path.endsWith('commits')).slice(-1)
    expect(last?.query.since).toBe('2026-01-05T23:00:00.000000Z')
  })

  it('asks for everything of a history that was only pushed, of another one, and past a wrong clock', async () => {
    const history = commits(3)
    await push([{ hash: hash(2), message: 'x', date: '9000-01-01T00:00:00Z' }])
    await serve({ commits: [...history, { sha: hash(99), message: 'x', date: '8000-01-01T00:00:00Z' }] })
    expect((await pull()).body.data).toMatchObject({ imported: 3, skipped: 1 })
    await serve({ commits: commits(5) })
    expect((await pull()).body.data).toMatchObject({ imported: 2 })
    await pull({ GIT_BRANCH: 'other' })
    expect((await asked()).at(-1)?.query).not.toHaveProperty('since')
  })

  it('stops at a server that shows one page for all', async () => {
    await serve({ commits: commits(5), behaviour: 'knows no pages' })
    expect((await pull()).body.data).toMatchObject({ imported: 5, skipped: 0 })
  })

  it('sends the branch and the token that are configured', async () => {
    await serve({ commits: commits(1) })
    await pull({ GIT_BRANCH: 'stable', GIT_TOKEN: 'a-token' })
    const [tags, history] = await asked()
    expect(tags).toMatchObject({ path: 'repos/office/service/tags', authorization: 'Bearer a-token' })
    expect(history).toMatchObject({ query: { sha: 'stable' }, authorization: 'Bearer a-token' })
  })

  it('follows a repository that has moved', async () => {
    await serve({ commits: commits(3), behaviour: 'has moved' })
    expect((await pull({ GIT_TOKEN: 'a-token' })).body.data).toMatchObject({ imported: 3 })
    expect((await asked()).at(-1)?.authorization).toBe('Bearer a-token')
  })

  it('follows to another host, but without the token', async () => {
    await serve({ commits: commits(3), behaviour: 'has moved to another host' })
    expect((await pull({ GIT_TOKEN: 'a-token' })).body.data).toMatchObject({ imported: 3 })
    const moved = (await asked()).filter(({ path }) => path.startsWith('moved'))
    expect(moved.map(({ authorization }) => authorization)).toEqual([null, null, null])
  })

  it('imports nothing from a repository that is empty', async () => {
    await serve({ commits: [], behaviour: 'is empty' })
    expect((await pull()).body.data).toEqual({ imported: 0, skipped: 0, entries: [] })
  })

  it.each([
    'fails',
    'is not there',
    'serves HTML',
    'answers another shape',
    'tells no dates',
    'breaks off on page 2',
    'moves in circles',
    'has no end',
    'talks too much',
  ] as const)('answers 502 where the server %s, and imports nothing by halves', async (behaviour) => {
    await serve({ commits: commits(150), behaviour })
    const { status, body, headers } = await pull({ GIT_TOKEN: 'a-token' })
    expect([status, body]).toEqual([502, { success: false, message: 'O repositório git não respondeu.' }])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(await stored()).toEqual([])
    expect(logged('warn')).toHaveLength(1)
    expect(JSON.stringify(logged('warn'))).not.toContain('a-token')
  })

  it.each([
    ['limits', 120],
    ['limits until a reset', 90],
    ['limits until the end of time', null],
  ] as const)('passes on how long to wait where the server %s', async (behaviour, seconds) => {
    await serve({ commits: [], behaviour })
    const { status, headers } = await pull()
    expect(status).toBe(502)
    if (seconds === null) expect(headers.has('Retry-After')).toBe(false)
    else expect(Math.abs(Number(headers.get('Retry-After')) - seconds)).toBeLessThanOrEqual(2)
  })

  it('answers 502 where nobody listens', async () => {
    expect((await pull({ GIT_API_URL: 'http://127.0.0.1:9' })).status).toBe(502)
  })

  it.each(['stalls', 'stalls in the body'] as const)('gives up on a server that %s', async (behaviour) => {
    await serve({ commits: commits(1), behaviour })
    const settings = parseSettings({ ...env, ...source() })
    for (const limits of [
      { answer: 100, history: 60_000 },
      { answer: 60_000, history: 100 },
    ]) {
      await expect(readHistory(settings, null, limits)).rejects.toThrow('TimeoutError')
    }
  })

  it('takes an empty object, and null, for no commits', async () => {
    await serve({ commits: commits(2) })
    for (const body of [{}, { commits: null }]) {
      const { status } = await callJson(PATH, { token, body, env: source() })
      expect(status).toBe(200)
    }
  })

  it.each([undefined, '', '{}', '{"commits":null}'])(
    'without a repository and with the body %s is 422',
    async (body) => {
      const answer = await callJson(PATH, { method: 'POST', token, body })
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        { commits: ['Envie os commits ou configure o repositório git.'] },
      ])
    },
  )

  it.each([
    ['[]', {}, 400],
    ['{', {}, 400],
    ['{}', { 'Content-Type': 'text/plain' }, 415],
  ])('refuses the body %s', async (body, headers, status) => {
    expect((await call(PATH, { token, body, headers })).status).toBe(status)
  })
})
