import { createHmac } from 'node:crypto'
import { sign } from 'hono/jwt'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { issueToken, verifyToken } from '#security/jwt.ts'

const [JWT_SECRET, OTHER_SECRET] = [crypto.randomUUID(), crypto.randomUUID()]
const caller = { id: 'someone', role: 'informer', tokenVersion: 3 } as const
const now = Math.floor(Date.now() / 1000)
const iss = 'informer-provisioning-service'
const CLAIMS = {
  iss,
  sub: caller.id,
  role: caller.role,
  token_version: 3,
  iat: now,
  exp: now + 600,
}

const signed = (
  changes: object = {},
  secret = JWT_SECRET,
  algorithm: 'HS256' | 'HS384' | 'HS512' = 'HS256',
) => sign({ ...CLAIMS, ...changes } as never, secret, algorithm)
const verify = async (token: Promise<string> | string) =>
  verifyToken(await token, { JWT_SECRET })
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('issueToken', () => {
  type Case = {
    authTime?: number
    JWT_TTL_SECONDS?: number
    SESSION_TTL_SECONDS?: number
  }
  it.each<[Case, number]>([
    [{}, 3600],
    [{ authTime: now }, 3600],
    [{ authTime: now - 39_600 }, 3600],
    [{ authTime: now - 40_000 }, 3200],
    [{ authTime: now - 43_200 }, 0],
    [{ authTime: now, JWT_TTL_SECONDS: 90_000 }, 90_000],
    [{ authTime: now - 60, JWT_TTL_SECONDS: 90_000 }, 89_940],
    [{ authTime: now - 60, JWT_TTL_SECONDS: 60, SESSION_TTL_SECONDS: 90 }, 30],
    [{ authTime: now - 99, JWT_TTL_SECONDS: 60, SESSION_TTL_SECONDS: 90 }, 0],
  ])('lets no token outlive its session: %j', async ({ authTime, ...settings }, left) => {
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    const lifetimes = { JWT_SECRET, JWT_TTL_SECONDS: 3600, ...settings }
    const { token, expiresIn } = await issueToken({ ...caller, authTime }, lifetimes)
    expect(expiresIn).toBe(left)
    expect(await verifyToken(token, { JWT_SECRET })).toEqual(
      left > 0 ? { ...caller, authTime, expiresAt: now + left } : 'expired',
    )
  })
})

describe('verifyToken', () => {
  it.each(['PUBLIC', 'PRIVATE'])(
    'accepts a token of a secret that contains %s, as PEM does',
    async (word) => {
      const secret = `${word} ${JWT_SECRET}`
      const { token } = await issueToken(caller, {
        JWT_SECRET: secret,
        JWT_TTL_SECONDS: 60,
      })
      expect(await verifyToken(token, { JWT_SECRET: secret })).toMatchObject(caller)
    },
  )

  it('accepts a token of the current or the previous secret', async () => {
    const settings = {
      JWT_SECRET,
      JWT_SECRET_PREVIOUS: OTHER_SECRET,
      JWT_TTL_SECONDS: 60,
    }
    for (const secret of [JWT_SECRET, OTHER_SECRET]) {
      const { token } = await issueToken(caller, { ...settings, JWT_SECRET: secret })
      expect(await verifyToken(token, settings)).toEqual({
        ...caller,
        expiresAt: expect.closeTo(now + 60, -1),
      })
    }
  })

  it.each([
    {},
    { nbf: now },
    { iat: now + 5 },
    { iat: undefined },
    { jti: 'x', aud: 'any' },
  ])('accepts the claims %j', async (changes) => {
    expect(await verify(signed(changes))).toEqual({ ...caller, expiresAt: now + 600 })
  })

  it.each([{ exp: now }, { exp: now - 1 }, { exp: 0 }])(
    'treats %j as expired',
    async (changes) => {
      expect(await verify(signed(changes))).toBe('expired')
    },
  )

  it.each([
    ...[undefined, null, String(now + 600)].map((exp) => ({ exp })),
    ...[undefined, '', 5].map((sub) => ({ sub })),
    ...[undefined, 'other', 'constructor', ['informer']].map((role) => ({ role })),
    ...[undefined, '3', null, {}].map((token_version) => ({ token_version })),
    ...[now + 60, String(now), null].map((nbf) => ({ nbf })),
    ...[now + 60, String(now), null].map((iat) => ({ iat })),
    ...[now + 60, String(now), null].map((auth_time) => ({ auth_time })),
    ...[undefined, 'another-service'].map((other) => ({ iss: other })),
    { exp: now - 1, sub: '' },
  ])('rejects the claims %j', async (changes) => {
    expect(await verify(signed(changes))).toBe('invalid')
  })

  const FORGED: Record<
    string,
    (parts: string[], token: string) => Promise<string> | string
  > = {
    'no JWT': () => 'x',
    'three empty parts': () => '..',
    'parts that are no JSON': () => 'aaaa.bbbb.cccc',
    'another secret': () => signed({}, OTHER_SECRET),
    'another secret, expired': () => signed({ exp: 1 }, OTHER_SECRET),
    'an empty secret': ([header, payload]) => {
      const content = `${header}.${payload}`
      return `${content}.${createHmac('sha256', '').update(content).digest('base64url')}`
    },
    'algorithm none': ([, payload]) =>
      `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'algorithm none, signed': ([, payload, signature]) =>
      `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.${signature}`,
    HS384: () => signed({}, JWT_SECRET, 'HS384'),
    HS512: () => signed({}, JWT_SECRET, 'HS512'),
    'a changed payload': ([header, , signature]) =>
      `${header}.${encode({ ...CLAIMS, role: 'administrator' })}.${signature}`,
    'no signature': ([header, payload]) => `${header}.${payload}.`,
    'spare bits of the signature': (_, token) => {
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) + 1]
    },
    'a padded signature': (_, token) => `${token}=`,
    'a fourth part': (_, token) => `${token}.`,
    'a space in front': (_, token) => ` ${token}`,
    'a line break at the end': (_, token) => `${token}\n`,
    'two tokens': (_, token) => `${token} ${token}`,
  }
  it.each(Object.entries(FORGED))('rejects %s', async (_, forge) => {
    const token = await signed()
    expect(await verify(token)).toMatchObject(caller)
    expect(await verify(forge(token.split('.'), token))).toBe('invalid')
  })
})
