import { afterEach, describe, expect, it, vi } from 'vitest'
import { issueToken, verifyToken } from '../../src/security/tokens.ts'

const settings = () => ({ JWT_SECRET: 'a secret of these tests, longer than 32 bytes', JWT_TTL_SECONDS: 60 })
const caller = { id: 'someone', role: 'informer', tokenVersion: 1 } as const

describe('verifyToken', () => {
  afterEach(() => vi.restoreAllMocks())

  it('verifies a good signature once, by the secrets in force', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const [secrets, rotated] = [settings(), settings()]
    const token = await issueToken(caller, secrets)
    expect([await verifyToken(token, secrets), await verifyToken(token, secrets)]).toEqual([caller, caller])
    expect(verify).toHaveBeenCalledTimes(1)
    rotated.JWT_SECRET = 'another secret of these tests, as long as the first'
    await expect(verifyToken(token, rotated)).rejects.toMatchObject({ reason: 'invalid' })
  })

  it('judges the time of a token that it has seen before', async () => {
    const secrets = settings()
    const token = await issueToken(caller, secrets)
    expect(await verifyToken(token, secrets)).toEqual(caller)
    const later = new Date(Date.now() + 60_000)
    await expect(verifyToken(token, secrets, later)).rejects.toMatchObject({ reason: 'expired' })
  })

  it('remembers no token with a bad signature', async () => {
    const secrets = settings()
    const token = await issueToken(caller, {
      ...secrets,
      JWT_SECRET: 'a secret that is not ours, just as long',
    })
    for (let time = 0; time < 2; time++) {
      await expect(verifyToken(token, secrets)).rejects.toMatchObject({ reason: 'invalid' })
    }
  })
})
