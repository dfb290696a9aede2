import { createHmac } from 'node:crypto'
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

  // The library would compare with its own clock.
  describe.each(['2020-01-31T12:00:00Z', '2999-01-31T12:00:00Z'])('at %s', (time) => {
    const now = new Date(time)
    const second = Math.floor(now.getTime() / 1000)
    const verify = async (changes: object) => {
      const { JWT_SECRET } = settings()
      const claims = {
        iss: 'informer-provisioning-service',
        sub: caller.id,
        role: caller.role,
        token_version: caller.tokenVersion,
        exp: second + 60,
        ...changes,
      }
      return verifyToken(await sign(claims as never, JWT_SECRET), { JWT_SECRET }, now)
    }

    it.each([
      {},
      { exp: second + 1 },
      { nbf: second },
      { iat: second },
      { iat: second + 5 },
      { jti: 'x', aud: 'any' },
    ])('accepts the claims %j', async (claims) => {
      expect(await verify(claims)).toEqual(caller)
    })

    it.each([{ exp: second }, { exp: second - 1 }, { exp: 0 }])('treats %j as expired', async (claims) => {
      await expect(verify(claims)).rejects.toMatchObject({ reason: 'expired' })
    })

    it.each([
      { exp: undefined },
      { exp: null },
      { exp: String(second + 60) },
      { sub: undefined },
      { sub: '' },
      { sub: 5 },
      { role: undefined },
      { role: 'other' },
      { token_version: '3' },
      { nbf: second + 1 },
      { nbf: String(second) },
      { nbf: null },
      { iat: second + 6 },
      { iat: String(second) },
      { iat: null },
      { iss: undefined },
      { iss: 'another-service' },
      { exp: second - 1, sub: '' },
    ])('rejects the claims %j', async (claims) => {
      await expect(verify(claims)).rejects.toMatchObject({ reason: 'invalid' })
    })
  })

  it('accepts only one spelling of a token', async () => {
    const secrets = settings()
    const token = await issueToken(caller, secrets)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sameBytes = token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) + 1]
    for (const spelling of [sameBytes, `${token}=`, `${token}.`, ` ${token}`, `${token}\n`])
      await expect(verifyToken(spelling, secrets)).rejects.toMatchObject({ reason: 'invalid' })
  })

  it('rejects a token that is signed with an empty secret', async () => {
    const secrets = settings()
    const [content] = /^[^.]+\.[^.]+/.exec(await issueToken(caller, secrets)) ?? ['']
    const forged = `${content}.${createHmac('sha256', '').update(content).digest('base64url')}`
    await expect(verifyToken(forged, secrets)).rejects.toMatchObject({ reason: 'invalid' })
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
