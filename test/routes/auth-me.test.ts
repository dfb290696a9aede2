import { describe, expect, it } from 'vitest'
import { callJson, newLogin, PASSWORD, tokenOfNew } from '../support/helper.ts'
import { newFactorOwner } from '../support/second-factors.ts'

const readMe = async (token: string, options = {}) =>
  callJson('/auth/me', { token, ...options })

describe('GET /v1/auth/me', () => {
  it.each(['informer', 'administrator'] as const)(
    'tells an %s what the login told',
    async (role) => {
      const { email } = await newLogin({ role })
      const login = await callJson('/auth/login', { body: { email, password: PASSWORD } })
      const { access_token, user } = login.body.data
      const { status, body, headers } = await readMe(access_token)
      const own = role === 'administrator' ? { has_second_factor: false } : {}
      expect([status, body]).toEqual([200, { success: true, data: { ...user, ...own } }])
      expect(headers.get('ETag')).toBeNull()
    },
  )

  it('tells an administrator of their second factor', async () => {
    const { token } = await newFactorOwner()
    expect((await readMe(token)).body.data).toMatchObject({ has_second_factor: true })
  })

  it('is open to an administrator who still has to switch the second factor on', async () => {
    const token = await tokenOfNew(await newLogin({ role: 'administrator' }))
    const env = { REQUIRE_SECOND_FACTOR: 'true' }
    expect((await callJson('/administrators', { token, env })).status).toBe(403)
    expect((await readMe(token, { env })).status).toBe(200)
  })
})
