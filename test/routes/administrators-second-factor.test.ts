import { describe, expect, it } from 'vitest'
import {
  type Call,
  call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { newFactorOwner } from '../support/second-factors.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const newAdministrator = async () => {
  const user = await newUser('administrator')
  return { ...user, token: await tokenOfNew(user) }
}

const disable = (id: string, token: string, options: Call = {}) =>
  callJson(`/administrators/${id}/second-factor`, { method: 'DELETE', token, ...options })

const OWN = {
  success: false,
  message: 'Desative o próprio segundo fator com a senha e um código.',
}

describe('DELETE /v1/administrators/{id}/second-factor', () => {
  it('disables a lost one and ends the sessions of its owner', async () => {
    const [actor, owner] = [await newAdministrator(), await newFactorOwner()]
    const { status, body } = await disable(owner.id, actor.token)
    expect(status).toBe(200)
    const read = await callJson(`/administrators/${owner.id}`, { token: actor.token })
    expect(body).toEqual({ success: true, data: read.body.data })
    expect(body.data).toMatchObject({ id: owner.id, has_second_factor: false })

    expect((await call('/administrators', { token: owner.token })).status).toBe(401)
    expect((await call('/administrators', { token: actor.token })).status).toBe(200)
    expect(await storedUser(owner.id)).toMatchObject({
      second_factor_secret: null,
      second_factor_enabled_at: null,
      token_version: 2,
    })
    expect(await auditedActions(owner.id, actor.id)).toEqual([
      'second_factor.disabled',
      'session.ended',
    ])
    const credentials = { email: owner.email, password: PASSWORD }
    expect((await callJson('/auth/login', { body: credentials })).status).toBe(200)
  })

  it.each([false, true])(
    'ends and records nothing of one without a factor, where a secret waits: %s',
    async (isWaiting) => {
      const actor = await newAdministrator()
      const user = isWaiting
        ? await newFactorOwner({ isWaiting })
        : await newLogin({ role: 'administrator' })
      const before = await storedUser(user.id)
      const { status, body } = await disable(user.id, actor.token)
      expect([status, body.data.has_second_factor]).toEqual([200, false])
      expect(await storedUser(user.id)).toEqual(before)
      expect(await auditedActions(user.id)).toEqual([])
    },
  )

  it.each([String, (id: string) => id.toUpperCase()])(
    'is 409 for oneself, who keeps it',
    async (spell) => {
      const owner = await newFactorOwner()
      const { status, body } = await disable(spell(owner.id), owner.token)
      expect([status, body]).toEqual([409, OWN])
      expect(await storedUser(owner.id)).toMatchObject({
        second_factor_secret: owner.sealed,
        token_version: 1,
      })
    },
  )

  it('is 404 for an informer and for nobody', async () => {
    const { token } = await newAdministrator()
    const informer = await newUser('informer')
    for (const id of [informer.id, UNKNOWN_ID, 'x']) {
      const { status, body } = await disable(id, token)
      expect([status, body.message]).toEqual([404, 'Administrador não encontrado.'])
    }
  })

  it('is for administrators only', async () => {
    const owner = await newFactorOwner()
    const { status } = await disable(
      owner.id,
      await tokenOfNew(await newUser('informer')),
    )
    expect(status).toBe(403)
    expect(await storedUser(owner.id)).toMatchObject({
      second_factor_secret: owner.sealed,
    })
  })
})

describe('GET /v1/administrators', () => {
  it('tells who has a second factor: not yet while a secret waits', async () => {
    const owners = [await newFactorOwner(), await newFactorOwner({ isWaiting: true })]
    const { token } = await newAdministrator()
    for (const [index, { id, email }] of owners.entries()) {
      const read = await callJson(`/administrators/${id}`, { token })
      expect(read.body.data.has_second_factor).toBe(index === 0)
      const { body } = await callJson(`/administrators?search=${email}`, { token })
      expect(body.data).toEqual([read.body.data])
    }
  })

  it('shows neither a secret nor what is sealed', async () => {
    const { id, token, sealed } = await newFactorOwner()
    const text = await (await call(`/administrators/${id}`, { token })).text()
    expect(text).not.toContain(sealed)
    expect(text).not.toContain('second_factor_')
  })
})
