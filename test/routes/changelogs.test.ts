import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEntry, versionsOf } from '../support/changelogs.ts'
import {
  administratorToken,
  call,
  callJson,
  tokenOf,
  UNKNOWN_ID,
} from '../support/helper.ts'

const NOT_FOUND = { success: false, message: 'Registro não encontrado.' }

let token: string
beforeEach(async () => {
  token = await administratorToken()
  // every test begins with the entries of the demo data
  await env.DB.prepare('delete from changelogs where version like ?').bind('v2.%').run()
})

describe('GET /v1/changelogs', () => {
  it('shows published entries to the public, newest first', async () => {
    const { status, body, headers } = await callJson('/changelogs')
    expect(status).toBe(200)
    expect(versionsOf(body)).toEqual(['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0'])
    expect(body.pagination).toMatchObject({ total: 4, per_page: 12, last_page: 1 })
    expect(headers.get('Cache-Control')).toMatch(/^public, max-age=/)
    expect(headers.get('Vary')).toContain('Authorization')
    expect(headers.has('X-Request-Id')).toBe(false)
  })

  it('shows an informer the same, privately cacheable', async () => {
    const own = await callJson('/changelogs', { token: await tokenOf('ana@example.org') })
    expect(own.body).toEqual((await callJson('/changelogs')).body)
    expect(own.headers.get('Cache-Control')).toBe('private, no-cache')
  })

  it.each([
    ['', ['v1.1.0', 'v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
    ['?is_published=false', ['v1.1.0']],
    ['?is_published=0', ['v1.1.0']],
    ['?is_published=true', ['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
    ['?is_published=1', ['v1.0.1', 'v1.0.0', 'v0.10.0', 'v0.9.0']],
  ])('shows an administrator with "%s" %j, not cacheable', async (query, versions) => {
    const { body, headers } = await callJson(`/changelogs${query}`, { token })
    expect(versionsOf(body)).toEqual(versions)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.has('X-Request-Id')).toBe(true)
  })

  it.each([
    ['anonymous', async () => undefined, 401],
    ['an informer', () => tokenOf('ana@example.org'), 403],
  ])(
    'rejects drafts for %s before a wrong parameter',
    async (_, tokenOfCaller, status) => {
      const caller = await tokenOfCaller()
      for (const value of ['false', '0']) {
        expect(
          (await call(`/changelogs?is_published=${value}&page=0`, { token: caller }))
            .status,
        ).toBe(status)
      }
    },
  )

  it('orders by date, then by version as numbers, then by newest created', async () => {
    for (const version of ['v2.9.0', 'v2.10.0', 'v2.1.10', 'v2.1.9']) {
      await createEntry({ version })
    }
    await createEntry({ version: 'v2.9.0', title: 'Depois' })
    await createEntry({ version: 'v2.0.1', date: '2026-11-02' })
    const { body } = await callJson(
      '/changelogs?date_from=2026-11-01&date_to=2026-11-02',
      {
        token,
      },
    )
    expect(versionsOf(body)).toEqual([
      'v2.0.1',
      'v2.10.0',
      'v2.9.0',
      'v2.9.0',
      'v2.1.10',
      'v2.1.9',
    ])
    expect(body.data[2].title).toBe('Depois')
  })

  it.each([
    ['category=Nova%20Funcionalidade', ['v1.0.0', 'v0.9.0']],
    ['category=Corre%C3%A7%C3%A3o', ['v1.0.1']],
    ['category=Atualiza%C3%A7%C3%A3o', []],
    ['version=v0.10.0', ['v0.10.0']],
    ['version=v9.9.9', []],
    ['date_from=2026-10-05', ['v1.0.1', 'v1.0.0']],
    ['date_to=2026-09-14', ['v0.10.0', 'v0.9.0']],
    ['date_from=2026-09-14&date_to=2026-10-05', ['v1.0.0', 'v0.10.0']],
    ['date_from=2026-10-05&date_to=2026-10-05', ['v1.0.0']],
    ['date_from=2026-09-01&category=Nova%20Funcionalidade', ['v1.0.0']],
    ['per_page=2&page=2', ['v0.10.0', 'v0.9.0']],
    ['page=3', []],
  ])('filtered by %s shows %j', async (query, versions) => {
    const { status, body } = await callJson(`/changelogs?${query}`)
    expect([status, versionsOf(body)]).toEqual([200, versions])
  })

  it.each([
    [
      'category=melhoria&version=1.0&is_published=yes&date_from=x&per_page=101',
      'category version is_published date_from per_page',
    ],
    ['date_from=2026-02-02&date_to=2026-02-01', 'date_to'],
  ])('rejects %s', async (query, fields) => {
    const { status, body } = await callJson(`/changelogs?${query}`)
    expect([status, Object.keys(body.errors).sort()]).toEqual([
      422,
      fields.split(' ').sort(),
    ])
  })
})

describe('GET /v1/changelogs/{id}', () => {
  it('shows the public a published entry, and responds 304 to a current ETag', async () => {
    const { body: list } = await callJson('/changelogs')
    const { status, body, headers } = await callJson(`/changelogs/${list.data[0].id}`)
    expect([status, body]).toEqual([200, { success: true, data: list.data[0] }])
    expect(headers.get('Cache-Control')).toMatch(/^public, max-age=/)
    const again = await call(`/changelogs/${list.data[0].id.toUpperCase()}`, {
      headers: { 'If-None-Match': headers.get('ETag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  it('shows a draft only to administrators', async () => {
    const { body } = await createEntry()
    const path = `/changelogs/${body.data.id}`
    expect(await callJson(path)).toMatchObject({ status: 404, body: NOT_FOUND })
    expect((await call(path, { token: await tokenOf('ana@example.org') })).status).toBe(
      404,
    )
    const own = await callJson(path, { token })
    expect([own.status, own.body.data]).toEqual([200, body.data])
    expect(own.headers.get('Cache-Control')).toBe('no-store')
  })

  it.each(['1', 'publish', 'sync-from-git', '%00', 'null', UNKNOWN_ID])(
    'does not find %s',
    async (path) => {
      for (const caller of [undefined, token]) {
        const { status, body } = await callJson(`/changelogs/${path}`, { token: caller })
        expect([status, body]).toEqual([404, NOT_FOUND])
      }
    },
  )
})
