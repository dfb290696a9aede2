import { describe, expect, it } from 'vitest'
import {
  administratorToken,
  type Call,
  call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { send } from '../support/processes.ts'
import { newFactorOwner } from '../support/second-factors.ts'
import { auditedActions, storedUser } from '../support/users.ts'

const isOpen = async (token: string) =>
  (await call('/administrators', { token })).status === 200

const login = (email: string) =>
  callJson('/auth/login', { body: { email, password: PASSWORD } })

describe('DELETE /v1/administrators/{administrator}/second-factor', () => {
  const disableOf = (id: string, options: Call = {}) =>
    send('DELETE', `/administrators/${id}/second-factor`, {}, options)

  it('disables a lost factor and ends the sessions of its owner', async () => {
    const owner = await newFactorOwner()
    const { status, body } = await disableOf(owner.id)
    expect(status).toBe(200)
    const token = await administratorToken()
    const read = await callJson(`/administrators/${owner.id}`, { token })
    expect(body).toEqual({ success: true, data: read.body.data })
    expect(body.data).toMatchObject({ id: owner.id, has_second_factor: false })
    expect(await isOpen(owner.token)).toBe(false)
    expect(await storedUser(owner.id)).toMatchObject({ second_factor_secret: null })
    expect((await login(owner.email)).status).toBe(200)
  })

  it.each([
    ['waits', () => newFactorOwner({ isWaiting: true })],
    ['does not exist', () => newLogin({ role: 'administrator' })],
  ])('changes and records nothing where a secret %s', async (_, newOwner) => {
    const user = await newOwner()
    const before = await storedUser(user.id)
    const { status, body } = await disableOf(user.id)
    expect([status, body.data.has_second_factor]).toEqual([200, false])
    expect(await storedUser(user.id)).toEqual(before)
    expect(await auditedActions(user.id)).toEqual([])
  })

  it.each([String, (id: string) => id.toUpperCase()])(
    'rejects one’s own, which stays',
    async (spell) => {
      const owner = await newFactorOwner()
      const { status, body } = await disableOf(spell(owner.id), owner)
      const message = 'Desative o próprio segundo fator com a senha e um código.'
      expect([status, body.message]).toEqual([409, message])
      expect(await isOpen(owner.token)).toBe(true)
      expect((await login(owner.email)).status).toBe(401)
    },
  )

  it('finds neither an informer nor nobody', async () => {
    const informer = await newUser('informer')
    for (const id of [informer.id, UNKNOWN_ID, 'x']) {
      const { status, body } = await disableOf(id)
      expect([status, body.message]).toEqual([404, 'Administrador não encontrado.'])
    }
  })
})

it('GET /v1/administrators tells who has a second factor, and nothing of its secret', async () => {
  const owners = [await newFactorOwner(), await newFactorOwner({ isWaiting: true })]
  const token = await administratorToken()
  for (const [index, { id, email, sealed }] of owners.entries()) {
    const { data } = (await callJson(`/administrators/${id}`, { token })).body
    expect(data.has_second_factor).toBe(index === 0)
    expect(JSON.stringify(data)).not.toContain(sealed)
    expect(Object.keys(data).join()).not.toContain('second_factor_')
    const { body } = await callJson(`/administrators?search=${email}`, { token })
    expect(body.data).toEqual([data])
  }
})
