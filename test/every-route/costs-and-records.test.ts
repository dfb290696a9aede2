import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { dayIn, newApiToken } from '../support/api-tokens.ts'
import { type Call, call, counting } from '../support/helper.ts'
import { cases, newRequest } from '../support/routes.ts'
import { SCOPES } from '#domain/api-tokens.ts'

async function recordsSince(rowid: number | null): Promise<string[]> {
  const { results } = await env.DB.prepare(
    'select action from audit_events where rowid > ? order by rowid',
  )
    .bind(rowid ?? 0)
    .all<{ action: string }>()
  return results.map(({ action }) => action)
}

/** What a request costs and leaves. */
async function outcomeOf(path: string, options: Call) {
  const last = await env.DB.prepare('select max(rowid) as n from audit_events').first<
    number | null
  >('n')
  const { binding: DB, count, behind } = counting()
  const { status } = await call(path, { ...options, env: { ...options.env, DB } })
  return {
    status,
    roundTrips: count.roundTrips,
    behind: behind.roundTrips,
    records: await recordsSince(last),
  }
}

it.each(Object.entries(cases))(
  '%s takes its round trips and leaves its records, for a login and for an API token',
  async (name, { status = 200, roundTrips, behind = 0, records = [], scopes = [] }) => {
    const first = await newRequest(name)
    const outcome = { status, roundTrips, behind, records }
    expect(await outcomeOf(first.path, first.call)).toEqual(outcome)

    if (!first.call.token || scopes.length === 0) return
    const second = await newRequest(name)
    const { token } = await newApiToken([...SCOPES], { last_used_on: dayIn(0) })
    expect(await outcomeOf(second.path, { ...second.call, token })).toEqual(outcome)
  },
)
