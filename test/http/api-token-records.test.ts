import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newApiToken } from '../support/api-tokens.ts'
import { servedRepository, SYNC_PATH } from '../support/changelog-imports.ts'
import { ENTRY } from '../support/changelogs.ts'
import { call, callJson, newUser, tokenOfNew } from '../support/helper.ts'
import { createProcess, newMember } from '../support/processes.ts'

describe('records', () => {
  it('name the token, while there is one; and its maker as the actor', async () => {
    const { id, token, maker } = await newApiToken([
      'changelogs:write',
      'audit-events:read',
    ])
    const created = await callJson('/changelogs', { token, body: ENTRY })
    expect(created.status).toBe(201)

    const records = async () =>
      (
        await callJson(`/audit-events?api_token_id=${id.toUpperCase()}`, {
          token: await tokenOfNew(await newUser('administrator')),
        })
      ).body.data
    const record = {
      actor_id: maker,
      action: 'changelog.created',
      subject_id: created.body.data.id,
    }
    expect(await records()).toMatchObject([
      { ...record, api_token: { id, name: 'Programa' } },
    ])
    await env.DB.prepare('delete from api_tokens where id = ?').bind(id).run()
    expect(await records()).toMatchObject([{ ...record, api_token: { id, name: null } }])
  })

  it('filter by api_token_id alone a UUID', async () => {
    const { token } = await newApiToken(['audit-events:read'])
    const { status, body } = await callJson('/audit-events?api_token_id=1', { token })
    expect([status, body.errors]).toEqual([
      422,
      { api_token_id: ['O parâmetro api_token_id deve ser um UUID.'] },
    ])
  })

  it('of a read are once a day for each token and for its maker', async () => {
    const { groups } = await createProcess()
    const informer = await newMember(groups[0].id)
    const { id: maker } = await newUser('administrator')
    const login = await tokenOfNew({ id: maker, role: 'administrator' })
    const one = await newApiToken(['informers:read'], { maker })
    const other = await newApiToken(['informers:read'], { maker })
    for (const token of [one.token, login, other.token, one.token, login]) {
      await call(`/informers/${informer}`, { token })
    }
    const { results } = await env.DB.prepare(
      'select api_token_id from audit_events where subject_id = ? order by rowid',
    )
      .bind(informer)
      .all()
    expect(results.map(({ api_token_id }) => api_token_id)).toEqual([
      one.id,
      null,
      other.id,
    ])
  })
})

it('an Idempotency-Key is of the token, and not of its maker', async () => {
  const { id: maker } = await newUser('administrator')
  const tokens = [
    (await newApiToken(['changelogs:write'], { maker })).token,
    (await newApiToken(['changelogs:write'], { maker })).token,
    await tokenOfNew({ id: maker, role: 'administrator' }),
  ]
  const create = async (token: string) =>
    (
      await callJson('/changelogs', {
        token,
        body: ENTRY,
        headers: { 'Idempotency-Key': 'same' },
      })
    ).body.data.id
  const ids = []
  for (const token of tokens) ids.push(await create(token))
  expect(new Set(ids).size).toBe(3)
  expect(await create(tokens[0] ?? '')).toBe(ids[0])
})

it('each token is a caller of its own for imports of the repository', async () => {
  const { settings, serve } = servedRepository()
  await serve({ commits: [] })
  const { id: maker } = await newUser('administrator')
  const [one, other] = [
    await newApiToken(['changelogs:write'], { maker }),
    await newApiToken(['changelogs:write'], { maker }),
  ]
  const importWith = async ({ token }: { token: string }) =>
    (await call(SYNC_PATH, { method: 'POST', token, env: settings })).status
  const statuses = []
  for (let time = 0; time < 7; time++) statuses.push(await importWith(one))
  expect(statuses.slice(0, 6)).not.toContain(429)
  expect(statuses[6]).toBe(429)
  expect(await importWith(other)).toBe(statuses[0])
})
