import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { administratorToken, callJson, counting } from '../support/helper.ts'

const SIZES = [1_000, 100_000]
const GROUP = crypto.randomUUID()
const PROCESS = crypto.randomUUID()
const MEMBERS = 50
/** Of a page of twelve, and one more that tells whether it is full. */
const PAGE = 13 * 12

/** Adds informers up to a number; the first ones are in one group. */
async function grow(to: number) {
  const ids = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to})`
  await env.DB.batch([
    env.DB.prepare(
      `${ids} insert into users (id, role_id, first_name, name_folded, initials, email)
        select printf('%08d-0000-4000-8000-000000000000', i), 1, 'Nome ' || i, 'nome ' || i, 'N', i || '@example.net'
        from n where true on conflict do nothing`,
    ),
    env.DB.prepare(
      `${ids} insert into informer_groups (informer_id, group_id, process_id, name_folded)
        select printf('%08d-0000-4000-8000-000000000000', i), groups.id, process_id, 'nome ' || i
        from n join groups on groups.id = ? where i <= ${MEMBERS} on conflict do nothing`,
    ).bind(GROUP),
  ])
}

/** The cost of a list, without the guard. */
async function costOf(query: string) {
  const token = await administratorToken()
  const { binding, count } = counting()
  const { status, body } = await callJson(`/informers${query}`, {
    token,
    env: { DB: binding },
  })
  expect(status).toBe(200)
  return {
    roundTrips: count.roundTrips,
    rowsRead: count.rowsRead,
    total: body.pagination.total as number,
  }
}

describe.each(SIZES)('GET /v1/informers among %i', (size) => {
  beforeAll(async () => {
    await env.DB.batch([
      env.DB.prepare(
        "insert into processes (id, name, name_folded, protocol, protocol_folded) values (?, 'P', 'p', 'P', 'p') on conflict do nothing",
      ).bind(PROCESS),
      env.DB.prepare(
        "insert into groups (id, process_id, name, name_folded, color, description) values (?, ?, 'G', 'g', '#000000', '') on conflict do nothing",
      ).bind(GROUP, PROCESS),
    ])
    await grow(size)
  })

  it('reads a page in name order, and one index entry per other informer', async () => {
    const { roundTrips, rowsRead, total } = await costOf('')
    expect(roundTrips).toBe(2)
    expect(total).toBeGreaterThanOrEqual(size)
    expect(rowsRead - total).toBeLessThanOrEqual(PAGE)
  })

  it.each([
    [`?group_id=${GROUP}`, 0],
    [`?process_id=${PROCESS}`, 0],
    [`?process_id=${PROCESS}&questionnaire_status=Pendente`, 0],
    [`?group_id=${GROUP}&search=nome`, 2 * MEMBERS], // which are looked at
  ])(
    'reads the page, and the members once for the count, for %s',
    async (query, more) => {
      const { roundTrips, rowsRead, total } = await costOf(query)
      expect([roundTrips, total]).toEqual([2, MEMBERS])
      expect(rowsRead).toBeLessThanOrEqual(MEMBERS + more + PAGE)
    },
  )

  it('reads two index entries of each informer for a search: for the page and the count', async () => {
    const informers = await env.DB.prepare(
      'select count(*) as n from users where role_id = 1',
    ).first('n')
    const { roundTrips, rowsRead, total } = await costOf('?search=no+such+name')
    expect([roundTrips, total]).toEqual([2, 0])
    expect(rowsRead - 2 * Number(informers)).toBeLessThanOrEqual(20)
  })
})
