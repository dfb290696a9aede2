import { describe, expect, it } from 'vitest'
import {
  administratorToken,
  beforeRoundTrips,
  call,
  callJson,
  interceptedDatabase,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { auditedActions, storedUser } from '../support/users.ts'
import type { RoleSlug } from '#domain/roles.ts'

const ENDED = { success: true, message: 'Sessões encerradas.' }
const INVALID = { success: false, message: 'Token inválido' }
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
  it('ends every session of the user, and no others', async () => {
    const actor = await newAdministrator()
    const [user, other] = [await newLogin({ role }), await newLogin({ role })]
    const tokens = await Promise.all([user, user, other].map((who) => tokenFor(who)))
    const before = await storedUser(user.id)

    const { status, body } = await end(user, actor)
    expect([status, body]).toEqual([200, ENDED])
    expect(await Promise.all(tokens.map(isOpen))).toEqual([false, false, true])
    expect(await isOpen(actor.token)).toBe(true)
    expect(await auditedActions(user.id, actor.id)).toEqual(['session.ended'])
    expect(await storedUser(user.id)).toEqual({ ...before, token_version: 2 })
  })

  it('leaves the password as it is', async () => {
    const user = await newLogin({ role })
    await end(user, await newAdministrator())
    const credentials = { email: user.email, password: PASSWORD }
    const { status, body } = await callJson('/auth/login', { body: credentials })
    expect(status).toBe(200)
    expect(await isOpen(body.data.access_token)).toBe(true)
  })

  it('is 200 also where none is open', async () => {
    const user = await newUser(role)
    const actor = await newAdministrator()
    for (let time = 0; time < 2; time++) {
      const { status, body } = await end(user, actor)
      expect([status, body]).toEqual([200, ENDED])
    }
  })

  it('takes the id in any case', async () => {
    const user = await newUser(
      role,
      `abcdef00-0000-4000-8000-${crypto.randomUUID().slice(24)}`,
    )
    const upper = { role, id: user.id.toUpperCase() }
    expect((await end(upper, await newAdministrator())).status).toBe(200)
    expect(await storedUser(user.id)).toMatchObject({ token_version: 2 })
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

  it('is for administrators only', async () => {
    const user = await newUser(role)
    const informer = await newUser('informer')
    const { status } = await end(user, { token: await tokenFor(informer) })
    expect(status).toBe(403)
    expect(await storedUser(user.id)).toMatchObject({ token_version: 1 })
  })

  it('ends the sessions once where the connection is lost, so that a token issued since is good', async () => {
    const user = await newUser(role)
    const actor = await newAdministrator()
    let trips = 0
    let issued = ''
    const DB = interceptedDatabase(async (trip) => {
      const isWrite = ++trips === 2
      const result = await trip()
      if (!isWrite) return result
      issued = await tokenFor(user)
      throw new Error('D1_ERROR: Network connection lost.')
    })
    expect((await end(user, actor, { DB })).status).toBe(200)
    expect(trips).toBe(3)
    expect(await isOpen(issued)).toBe(true)
    expect(await auditedActions(user.id, actor.id)).toEqual(['session.ended'])
  })

  it('lets nothing that ended meanwhile begin again where the connection is lost', async () => {
    const user = await newUser(role)
    const [actor, other] = [await newAdministrator(), await newAdministrator()]
    let trips = 0
    let issued = ''
    const DB = interceptedDatabase(async (trip) => {
      const isWrite = ++trips === 2
      const result = await trip()
      if (!isWrite) return result
      issued = await tokenFor(user)
      await end(user, other)
      throw new Error('D1_ERROR: Network connection lost.')
    })
    expect((await end(user, actor, { DB })).status).toBe(200)
    expect(await isOpen(issued)).toBe(false)
    expect(await storedUser(user.id)).toMatchObject({ token_version: 3 })
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
      const token = await administratorToken()
      await call(`/${role}s/${user.id}`, { method: 'DELETE', token })
    })
    const { status, body } = await end(user, actor, { DB })
    expect([status, body]).toEqual([404, NOT_FOUND[role]])
    expect(await auditedActions(user.id)).toEqual([`${role}.deleted`])
  })
})

describe('an administrator who ends their own sessions', () => {
  it('is out, with a record', async () => {
    const actor = await newAdministrator()
    const { status, body } = await end(actor, actor)
    expect([status, body]).toEqual([200, ENDED])
    expect(await isOpen(actor.token)).toBe(false)
    expect(await auditedActions(actor.id, actor.id)).toEqual(['session.ended'])
    expect(await storedUser(actor.id)).toMatchObject({ token_version: 2 })
  })

  it('ends nothing with a session that ends on the way', async () => {
    const actor = await newAdministrator()
    let issued = ''
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return
      await call('/auth/logout', { method: 'POST', token: actor.token })
      issued = await tokenFor(actor)
    })
    const { status, body } = await end(actor, actor, { DB })
    expect([status, body]).toEqual([401, INVALID])
    expect(await isOpen(issued)).toBe(true)
    expect(await auditedActions(actor.id)).toEqual(['session.ended'])
  })
})
