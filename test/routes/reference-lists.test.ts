import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  call,
  callJson,
  counting,
  failingDatabase,
  runAfterTest,
} from '../support/helper.ts'
import { isolate } from '../support/isolate.ts'
import { logged } from '../support/logs.ts'
import { create, referenceLists } from '../support/resources.ts'
import { fold } from '#domain/folding.ts'

const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name)

describe('GET /v1/categories', () => {
  it('lists twelve categories a page', async () => {
    const { status, body } = await callJson('/categories')
    expect([status, body.success]).toEqual([200, true])
    expect(body.pagination).toEqual({
      current_page: 1,
      per_page: 12,
      total: 100,
      last_page: 9,
      from: 1,
      to: 12,
      has_more_pages: true,
    })
    const all = names((await callJson('/categories?per_page=100')).body)
    expect(names(body)).toEqual(all.slice(0, 12))
  })

  it('filters by active or inactive, also with a search', async () => {
    await env.DB.prepare(
      "update categories set active = 0 where name in ('Cardeal', 'Abade')",
    ).run()
    runAfterTest('update categories set active = 1')
    expect((await callJson('/categories?active=true')).body.pagination.total).toBe(98)
    const { body } = await callJson('/categories?active=false')
    expect(names(body)).toEqual(['Abade', 'Cardeal'])
    expect(body.data[0].active).toBe(false)
    const found = await callJson('/categories?active=false&search=conclave')
    expect(names(found.body)).toEqual(['Cardeal'])
  })

  const PAGE = 'O parâmetro page deve ser um número inteiro a partir de 1.'
  const PER_PAGE = 'O parâmetro per_page deve ser um número inteiro de 1 a 500.'
  const ACTIVE = 'O parâmetro active deve ser true ou false.'
  it.each([
    ['page=1&page=2', { page: ['O parâmetro page só pode ser informado uma vez.'] }],
    [
      'per_page=501&page=x&active=1',
      { page: [PAGE], per_page: [PER_PAGE], active: [ACTIVE] },
    ],
  ])('rejects %s', async (query, errors) => {
    const { status, body } = await callJson(`/categories?${query}`)
    expect([status, body.errors]).toEqual([422, errors])
  })

  it('accepts as much as it says, and ignores the unknown', async () => {
    const query = `page=001&per_page=500&search=${'😀'.repeat(100)}&x=ignored`
    expect((await call(`/categories?${query}`)).status).toBe(200)
  })

  it('rejects without a round trip', async () => {
    const { binding, count } = counting()
    const refused = [
      await call('/categories?page=0', { env: { DB: binding } }),
      await call('/categories', { token: 'x.y.z', env: { DB: binding } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([422, 401])
    expect(count.roundTrips).toBe(0)
  })
})

// how a search finds and sorts is in test/domain/searchable-list.test.ts
it.each([
  ['/categories?search=emerito%20%20arcebispo', ['Arcebispo Emérito']],
  ['/categories?search=CONCLAVE', ['Cardeal']], // in the description
  ['/dioceses?search=sp', ['Arquidiocese de Vitória do Espírito Santo']], // not in the state
  ['/dioceses?state=ZZ', []],
  ['/dioceses?state=RR', ['Diocese de Roraima']],
  [
    '/dioceses?state=SP&search=SAO+JOSE',
    ['Arquidiocese de São José do Rio Preto', 'Diocese de São José dos Campos'],
  ],
  // in the name, and in the description
  ['/treatment-pronouns?search=dom', ['Dom', 'Dom (Cardeal)', 'Abade', 'Frei']],
])('GET /v1%s finds %j', async (path, found) => {
  const { status, body } = await callJson(path)
  expect([status, names(body)]).toEqual([200, found])
})

it.each(['sp', 'S', 'SPA', '', 'S%C3%83'])(
  'GET /v1/dioceses rejects the state %s',
  async (state) => {
    const { status, body } = await callJson(`/dioceses?state=${state}`)
    expect([status, body.errors]).toEqual([
      422,
      { state: ['O parâmetro state deve ser a sigla de um estado.'] },
    ])
  },
)

it('GET /v1/treatment-pronouns ignores a filter that only dioceses have', async () => {
  const { status, body } = await callJson('/treatment-pronouns?state=x')
  expect([status, body.data.length]).toEqual([200, 12])
})

describe.each(referenceLists)('GET /v1$path', (list) => {
  const { path, table } = list
  const MINUTE = 60_000
  const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))

  it('sorts by name without case or accents', async () => {
    const folded = names((await callJson(`${path}?per_page=500`)).body).map(fold)
    expect(folded.length).toBeGreaterThan(12)
    expect(folded).toEqual(folded.toSorted())
  })

  it('responds to any other search, filter or page without a round trip, and reads each row once', async () => {
    await create(list)
    const { count, get } = isolate()
    for (const query of [
      '',
      '?search=a',
      '?search=b&page=2',
      '?active=false',
      '?per_page=100&page=3',
    ]) {
      expect((await get(path + query)).status).toBe(200)
    }
    expect(count.roundTrips).toBe(1)
    expect(count.rowsRead).toBe(
      await env.DB.prepare(`select count(*) as n from ${table}`).first('n'),
    )
  })

  it('has another ETag with other rows, and in another version of the Worker', async () => {
    const etagIn = async (id: string) => {
      const VERSION = { id, tag: '', timestamp: '' }
      const options = { env: { DB: isolate().binding, VERSION } }
      return (await call(path, options)).headers.get('ETag')
    }
    const [before, elsewhere] = [await etagIn('a'), await etagIn('b')]
    await create(list)
    const after = await etagIn('a')
    expect(before).toMatch(/^"[\w-]{43}\.a"$/)
    expect(new Set([before, elsewhere, after]).size).toBe(3)
  })

  it('serves stale data for ten minutes while the database fails, then 503', async () => {
    let isFailing = false
    const DB = failingDatabase(OVERLOADED, () => isFailing)
    const status = async () => (await call(path, { env: { DB } })).status
    expect(await status()).toBe(200)
    isFailing = true
    const statuses: number[] = []
    for (let minute = 1; minute <= 11; minute++) {
      vi.advanceTimersByTime(MINUTE)
      statuses.push(await status())
    }
    expect(statuses).toEqual([...Array(10).fill(200), 503])
    for (const line of logged('error').slice(0, 10)) {
      expect(line).toMatchObject({
        event: `${path.slice(1)} not refreshed`,
        request_id: expect.any(String),
        error: 'DatabaseError',
      })
    }
    isFailing = false
    expect(await status()).toBe(200)
  })
})
