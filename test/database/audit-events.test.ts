import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { servedCommits, servedRepository } from '../support/changelog-imports.ts'
import { ENTRY } from '../support/changelogs.ts'
import { callJson, counting, newUser, tokenFor } from '../support/helper.ts'
import { openDatabase } from '#database/client.ts'
import { recordRead } from '#database/users/informer-reads.ts'

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
        api_token_id: null,
        related_type: null,
        related_id: null,
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
    for (const body of [{ commits: some }, { commits: some }, { commits: [] }]) {
      expect((await actor.call('/changelogs/sync-from-git', { body })).status).toBe(200)
    }
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
      for (let time = 0; time < 3; time++) {
        expect((await actor.call(path, { body, headers })).status).toBe(201)
      }
      const actions = await actor.actions()
      const isOfWrite = ([action]: unknown[]) => action !== 'informer.read'
      expect(actions.filter(isOfWrite)).toHaveLength(1)
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

it.each([
  ['an informer', crypto.randomUUID()],
  ['a list', null],
])(
  'takes one round trip to record %s as read, and reads as few rows however many there are',
  async (_, subject) => {
    const costOf = async (id: string) => {
      const { binding, count } = counting()
      const role = 'administrator' as const
      const caller = { id, role, tokenVersion: 1, expiresAt: 0 }
      const actor = { caller, requestId: crypto.randomUUID() }
      await recordRead(openDatabase(binding), subject, actor)
      expect(count.roundTrips).toBe(1)
      return count
    }
    const insertMany = (created: string, actor: string, about: string) =>
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
         insert into audit_events
           (created_at, actor_id, action, subject_type, subject_id, request_id)
         select ?1, ?2, 'informer.read', 'informer', ${about}, 'many' from n where ?3 is ?3`,
      )
        .bind(created, actor, subject)
        .run()

    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    const few = await costOf(first)
    await insertMany('2026-01-01T00:00:00.000000Z', second, '?3') // of before today
    await insertMany('2099-01-01T00:00:00.000000Z', second, "'other' || i")
    const many = await costOf(second)

    expect(many.rowsRead - few.rowsRead).toBeLessThanOrEqual(1) // what the first recorded
    expect(many.rowsWritten).toBe(few.rowsWritten)
    expect((await costOf(second)).rowsWritten).toBe(0)
  },
)
