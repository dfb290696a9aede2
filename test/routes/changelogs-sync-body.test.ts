import { beforeEach, describe, expect, it } from 'vitest'
import {
  hash,
  push,
  resetImports,
  SYNC_PATH,
  sent,
  storedEntries,
} from '../changelog-imports.ts'
import { administratorToken, call, tokenOf } from '../helper.ts'

beforeEach(resetImports)

describe('POST /v1/changelogs/sync-from-git', () => {
  const hashes = (count: number) =>
    Array.from({ length: count }, (_, number) => hash(number))
  const wrong = (fields: object) => [{ ...sent(1, 'fix: a'), ...fields }]
  it.each([
    ['no list', 'x'],
    ['an object', {}],
    ['a text for a commit', ['x']],
    ['null for a commit', [null]],
    ['a hundred thousand numbers', Array(100_000).fill(0)],
    [
      'a thousand bad tags of each of four hundred',
      Array.from({ length: 400 }, () => wrong({ tags: Array(1000).fill(0) })[0]),
    ],
    ['a hundred thousand parents', wrong({ parents: Array(100_000).fill(0) })],
    [
      'more than a thousand',
      Array.from({ length: 1001 }, (_, number) => sent(number, 'fix: x')),
    ],
    ['a short hash', wrong({ hash: 'abcdef' })],
    ['a date that is none', wrong({ date: '2026-02-30T00:00:00Z' })],
    ['a date of another type', wrong({ date: 1769860800 })],
    ['tags that are no list', wrong({ tags: 'v1.0.0' })],
    ['parents that are no list', wrong({ parents: 'abcdef1' })],
    ['more than a hundred parents', wrong({ parents: hashes(101) })],
  ])('rejects %s, and imports nothing', async (_, commits) => {
    const good =
      Array.isArray(commits) && commits.length < 1000
        ? [sent(99, 'feat: good'), ...commits]
        : commits
    const { status, body } = await push(good)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['commits']])
    expect(body.errors.commits.join()).not.toMatch(/[Ii]nvalid/)
    expect(new Set(body.errors.commits).size).toBe(body.errors.commits.length)
    expect(await storedEntries()).toEqual([])
  })

  it('reports all errors, each with the position and hash of its commit', async () => {
    const { status, body } = await push(
      [
        sent(1, 'fix: good'),
        { ...sent(2, 'fix: b', { version: '1.0' }), hash: 'ABCDEF1', message: undefined },
        { hash: 'x', message: 1, date: '31/01/2026' },
        null,
        { ...sent(5, 'fix: e'), date: undefined },
      ],
      { tags: [1], bump: 'huge' },
    )
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
        ],
        tags: ['As tags devem ser uma lista de textos.'],
        bump: ['O campo bump deve ser um destes: patch, minor, major.'],
      },
    ])
    expect(await storedEntries()).toEqual([])
  })

  it('takes a hundred parents of a commit, which count once in any case', async () => {
    const parents = [...hashes(100), ...hashes(100).map((parent) => parent.toUpperCase())]
    expect((await push([sent(200, 'fix: a', { parents })])).status).toBe(200)
    const { status, body } = await push([sent(201, 'fix: b', { parents: hashes(101) })])
    const text = `Commit 1 (${hash(201)}): Envie no máximo 100 pais por commit.`
    expect([status, body.errors]).toEqual([422, { commits: [text] }])
  })

  it('takes a parent that is named 85,000 times for one', async () => {
    const short = sent(1, 'fix: a', { parents: [] })
    const parents = Array(85_000).fill('abcdef1')
    const { body } = await push([
      { ...short, hash: 'abcdef1' },
      sent(2, 'fix: b', { parents }),
    ])
    expect(body.data).toMatchObject({ imported: 2, skipped: 0 })
  })

  it('takes an empty message, as git does, and null for what is not sent', async () => {
    const nothing = { tags: null, version: null, parents: null }
    expect((await push([sent(1, '', nothing)])).status).toBe(200)
    expect(await storedEntries()).toMatchObject([{ title: '(sem mensagem)' }])
  })

  it.each([
    [Array(10_001).fill(0), ['Envie no máximo 10.000 tags por vez.']],
    ['v1.0.0', ['As tags devem ser uma lista de textos.']],
    [[null], ['As tags devem ser uma lista de textos.']],
  ])('rejects tags that are no list of at most 10,000 texts', async (tags, texts) => {
    const { status, body } = await push([sent(1, 'fix: a')], { tags })
    expect([status, body.errors]).toEqual([422, { tags: texts }])
  })

  it('takes 10,000 tags', async () => {
    expect(
      (await push([sent(1, 'fix: a')], { tags: Array(10_000).fill('v1.0.0') })).status,
    ).toBe(200)
  })

  it('accepts a body of at most 1 MiB', async () => {
    const body = (bytes: number) => {
      const frame = JSON.stringify({ commits: [sent(1, 'fix: ')] }).length
      return JSON.stringify({ commits: [sent(1, `fix: ${'x'.repeat(bytes - frame)}`)] })
    }
    const token = await administratorToken()
    expect((await call(SYNC_PATH, { token, body: body(1024 * 1024 + 1) })).status).toBe(
      413,
    )
    expect((await call(SYNC_PATH, { token, body: body(1024 * 1024) })).status).toBe(200)
  })

  it('accepts commits only from administrators', async () => {
    const { status, body } = await push(
      [sent(1, 'fix: a')],
      {},
      { token: await tokenOf('ana@example.org') },
    )
    expect([status, body]).toEqual([
      403,
      { success: false, message: 'Acesso restrito a administradores.' },
    ])
    expect(await storedEntries()).toEqual([])
  })
})
