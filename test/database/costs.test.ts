import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import app from '../../src/index.ts'
import { administratorToken, type Call, callJson, counting, PASSWORD } from '../helper.ts'

// What docs/operating.md reckons the bill with: rows that D1 reads and writes, with the demo data and 1,000 informers.

const INFORMERS = 1_000
const SOMEBODY = { first_name: 'Joana', last_name: 'Reis', email: 'joana@example.net', cpf: '52998224725' }
const informer = `/informers/${'1'.padStart(8, '0')}-0000-4000-8000-000000000000`

let token: string
let group: string
let questionnaire: string

beforeAll(async () => {
  token = await administratorToken()
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${INFORMERS})
      insert into users (id, role_id, first_name, name_folded, initials, email)
      select printf('%08d-0000-4000-8000-000000000000', i), 1, 'Nome ' || i, 'nome ' || i, 'N', i || '@example.net'
      from n`,
  ).run()
  const { body } = await callJson('/processes?search=BR-2026-001', { token })
  group = body.data[0].groups[0].id
  questionnaire = body.data[0].groups[0].questionnaires[0].id
})

/** What is read depends a little on the random ids, so it has a limit; what is written is exact. */
function expectRows(
  { rowsRead, rowsWritten }: ReturnType<typeof counting>['count'],
  limit: number,
  written = 0,
) {
  expect(rowsRead).toBeGreaterThan(0)
  expect(rowsRead).toBeLessThanOrEqual(limit)
  expect(rowsWritten).toBe(written)
}

async function expectCost(path: string, options: Call, limit: number, written = 0) {
  const { binding, count } = counting()
  const { status, body } = await callJson(path, { ...options, env: { DB: binding } })
  expect(status).toBeLessThan(300)
  expectRows(count, limit, written)
  return body
}

it('a login, and the cover of an informer', async () => {
  const body = { email: 'ana@example.org', password: PASSWORD }
  const { data } = await expectCost('/auth/login', { body }, 10, 3)
  await expectCost('/cover', { token: data.access_token }, 30)
})

it('creating an informer, associating one, and recording a completion', async () => {
  await expectCost('/informers', { token, body: { ...SOMEBODY, group_id: group } }, 30, 17)
  await expectCost(`${informer}/groups/${group}`, { token, method: 'PUT' }, 30, 12)
  await expectCost(`${informer}/questionnaires/${questionnaire}`, { token, method: 'PUT' }, 30, 8)
})

it('reading an informer, the processes and the records of who did what', async () => {
  await expectCost(informer, { token }, 40)
  await expectCost('/processes', { token }, 150)
  await expectCost('/audit-events', { token }, 40)
})

it('searching informers reads each twice, listing them once', async () => {
  await expectCost('/informers?search=ninguem', { token }, 2 * INFORMERS + 30)
  await expectCost('/informers?per_page=50', { token }, INFORMERS + 300)
})

it('a run of the cron trigger with nothing to do', async () => {
  const { binding, count } = counting()
  await app.scheduled(createScheduledController(), { ...env, DB: binding } as Env)
  expectRows(count, 10)
})
