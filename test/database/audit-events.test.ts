import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import security from '../../SECURITY.md?raw'
import { servedCommits, servedRepository } from '../changelog-imports.ts'
import { ENTRY } from '../changelogs.ts'
import { callJson, newUser, tokenFor } from '../helper.ts'

/** The audit records of an administrator, oldest first. */
async function recordsOf(actorId: string) {
  const { results } = await env.DB.prepare(
    'select * from audit_events where actor_id = ? order by rowid',
  )
    .bind(actorId)
    .all<Record<string, string | null>>()
  return results
}

/** A new administrator, with the audit records of its calls. */
async function newActor() {
  const user = await newUser('administrator')
  const token = await tokenFor(user)
  return {
    id: user.id,
    call: (path: string, options: Parameters<typeof callJson>[1]) =>
      callJson(path, { token, ...options }),
    records: () => recordsOf(user.id),
    actions: async () =>
      (await recordsOf(user.id)).map(({ action, subject_id }) => [action, subject_id]),
  }
}

const newHash = () => crypto.randomUUID().replaceAll('-', '')
const commits = (count: number, body = '') =>
  Array.from({ length: count }, () => ({
    hash: newHash(),
    message: `feat: um recurso\n\n${body}`,
    date: '2026-01-31T12:00:00Z',
  }))

describe('a write by a logged-in user', () => {
  it('records actor, action, subject, time and request, but no values', async () => {
    const actor = await newActor()
    const { body, headers } = await actor.call('/changelogs', { body: ENTRY })
    expect(await actor.records()).toEqual([
      {
        id: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        actor_id: actor.id,
        action: 'changelog.created',
        subject_type: 'changelog',
        subject_id: body.data.id,
        request_id: headers.get('X-Request-Id'),
      },
    ])
  })

  it('records the creation, update and deletion of an entry, and no import of its commit', async () => {
    const actor = await newActor()
    const [commit] = commits(1)
    const body = { ...ENTRY, git_commit_hash: commit?.hash }
    const { id } = (await actor.call('/changelogs', { body })).body.data
    await actor.call('/changelogs/sync-from-git', { body: { commits: [commit] } })
    await actor.call(`/changelogs/${id}`, { method: 'PUT', body: { title: 'Outro' } })
    await actor.call(`/changelogs/${id}`, { method: 'DELETE' })
    await actor.call(`/changelogs/${id}`, { method: 'DELETE' })
    expect(await actor.actions()).toEqual([
      ['changelog.created', id],
      ['changelog.updated', id],
      ['changelog.deleted', id],
    ])
  })

  it.each([
    ['entries', 'feat: x'],
    ['merges alone', "Merge branch 'x'"],
  ])('records an import of %s once, without a subject', async (_, message) => {
    const actor = await newActor()
    const some = commits(3).map((commit) => ({ ...commit, message }))
    for (const body of [{ commits: some }, { commits: some }, { commits: [] }])
      expect((await actor.call('/changelogs/sync-from-git', { body })).status).toBe(200)
    expect(await actor.actions()).toEqual([['changelog.imported', null]])
  })

  it('records an import that only moves to another head of the branch', async () => {
    const actor = await newActor()
    const repository = servedRepository()
    for (const count of [2, 2, 1, 1]) {
      await repository.serve({ commits: servedCommits(count) })
      const { status } = await actor.call('/changelogs/sync-from-git', {
        method: 'POST',
        env: repository.settings,
      })
      expect(status).toBe(200)
    }
    expect(await actor.actions()).toEqual([
      ['changelog.imported', null],
      ['changelog.imported', null],
    ])
  })

  it('records an import of many statements once', async () => {
    const actor = await newActor()
    const body = { commits: commits(80, 'x'.repeat(9_900)) } // too long for one parameter
    const { status, body: response } = await actor.call('/changelogs/sync-from-git', {
      body,
    })
    expect([status, response.data.imported]).toEqual([200, 80])
    expect(await actor.actions()).toEqual([['changelog.imported', null]])
  })

  it.each([
    ['/informers', { first_name: 'Davi' }],
    ['/changelogs', ENTRY],
  ])(
    'leaves one record however often POST /v1%s is repeated with one Idempotency-Key',
    async (path, body) => {
      const actor = await newActor()
      const headers = { 'Idempotency-Key': newHash() }
      for (let time = 0; time < 3; time++)
        expect((await actor.call(path, { body, headers })).status).toBe(201)
      expect(await actor.actions()).toHaveLength(1)
    },
  )

  it('records nothing if it fails', async () => {
    const actor = await newActor()
    const git_commit_hash = newHash()
    const { id } = (await actor.call('/changelogs', { body: ENTRY })).body.data
    await actor.call('/changelogs', { body: { ...ENTRY, git_commit_hash } })
    expect(await actor.records()).toHaveLength(2)
    const unknown = `/changelogs/${crypto.randomUUID()}`
    const failures = [
      await actor.call('/changelogs', { body: { ...ENTRY, git_commit_hash } }),
      await actor.call(`/changelogs/${id}`, { method: 'PUT', body: { git_commit_hash } }),
      await actor.call(unknown, { method: 'PUT', body: { title: 'Outro' } }),
      await actor.call(unknown, { method: 'DELETE' }),
      await actor.call('/informers', {
        body: { first_name: 'Davi', category_id: 999_999 },
      }),
    ]
    expect(failures.map(({ status }) => status)).toEqual([422, 422, 404, 404, 422])
    expect(await actor.records()).toHaveLength(2)
  })

  it('records one deletion of an entry by concurrent requests', async () => {
    const actor = await newActor()
    const { id } = (await actor.call('/changelogs', { body: ENTRY })).body.data
    await Promise.all(
      Array.from({ length: 20 }, () =>
        actor.call(`/changelogs/${id}`, { method: 'DELETE' }),
      ),
    )
    expect(
      (await actor.actions()).filter(([action]) => action === 'changelog.deleted'),
    ).toHaveLength(1)
  })
})

it('the statement in SECURITY.md deletes records older than five years, using an index', async () => {
  const statement = /```sql prune\n([^`]+)```/.exec(security)?.[1] ?? ''
  const actor = crypto.randomUUID()
  for (const age of ['-5 years', '-5 years', '-4 years'])
    await env.DB.prepare(
      `insert into audit_events
         (id, created_at, actor_id, action, subject_type, subject_id, request_id)
       select ?1 || ?2, strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', ?2, '-1 day'), ?3,
         'session.ended', 'user', ?3, ?1`,
    )
      .bind(crypto.randomUUID(), age, actor)
      .run()
  const { results: plan } = await env.DB.prepare(`explain query plan ${statement}`).all<{
    detail: string
  }>()
  expect(plan[0]?.detail).toMatch(
    /^SEARCH audit_events USING .*INDEX audit_events_by_time/,
  )
  await env.DB.prepare(statement).run()
  expect(await recordsOf(actor)).toHaveLength(1)
})
