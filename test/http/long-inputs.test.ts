import { describe, expect, it } from 'vitest'
import { administratorToken, type Call, callJson } from '../support/helper.ts'

/** Just below the limit of a body. */
const BYTES = 60_000

/** A long text that a pattern nearly matches, or matches in many ways before it fails. */
const long = (piece: string) =>
  piece.repeat(BYTES / Buffer.byteLength(JSON.stringify(piece).slice(1, -1)))

const callAsAdmin = async (path: string, options: Call = {}) =>
  callJson(path, { token: await administratorToken(), ...options })

const ENTRY = {
  version: 'v1.0.0',
  date: '2026-01-31',
  title: 'a',
  description: 'b',
  category: 'Melhoria',
}
const INFORMER = { first_name: 'Rui' }

/**
 * An over-long input is rejected by its length or form, in time that is proportional to its length.
 */
describe('an over-long field', () => {
  it.each([
    ['/informers', INFORMER, 'email', `${long('a')}@example.org`],
    ['/informers', INFORMER, 'email', `${long('a.')}a@example.org`],
    ['/informers', INFORMER, 'email', `a@${long('a.')}org`],
    ['/informers', INFORMER, 'email', `a@${long('a-')}a.org`],
    ['/informers', INFORMER, 'cpf', long('5')],
    ['/informers', INFORMER, 'cpf', `52998224725${long(' ')}`],
    ['/informers', INFORMER, 'group_id', long('a')],
    ['/informers', INFORMER, 'group_id', `${crypto.randomUUID()}${long('-a')}`],
    ['/informers', INFORMER, 'img_url', `https://example.org/${long('a')}`],
    ['/informers', INFORMER, 'img_url', long('https://')],
    ['/informers', INFORMER, 'password', long('aA1')],
    ['/informers', INFORMER, 'phone', long('1')],
    ['/informers', {}, 'first_name', long('a ')],
    ['/informers', {}, 'first_name', `a${long(' ')}a`],
    ['/informers', {}, 'first_name', long('☺\u200d')],
    ['/informers', {}, 'first_name', long('न\u200d')],
    ['/processes', { name: 'a' }, 'protocol', long('ﬃ\u0301')],
    ['/processes', { name: 'a', protocol: 'a' }, 'groups', long('#')],
    ['/changelogs', ENTRY, 'version', `v1.0.${long('1')}`],
    ['/changelogs', ENTRY, 'version', `v${long('1.')}`],
    ['/changelogs', ENTRY, 'date', `2026-01-3${long('1')}`],
    ['/changelogs', ENTRY, 'date', long('2026-01-31')],
    ['/changelogs', ENTRY, 'git_commit_hash', long('a')],
    ['/changelogs', ENTRY, 'title', long('a\u0301')],
    ['/changelogs', ENTRY, 'description', long('a\n')],
    ['/changelogs', ENTRY, 'category', long('Melhoria')],
    ['/changelogs/publish', {}, 'version', `v1.0.${long('1')}`],
    ['/changelogs/publish', {}, 'ids', [long('a')]],
    ['/auth/email/verify', {}, 'token', long('a')],
    ['/auth/password/reset', { password: 'Segredo1' }, 'token', long('a')],
    ['/auth/password/forgot', {}, 'email', `a@${long('a.')}`],
  ])('of POST /v1%s is 422, %#', async (path, others, field, value) => {
    const { status, body } = await callAsAdmin(path, {
      body: { ...others, [field]: value },
    })
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]])
  })

  it.each([
    ['hash', long('a')],
    ['date', `2026-01-01T00:00:00.${long('1')}x`],
    ['date', `2026-01-01T00:00:00${long('+00:00')}`],
    ['version', `v${long('1.')}`],
  ])('of a commit is 422: %s', async (field, value) => {
    const commit = {
      hash: 'abcdef1',
      message: 'fix: a',
      date: '2026-01-01',
      [field]: value,
    }
    const { status, body } = await callAsAdmin('/changelogs/sync-from-git', {
      body: { commits: [commit] },
    })
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['commits']])
  })

  it.each([
    long('a'),
    `${long('a')}: `,
    `feat(${long('a')}`,
    `fix: a\n\n${long('A-b: c\n')}`,
    `fix: a\n\n${long('\n \n')}b`,
    `fix: a\n\n${long('BREAKING CHANGE ')}`,
    `Merge ${long('a')}`,
    `Merge ${long('a:b, ')}`,
    `Merge ${long('a:b into ')}`,
    `Merge ${long('./')}; ${long(' into')}\u2028`,
  ])('that is a commit message is imported or skipped, %#', async (message) => {
    const commit = { hash: 'abcdef1', message, date: '2026-01-01' }
    const { status } = await callAsAdmin('/changelogs/sync-from-git', {
      body: { commits: [commit] },
    })
    expect(status).toBe(200)
  })
})

