import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { servedCommits, servedRepository } from '../support/changelog-imports.ts'
import { ENTRY } from '../support/changelogs.ts'
import { newEmail, newUnverified } from '../support/emails.ts'
import { type Call, callJson, newUser, PASSWORD, tokenFor } from '../support/helper.ts'
import { auditedActions } from '../support/users.ts'

/** A new administrator, with the audit records of its calls, oldest first. */
async function newActor() {
  const user = await newUser('administrator')
  const token = await tokenFor(user)
  const records = async () =>
    (
      await env.DB.prepare('select * from audit_events where actor_id = ? order by rowid')
        .bind(user.id)
        .all<Record<string, string | null>>()
    ).results
  return {
    id: user.id,
    call: (path: string, options: Call) => callJson(path, { token, ...options }),
    records,
    actions: async () =>
      (await records()).map(({ action, subject_id }) => [action, subject_id]),
  }
}

const newHash = () => crypto.randomUUID().replaceAll('-', '')
const commits = (count: number, message: string) =>
  Array.from({ length: count }, () => ({
    hash: newHash(),
    message,
    date: '2026-01-31T12:00:00Z',
  }))

// which write leaves which record is in test/support/routes.ts
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
})

describe('an import', () => {
  it.each([
    ['entries', 'feat: x'],
    ['merges alone', "Merge branch 'x'"],
  ])('of %s is recorded once, without a subject', async (_, message) => {
    const actor = await newActor()
    const some = commits(3, message)
    for (const body of [{ commits: some }, { commits: some }, { commits: [] }]) {
      expect((await actor.call('/changelogs/sync-from-git', { body })).status).toBe(200)
    }
    expect(await actor.actions()).toEqual([['changelog.imported', null]])
  })

  it('that only moves to another head of the branch is recorded', async () => {
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

  it('of the commit of an entry is not recorded', async () => {
    const actor = await newActor()
    const [commit] = commits(1, 'feat: x')
    const body = { ...ENTRY, git_commit_hash: commit?.hash }
    const { id } = (await actor.call('/changelogs', { body })).body.data
    await actor.call('/changelogs/sync-from-git', { body: { commits: [commit] } })
    expect(await actor.actions()).toEqual([['changelog.created', id]])
  })
})

describe('an entry of the changelog', () => {
  /** The actions that a write of an entry records, after its creation. */
  async function recordsOf(
    is_published: boolean | null,
    write?: (id: string) => [path: string, options: Call],
  ) {
    const [creator, actor] = [await newActor(), await newActor()]
    const created = await creator.call('/changelogs', {
      body: { ...ENTRY, is_published },
    })
    if (!write) return (await creator.actions()).map(([action]) => action)
    const { status } = await actor.call(...write(created.body.data.id))
    expect(status).toBe(200)
    return (await actor.actions()).map(([action]) => action)
  }

  it.each([
    [true, ['changelog.created', 'changelog.published']],
    [false, ['changelog.created']],
    [null, ['changelog.created']],
  ])('created with is_published %j leaves %j', async (is_published, expected) => {
    expect(await recordsOf(is_published)).toEqual(expected)
  })

  it.each([
    [false, { is_published: true }, ['changelog.published']],
    [true, { is_published: false }, ['changelog.unpublished']],
    [true, { is_published: true }, []],
    [false, { is_published: false }, []],
    [false, { title: 'Outro' }, ['changelog.updated']],
    [false, { title: ENTRY.title }, []],
    [false, { title: ENTRY.title, is_published: true }, ['changelog.published']],
    [
      false,
      { title: 'Outro', is_published: true },
      ['changelog.updated', 'changelog.published'],
    ],
    [
      true,
      { title: 'Outro', is_published: false },
      ['changelog.updated', 'changelog.unpublished'],
    ],
    [true, { title: 'Outro', is_published: true }, ['changelog.updated']],
  ])(
    'that is published: %j, changed by PUT %j, leaves %j',
    async (before, body, expected) => {
      const put = (id: string): [string, Call] => [
        `/changelogs/${id}`,
        { method: 'PUT', body },
      ]
      expect(await recordsOf(before, put)).toEqual(expected)
    },
  )

  it.each([
    [false, {}, ['changelog.published']],
    [true, {}, []],
    [true, { is_published: false }, ['changelog.unpublished']],
    [false, { is_published: false }, []],
  ])(
    'that is published: %j, published by its id with %j, leaves %j',
    async (before, how, expected) => {
      const publish = (id: string): [string, Call] => [
        '/changelogs/publish',
        { body: { ids: [id], ...how } },
      ]
      expect(await recordsOf(before, publish)).toEqual(expected)
    },
  )
})

const NEW = 'Outra2026'
const verify = async (body: object) =>
  (await callJson('/auth/email/verify', { body })).status

it.each([
  ['an emailed link', {}, ['informer.updated', 'password.changed']],
  ['an administrator', { password: PASSWORD }, ['informer.updated']],
])(
  'a later email, where the password came from %s, is recorded as %j',
  async (_, login, expected) => {
    const { id, token } = await newUnverified(login)
    expect(
      await verify({ token, ...('password' in login ? {} : { password: NEW }) }),
    ).toBe(200)
    const actor = await newActor()
    const body = { email: newEmail() }
    await actor.call(`/informers/${id}`, { method: 'PATCH', body })
    expect(await auditedActions(id, actor.id)).toEqual(expected)
  },
)
