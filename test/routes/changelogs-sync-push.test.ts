import { beforeEach, describe, expect, it } from 'vitest'
import { hash, push, resetImports, sent, storedEntries } from '../changelog-imports.ts'
import { createEntry } from '../changelogs.ts'
import {
  administratorToken,
  beforeRoundTrips,
  call,
  callJson,
  counting,
} from '../helper.ts'

let token: string
beforeEach(async () => {
  token = await administratorToken()
  await resetImports()
})

describe('POST /v1/changelogs/sync-from-git with commits', () => {
  it('imports them as drafts', async () => {
    const { status, body } = await push([
      sent(
        1,
        'feat(capa)!: nova capa\n\nCom *corpo*.\n\nSigned-off-by: A <a@example.org>',
        {
          version: 'v3.0.0',
        },
      ),
      sent(2, 'docs: b'),
    ])
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, message: 'Sincronização concluída.' })
    expect(body.data).toMatchObject({ imported: 2, skipped: 0 })
    expect(body.data.entries[0]).toMatchObject({
      version: 'v3.0.0',
      date: '2026-01-01',
      title: 'nova capa',
      description: 'Com *corpo*.',
      category: 'Nova Funcionalidade',
      is_published: false,
      git_commit_hash: hash(1),
    })
    const shown = await callJson(`/changelogs/${body.data.entries[0].id}`, { token })
    expect(shown.body.data).toEqual(body.data.entries[0])
    expect((await call(`/changelogs/${body.data.entries[0].id}`)).status).toBe(404)
  })

  it('skips merges and known commits, so a second import changes nothing', async () => {
    const commits = [
      sent(1, 'fix: a'),
      sent(2, "Merge branch 'a'"),
      sent(3, 'feat: b', { parents: [hash(1), hash(2)] }),
      sent(4, 'docs: c'),
      sent(4, 'docs: c'),
    ]
    expect((await push(commits)).body.data).toMatchObject({ imported: 2, skipped: 3 })
    const before = await storedEntries()
    expect((await push(commits)).body.data).toMatchObject({
      imported: 0,
      skipped: 5,
      entries: [],
    })
    expect(await storedEntries()).toEqual(before)
  })

  it('recognizes a commit in upper case, of a manual entry, and of a deleted entry', async () => {
    const { body: byHand } = await createEntry({ git_commit_hash: 'ab'.repeat(20) })
    const { body } = await push([
      sent(1, 'fix: a'),
      { ...sent(2, 'fix: b'), hash: 'AB'.repeat(20) },
    ])
    expect(body.data).toMatchObject({ imported: 1, skipped: 1 })
    for (const id of [byHand.data.id, body.data.entries[0].id]) {
      expect((await call(`/changelogs/${id}`, { method: 'DELETE', token })).status).toBe(
        200,
      )
    }
    const again = await push([
      sent(1, 'fix: a'),
      { ...sent(2, 'fix: b'), hash: 'ab'.repeat(20) },
    ])
    expect(again.body.data).toMatchObject({ imported: 0, skipped: 2 })
    expect(await storedEntries()).toEqual([])
  })

  it('keeps an entry that is created by hand between the read and the write of an import', async () => {
    let trips = 0
    const DB = beforeRoundTrips(async (trip) => {
      trips = trip
      if (trip === 3) {
        expect(
          (await createEntry({ title: 'À mão', git_commit_hash: hash(2) })).status,
        ).toBe(201)
      }
    })
    const commits = [sent(1, 'fix: a'), sent(2, 'fix: b')]
    expect((await push(commits, {}, { env: { DB } })).body.data).toMatchObject({
      imported: 1,
      skipped: 1,
    })
    expect(trips).toBe(3)
    expect(await storedEntries()).toMatchObject([
      { title: 'a' },
      { title: 'À mão', version: 'v2.0.0' },
    ])
    expect((await push(commits)).body.data).toMatchObject({ imported: 0, skipped: 2 })
  })

  it('recognizes a commit that was replaced in its entry', async () => {
    const { body } = await push([sent(1, 'fix: a')])
    await call(`/changelogs/${body.data.entries[0].id}`, {
      method: 'PUT',
      token,
      body: { git_commit_hash: hash(9) },
    })
    expect((await push([sent(1, 'fix: a')])).body.data).toMatchObject({
      imported: 0,
      skipped: 1,
    })
  })

  it('describes a commit without a body by its title as it is shown', async () => {
    await push([sent(1, `fix: ${'ç'.repeat(300)}`)])
    const [entry] = await storedEntries()
    expect([entry?.title, entry?.description]).toEqual(['ç'.repeat(255), 'ç'.repeat(255)])
  })

  it('dates an entry by the day of its commit in UTC', async () => {
    await push([
      sent(1, 'fix: a', { date: '2026-01-31T23:30:00-03:00' }),
      sent(2, 'fix: b', { date: '2026-02-03' }),
    ])
    expect((await storedEntries()).map(({ date }) => date)).toEqual([
      '2026-02-01',
      '2026-02-03',
    ])
  })

  it('takes a thousand commits in one transaction of few statements', async () => {
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

  it('imports an empty list', async () => {
    expect((await push([])).body.data).toEqual({ imported: 0, skipped: 0, entries: [] })
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
})