describe('an over-long parameter', () => {
  it.each([
    ['/categories', 'page', `${long('1')}x`],
    ['/categories', 'per_page', long('1')],
    ['/categories', 'search', long('a\u0301')],
    ['/dioceses', 'state', long('A')],
    ['/changelogs', 'version', `v${long('1.')}`],
    ['/changelogs', 'date_from', long('2026-01-31')],
    ['/changelogs', 'is_published', long('true')],
    ['/informers', 'group_id', long('a')],
    ['/audit-events', 'actor_id', long('a-')],
  ])('of GET /v1%s is 422: %s', async (path, parameter, value) => {
    const { status, body } = await callAsAdmin(
      `${path}?${new URLSearchParams({ [parameter]: value })}`,
    )
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [parameter]])
  })

  it('page is past the end: 200 without rows', async () => {
    const { status, body } = await callAsAdmin(`/categories?page=${long('1')}`)
    expect([status, body.data]).toEqual([200, []])
  })

  it.each(['informers', 'changelogs'])(
    'in the path of GET /v1/%s/… is 404',
    async (list) => {
      expect((await callAsAdmin(`/${list}/${long('a-')}`)).status).toBe(404)
    },
  )

  it.each([`/v1${long('/api')}`, `/v1${long('/')}`])(
    'that is a path of no route is 404, %#',
    async (path) => {
      expect((await callJson(`https://service.example${path}`)).status).toBe(404)
    },
  )
})

describe('an over-long header', () => {
  it.each([
    ['If-None-Match', long('"a", '), 200],
    ['If-None-Match', long('W/'), 200],
    ['If-None-Match', `"a"${long(' ')},`, 200],
    ['Authorization', `Bearer ${long('a.')}`, 401],
    ['Authorization', `Bearer${long(' ')}a b`, 401],
    ['Authorization', `Bearer eyJ.${long('a')}`, 401],
    ['Accept', long('text/html;q=0,'), 200],
    ['Origin', `https://${long('a.')}`, 200],
  ])('%s of GET /v1/categories is ignored or rejected', async (name, value, status) => {
    expect(
      (await callAsAdmin('/categories', { headers: { [name]: value } })).status,
    ).toBe(status)
  })

  it.each([
    ['Content-Type', `application/json${long(' ')}x`, 415],
    ['CF-Connecting-IP', long(':'), 401],
    ['CF-Connecting-IP', long('a:'), 401],
  ])('%s of POST /v1/auth/login is ignored or rejected', async (name, value, status) => {
    const body = { email: `${crypto.randomUUID()}@example.org`, password: 'Errada1' }
    expect(
      (await callJson('/auth/login', { body, headers: { [name]: value } })).status,
    ).toBe(status)
  })

  it('Idempotency-Key of POST /v1/informers works like a short one', async () => {
    const options = { body: INFORMER, headers: { 'Idempotency-Key': long('a') } }
    const [first, second] = [
      await callAsAdmin('/informers', options),
      await callAsAdmin('/informers', options),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.data.id).toBe(first.body.data.id)
  })
})
