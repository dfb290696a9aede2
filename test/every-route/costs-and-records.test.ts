import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { call, counting } from '../support/helper.ts'
import { requests } from '../support/requests.ts'
import { costOf } from '../support/routes.ts'

async function recordsSince(rowid: number | null): Promise<string[]> {
  const { results } = await env.DB.prepare(
    'select action from audit_events where rowid > ? order by rowid',
  )
    .bind(rowid ?? 0)
    .all<{ action: string }>()
  return results.map(({ action }) => action)
}

it.each(Object.entries(requests))(
  '%s takes its round trips, and leaves its records',
  async (name, newRequest) => {
    const { path, call: options, status } = await newRequest()
    const last = await env.DB.prepare('select max(rowid) as n from audit_events').first<
      number | null
    >('n')
    const { binding, count, behind } = counting()
    const response = await call(path, {
      ...options,
      env: { ...options.env, DB: binding },
    })

    const cost = { behind: 0, records: [], ...costOf(name) }
    expect(response.status).toBe(status)
    expect(await recordsSince(last)).toEqual(cost.records)
    expect([count.roundTrips, behind.roundTrips]).toEqual([cost.roundTrips, cost.behind])
  },
)
