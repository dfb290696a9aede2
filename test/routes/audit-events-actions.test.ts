import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ENTRY } from '../support/changelogs.ts'
import { newEmail, newUnverified, sendTo, tokenIn } from '../support/emails.ts'
import { callJson, newLogin, newUser, PASSWORD, tokenFor } from '../support/helper.ts'
import { createProcess } from '../support/processes.ts'
import { auditedActions } from '../support/users.ts'

const NEW = 'Outra2026'

const verify = async (body: object) =>
  (await callJson('/auth/email/verify', { body })).status
const reset = async (body: object) =>
  (await callJson('/auth/password/reset', { body })).status

/** What its owner has done by a link. */
const ownActions = (id: string) => auditedActions(id, id)

/** A request of an administrator of its own, and what is recorded of its subject. */
async function send(method: string, path: string, body: object, headers = {}) {
  const actor = await newUser('administrator')
  const options = { method, token: await tokenFor(actor), body, headers }
  const response = await callJson(path, options)
  const recorded = (id: string) => auditedActions(id, actor.id)
  return { ...response, options, recorded }
}

describe('the creation of an informer', () => {
  it('with a group is recorded as a creation and an association', async () => {
    const { groups } = await createProcess()
    const fields = { first_name: 'Davi', group_id: groups[0].id }
    const { status, body, recorded } = await send('POST', '/informers', fields)
    expect(status).toBe(201)
    expect(await recorded(body.data.id)).toEqual(['informer.created', 'group.associated'])

    const events = await env.DB.prepare('select * from audit_events where subject_id = ?')
      .bind(body.data.id)
      .all<{ request_id: string; subject_type: string }>()
    const requests = events.results.map(({ request_id }) => request_id)
    expect(new Set(requests).size).toBe(1)
    const types = events.results.map(({ subject_type }) => subject_type)
    expect(types).toEqual(['informer', 'informer'])
  })

  it('without a group is recorded as a creation', async () => {
    const { body, recorded } = await send('POST', '/informers', { first_name: 'Davi' })
    expect(await recorded(body.data.id)).toEqual(['informer.created'])
  })

  it('is recorded once, however often it is repeated with its key', async () => {
    const { groups } = await createProcess()
    const fields = { first_name: 'Davi', group_id: groups[0].id }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const { body, options, recorded } = await send('POST', '/informers', fields, headers)
    expect((await callJson('/informers', options)).status).toBe(201)
    expect(await recorded(body.data.id)).toEqual(['informer.created', 'group.associated'])
  })
})

describe('an entry of the changelog', () => {
  it.each([
    [true, ['changelog.created', 'changelog.published']],
    [false, ['changelog.created']],
    [null, ['changelog.created']],
  ])('created with is_published %j', async (is_published, expected) => {
    const entry = { ...ENTRY, is_published }
    const { body, recorded } = await send('POST', '/changelogs', entry)
    expect(await recorded(body.data.id)).toEqual(expected)
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
    'that is published: %j, changed by PUT %j',
    async (is_published, changes, expected) => {
      const { body } = await send('POST', '/changelogs', { ...ENTRY, is_published })
      const { id } = body.data
      const { status, recorded } = await send('PUT', `/changelogs/${id}`, changes)
      expect([status, await recorded(id)]).toEqual([200, expected])
    },
  )

  it.each([
    [false, {}, ['changelog.published']],
    [true, {}, []],
    [true, { is_published: false }, ['changelog.unpublished']],
    [false, { is_published: false }, []],
  ])(
    'that is published: %j, published by its id with %j',
    async (before, how, expected) => {
      const entry = { ...ENTRY, is_published: before }
      const { body } = await send('POST', '/changelogs', entry)
      const { id } = body.data
      const selection = { ids: [id], ...how }
      const { status, recorded } = await send('POST', '/changelogs/publish', selection)
      expect([status, await recorded(id)]).toEqual([200, expected])
    },
  )
})

describe('a link of an email, used by its owner, is recorded as', () => {
  it('a confirmed email and a first password', async () => {
    const { id, token } = await newUnverified()
    expect(await verify({ token, password: NEW })).toBe(200)
    expect(await ownActions(id)).toEqual(['email.verified', 'password.reset'])
  })

  it('a confirmed email, where there was a password', async () => {
    const { id, token } = await newUnverified({ password: PASSWORD })
    expect(await verify({ token })).toBe(200)
    expect(await ownActions(id)).toEqual(['email.verified'])
  })

  it.each([
    ['required', ['email.verified', 'password.reset']],
    ['done', ['password.reset']],
    [undefined, ['email.verified', 'password.reset']],
  ] as const)(
    'a new password, with the confirmation that is %s',
    async (state, expected) => {
      const { id, email } = await newLogin(state ? { verification: state } : {})
      await callJson('/auth/password/forgot', { body: { email } })
      const emails = await sendTo(email)
      const link = emails.find(({ subject }) => subject === 'Redefina sua senha')
      expect(await reset({ token: tokenIn(link), password: NEW })).toBe(200)
      expect(await ownActions(id)).toEqual(expected)
    },
  )

  it('nothing, if it is refused', async () => {
    const { id, token } = await newUnverified()
    expect(await verify({ token })).toBe(422)
    expect(await verify({ token, password: 'curta' })).toBe(422)
    expect(await verify({ token: 'x', password: NEW })).toBe(422)
    expect(await ownActions(id)).toEqual([])
  })
})

it('a new email and password by one PATCH are recorded, without their values', async () => {
  const { id } = await newLogin()
  const email = newEmail()
  const { recorded } = await send('PATCH', `/informers/${id}`, { email, password: NEW })
  expect(await recorded(id)).toEqual(['informer.updated', 'password.changed'])
  const events = await env.DB.prepare('select * from audit_events').all()
  expect(JSON.stringify(events.results)).not.toContain(email)
})

it.each([
  ['an emailed link', {}, ['informer.updated', 'password.changed']],
  ['an administrator', { password: PASSWORD }, ['informer.updated']],
])(
  'a new email, where the password came from %s, is recorded',
  async (_, login, expected) => {
    const { id, token } = await newUnverified(login)
    const password = 'password' in login ? undefined : NEW
    expect(await verify({ token, password })).toBe(200)
    const { recorded } = await send('PATCH', `/informers/${id}`, { email: newEmail() })
    expect(await recorded(id)).toEqual(expected)
  },
)
