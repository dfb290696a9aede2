import { describe, expect, it } from 'vitest'
import {
  beforeRoundTrips,
  call,
  callJson,
  newLogin,
  newUser,
  tokenFor,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { send } from '../support/processes.ts'
import { auditedActions, storedUser } from '../support/users.ts'
import type { RoleSlug } from '#domain/roles.ts'

const ENDED = { success: true, message: 'Sessões encerradas.' }
const NOT_FOUND = {
  informer: { success: false, message: 'Informante não encontrado.' },
  administrator: { success: false, message: 'Administrador não encontrado.' },
}
const ROLES: RoleSlug[] = ['informer', 'administrator']

/** Whether a session goes on. What an administrator may not see is refused later, by a 403. */
const isOpen = async (token: string) => (await call('/cover', { token })).status !== 401

async function newAdministrator() {
  const user = await newUser('administrator')
  return { ...user, token: await tokenOfNew(user) }
}

const end = (
  { id, role }: { id: string; role: RoleSlug },
  by: { token: string },
  bindings = {},
) =>
  callJson(`/${role}s/${id}/sessions`, {
    method: 'DELETE',
    token: by.token,
    env: bindings,
  })

describe.each(ROLES)('DELETE /v1/%ss/{id}/sessions', (role) => {
  it('ends every session of the user, by an id in any case, and no others', async () => {
    const actor = await newAdministrator()
    const [user, other] = [await newLogin({ role }), await newLogin({ role })]
    const tokens = await Promise.all([user, user, other].map((who) => tokenFor(who)))
    const before = await storedUser(user.id)

    const { status, body } = await end({ role, id: user.id.toUpperCase() }, actor)
    expect([status, body]).toEqual([200, ENDED])
    expect(await Promise.all(tokens.map(isOpen))).toEqual([false, false, true])
    expect(await isOpen(actor.token)).toBe(true)
    expect(await auditedActions(user.id, actor.id)).toEqual(['session.ended'])
    expect(await storedUser(user.id)).toEqual({ ...before, token_version: 2 })
  })

  it.each([UNKNOWN_ID, 'x'])('is 404 for the id %s', async (id) => {
    const { status, body } = await end({ id, role }, await newAdministrator())
    expect([status, body]).toEqual([404, NOT_FOUND[role]])
  })

  it('is 404 for a user of the other role, whose sessions go on', async () => {
    const [otherRole = role] = ROLES.filter((other) => other !== role)
    const user = await newUser(otherRole)
    const actor = await newAdministrator()
    const { status, body } = await end({ id: user.id, role }, actor)
    expect([status, body]).toEqual([404, NOT_FOUND[role]])
    expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
    expect(await auditedActions(user.id)).toEqual([])
  })

  it('ends what another request lets begin on the way', async () => {
    const user = await newUser(role)
    const [actor, faster] = [await newAdministrator(), await newAdministrator()]
    let issued = ''
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return // after the guard
      await end(user, faster)
      issued = await tokenFor(user)
    })
    expect((await end(user, actor, { DB })).status).toBe(200)
    expect(await isOpen(issued)).toBe(false)
    expect(await auditedActions(user.id)).toEqual(['session.ended', 'session.ended'])
  })

  it('records nothing of a user who is deleted on the way', async () => {
    const user = await newUser(role)
    const actor = await newAdministrator()
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return
      await send('DELETE', `/${role}s/${user.id}`)
    })
    const { status, body } = await end(user, actor, { DB })
    expect([status, body]).toEqual([404, NOT_FOUND[role]])
    expect(await auditedActions(user.id)).toEqual([`${role}.deleted`])
  })
})

it('DELETE /v1/administrators/{id}/sessions ends also the session of the caller', async () => {
  const actor = await newAdministrator()
  const { status, body } = await end(actor, actor)
  expect([status, body]).toEqual([200, ENDED])
  expect(await isOpen(actor.token)).toBe(false)
  expect(await auditedActions(actor.id, actor.id)).toEqual(['session.ended'])
  expect(await storedUser(actor.id)).toMatchObject({ token_version: 2 })
})
