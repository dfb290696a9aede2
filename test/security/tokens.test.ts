import { decode, sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { issueToken, verifyToken } from '../../src/security/tokens.ts'

const settings = () => ({ JWT_SECRET: crypto.randomUUID(), JWT_TTL_SECONDS: 60 })
const caller = { id: 'someone', role: 'informer', tokenVersion: 3 } as const
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)

describe('verifyToken', () => {
  it('accepts a token only of the current or the previous secret', async () => {
    const [present, previous, other] = [settings(), settings(), settings()]
    const secrets = { ...present, JWT_SECRET_PREVIOUS: previous.JWT_SECRET }
    expect(await verifyToken(await issueToken(caller, present), secrets)).toEqual(caller)
    expect(await verifyToken(await issueToken(caller, previous), secrets)).toEqual(caller)
    await expect(verifyToken(await issueToken(caller, other), secrets)).rejects.toMatchObject({
      reason: 'invalid',
    })
  })

  it('accepts a token for as many seconds as it lives', async () => {
    const secrets = settings()
    const token = await issueToken(caller, secrets)
    expect(await verifyToken(token, secrets, inSeconds(58))).toEqual(caller)
    await expect(verifyToken(token, secrets, inSeconds(60))).rejects.toMatchObject({ reason: 'expired' })
  })

  it('treats a token without a version as version 1', async () => {
    const secrets = settings()
    const { token_version: _, ...claims } = decode(await issueToken(caller, secrets)).payload
    const token = await sign(claims, secrets.JWT_SECRET)
    expect(await verifyToken(token, secrets)).toEqual({ ...caller, tokenVersion: 1 })
    const wrong = await sign({ ...claims, token_version: 'x' } as never, secrets.JWT_SECRET)
    await expect(verifyToken(wrong, secrets)).rejects.toMatchObject({ reason: 'invalid' })
  })
})
