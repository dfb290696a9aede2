import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { administratorToken, call, callJson, tokenFor } from '../helper.ts'

const VERSION = 'select token_version from users where id = ?'

/** Creates an informer in a group, under a key that a repetition has, too. */
async function create() {
  const key = crypto.randomUUID()
  const group = await env.DB.prepare('select id from groups limit 1').first<string>('id')
  const repeat = async () =>
    callJson('/informers', {
      token: await administratorToken(),
      body: { first_name: 'Lázaro', email: `${key}@example.org`, group_id: group },
      headers: { 'Idempotency-Key': key },
    })
  const { status, body } = await repeat()
  expect(status).toBe(201)
  return { id: body.data.id as string, group, repeat }
}

it('POST /v1/informers, repeated with its key, does not restore a group that was taken away since', async () => {
  const { id, group, repeat } = await create()
  const token = await administratorToken()
  await call(`/informers/${id}/groups/${group}`, { method: 'DELETE', token })
  const { status, body } = await repeat()
  expect([status, body.data.id, body.data.group]).toEqual([201, id, null])
  const events = await callJson(`/audit-events?subject_id=${id}`, { token })
  expect(events.body.data.map(({ action }: { action: string }) => action)).toEqual([
    'group.dissociated',
    'informer.created',
  ])
})

it('POST /v1/informers, repeated after a deletion, does not make the old tokens valid again', async () => {
  const { id, repeat } = await create()
  const tokenVersion = (await env.DB.prepare(VERSION).bind(id).first<number>('token_version')) ?? 0
  const old = await tokenFor({ id, role: 'informer', tokenVersion })
  expect((await call('/cover', { token: old })).status).toBe(200)
  await call(`/informers/${id}`, { method: 'DELETE', token: await administratorToken() })
  expect((await call('/cover', { token: old })).status).toBe(401)
  expect((await repeat()).body.data.id).toBe(id)
  expect((await call('/cover', { token: old })).status).toBe(401)
})
