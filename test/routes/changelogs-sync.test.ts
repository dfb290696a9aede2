import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Entry,
  hash,
  imported,
  push,
  resetImports,
  SYNC_PATH,
  sent,
  storedEntries,
} from '../support/changelog-imports.ts'
import { createEntry } from '../support/changelogs.ts'
import {
  administratorToken,
  beforeRoundTrips,
  call,
  callJson,
  counting,
  tokenOf,
} from '../support/helper.ts'

let token: string
beforeEach(async () => {
  token = await administratorToken()
  await resetImports()
})

describe('POST /v1/changelogs/sync-from-git with commits', () => {
  it('imports them as drafts', async () => {
    const message = 'feat(capa)!: nova capa\n\nCom *corpo*.\n\nSigned-off-by: A <a@b.org>'
    const { status, body } = await push([
      sent(1, message, { version: 'v3.0.0' }),
      sent(2, 'docs: b'),
    ])
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, message: 'Sincronização concluída.' })
    expect(body.data).toMatchObject({ imported: 2, skipped: 0 })
    const [entry] = body.data.entries.toReversed()
    expect(entry).toMatchObject({
      version: 'v3.0.0',
      date: '2026-01-01',
      title: 'nova capa',
      description: 'Com *corpo*.',
      category: 'Nova Funcionalidade',
      is_published: false,
      git_commit_hash: hash(1),
    })
    const shown = await callJson(`/changelogs/${entry.id}`, { token })
    expect(shown.body.data).toEqual(entry)
    expect(Object.keys(entry)).toEqual(Object.keys(shown.body.data))
    expect((await call(`/changelogs/${entry.id}`)).status).toBe(404)
  })

  it('skips merges and known commits, so a second import changes nothing', async () => {
    const commits = [
      sent(1, 'fix: a'),
      sent(2, "Merge branch 'a'"),
      sent(3, 'docs: b'),
      sent(3, 'docs: b'),
    ]
    expect((await push(commits)).body.data).toMatchObject({ imported: 2, skipped: 2 })
    const before = await storedEntries()
    expect((await push(commits)).body.data).toEqual({
      imported: 0,
      skipped: 4,
      entries: [],
    })
    expect(await storedEntries()).toEqual(before)
  })

  it('recognizes a commit in upper case, of a manual entry, of a replaced and of a deleted one', async () => {
    const { body: byHand } = await createEntry({ git_commit_hash: 'ab'.repeat(20) })
    const commits = [sent(1, 'fix: a'), { ...sent(2, 'fix: b'), hash: 'AB'.repeat(20) }]
    const { body } = await push(commits)
    expect(body.data).toMatchObject({ imported: 1, skipped: 1 })
    const replaced = { method: 'PUT', token, body: { git_commit_hash: hash(9) } }
    await call(`/changelogs/${body.data.entries[0].id}`, replaced)
    expect((await push(commits)).body.data).toMatchObject({ imported: 0, skipped: 2 })
    for (const id of [byHand.data.id, body.data.entries[0].id]) {
      const { status } = await call(`/changelogs/${id}`, { method: 'DELETE', token })
      expect(status).toBe(200)
    }
    expect((await push(commits)).body.data).toMatchObject({ imported: 0, skipped: 2 })
    expect(await storedEntries()).toEqual([])
  })

  it('keeps an entry that is created by hand between the read and the write of an import', async () => {
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 3) return
      const fields = { title: 'À mão', git_commit_hash: hash(2) }
      expect((await createEntry(fields)).status).toBe(201)
    })
    const commits = [sent(1, 'fix: a'), sent(2, 'fix: b')]
    expect((await push(commits, {}, { env: { DB } })).body.data).toMatchObject({
      imported: 1,
      skipped: 1,
    })
    expect(await storedEntries()).toMatchObject([
      { title: 'a' },
      { title: 'À mão', version: 'v2.0.0' },
    ])
    expect((await push(commits)).body.data).toMatchObject({ imported: 0, skipped: 2 })
  })

  it('dates an entry by the day of its commit in UTC', async () => {
    await push([
      sent(1, 'fix: a', { date: '2026-01-31T23:30:00-03:00' }),
      sent(2, 'fix: b', { date: '2026-02-03' }),
    ])
    const dates = (await storedEntries()).map(({ date }) => date)
    expect(dates).toEqual(['2026-02-01', '2026-02-03'])
  })

  it('counts the next release from the highest version of entries and of the call', async () => {
    expect(imported(await push([sent(1, 'feat: a')]))).toEqual({ 1: 'v1.2.0' }) // after a draft
    await push([
      sent(2, 'fix: b', { version: 'v10.0.0' }),
      sent(3, 'fix: c', { version: 'v9.0.0' }),
    ])
    expect(imported(await push([sent(4, 'fix: d')]))).toEqual({ 4: 'v10.0.1' })
    const known = sent(2, 'fix: b', { version: 'v11.0.0' })
    expect(imported(await push([known, sent(5, 'fix: e')]))).toEqual({ 5: 'v11.0.1' })
    expect(imported(await push([sent(6, 'fix: f')]))).toEqual({ 6: 'v11.0.2' })
    expect(imported(await push([sent(7, 'fix: g')]))).toEqual({ 7: 'v11.0.3' })
  })

  it('lists entries of one day and version with the newest commit first', async () => {
    const { body } = await push([2, 3, 1].map((number) => sent(number, `fix: ${number}`)))
    expect(body.data.entries.map(({ title }: Entry) => title)).toEqual(['3', '2', '1'])
  })

  it('takes a thousand commits in three round trips', async () => {
    const commits = Array.from({ length: 1000 }, (_, number) =>
      sent(number, `fix: ${'ç'.repeat(200)}\n\n${number}`),
    )
    const { binding, count } = counting()
    const { body } = await push(commits, {}, { env: { DB: binding } })
    expect(body.data).toMatchObject({ imported: 1000, skipped: 0 })
    expect(body.data.entries).toHaveLength(1000)
    expect(count.roundTrips).toBe(3)
    expect(await storedEntries()).toHaveLength(1000)
  })

  it('imports each commit once when two administrators sync at the same moment', async () => {
    const commits = Array.from({ length: 50 }, (_, number) =>
      sent(number, `feat: ${number}`),
    )
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, by) => push(by % 2 ? commits : commits.slice(10))),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(responses.reduce((total, { body }) => total + body.data.imported, 0)).toBe(50)
    expect(await storedEntries()).toHaveLength(50)
  })

  it.each([
    ['no list', 'x'],
    ['an object', {}],
    ['a hundred thousand numbers', Array(100_000).fill(0)],
    [
      'more than a thousand',
      Array.from({ length: 1001 }, (_, number) => sent(number, 'fix: x')),
    ],
  ])('rejects %s, with one message', async (_, commits) => {
    const { status, body } = await push(commits)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['commits']])
    expect(body.errors.commits).toHaveLength(1)
    expect(await storedEntries()).toEqual([])
  })

  it('reports all errors, each with the position and hash of its commit', async () => {
    const { status, body } = await push([
      sent(1, 'fix: good'),
      { ...sent(2, 'fix: b', { version: '1.0' }), hash: 'ABCDEF1', message: undefined },
      { hash: 'abcdef', message: 1, date: '31/01/2026' },
      null,
      { ...sent(5, 'fix: e'), date: undefined },
      { ...sent(6, 'fix: f'), date: '2026-02-30T00:00:00Z' },
    ])
    expect([status, body.errors]).toEqual([
      422,
      {
        commits: [
          'Commit 2 (abcdef1): A mensagem do commit é obrigatória.',
          'Commit 2 (abcdef1): A versão deve ter a forma v<maior>.<menor>.<correção>.',
          'Commit 3: O hash do commit deve ter de 7 a 64 dígitos hexadecimais.',
          'Commit 3: A mensagem do commit deve ser um texto.',
          'Commit 3: A data do commit deve seguir a ISO 8601.',
          'Commit 4: Cada commit deve ser um objeto.',
          `Commit 5 (${hash(5)}): A data do commit é obrigatória.`,
          `Commit 6 (${hash(6)}): A data do commit deve seguir a ISO 8601.`,
        ],
      },
    ])
    expect(await storedEntries()).toEqual([])
  })

  it('takes no commits, an empty message, as git does, and null for a version', async () => {
    expect((await push([])).body.data).toEqual({ imported: 0, skipped: 0, entries: [] })
    expect((await push([sent(1, '', { version: null })])).status).toBe(200)
    expect(await storedEntries()).toMatchObject([{ title: '(sem mensagem)' }])
  })

  it('accepts a body of at most 1 MiB', async () => {
    const frame = JSON.stringify({ commits: [sent(1, '')] }).length
    const statusOf = async (bytes: number) => {
      const commits = [sent(1, 'x'.repeat(bytes - frame))]
      const body = JSON.stringify({ commits })
      return (await call(SYNC_PATH, { token, body })).status
    }
    expect(await statusOf(1024 * 1024 + 1)).toBe(413)
    expect(await statusOf(1024 * 1024)).toBe(200)
  })

  it('accepts commits only from administrators', async () => {
    const informer = { token: await tokenOf('ana@example.org') }
    const { status, body } = await push([sent(1, 'fix: a')], {}, informer)
    expect([status, body]).toEqual([
      403,
      { success: false, message: 'Acesso restrito a administradores.' },
    ])
    expect(await storedEntries()).toEqual([])
  })
})
