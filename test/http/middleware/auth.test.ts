import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { operations } from '../../../scripts/openapi/operations.ts'
import type { RoleSlug } from '../../../src/domain/roles.ts'
import { call, callJson, counting, newUser, tokenFor, UNKNOWN_ID } from '../../helper.ts'

/** Every route that reads a token, as it is documented; a role is missing where every role may. */
const ROUTES = [
  ...Object.entries(operations).map(([route, { access, errors }]) => {
    const [method = '', path = ''] = route.replace('/v1', '').replace(/:\w+/g, UNKNOWN_ID).split(' ')
    const isInformers = errors?.includes('informersOnly')
    const role: RoleSlug | undefined = isInformers
      ? 'informer'
      : access === 'administrator'
        ? access
        : undefined
    return { method, path, access, role }
  }),
  { method: 'GET', path: '/changelogs?is_published=false', access: 'user', role: 'administrator' },
] as const
const OPTIONAL = ROUTES.filter(({ access }) => access === 'optional')
const PROTECTED = ROUTES.filter(({ access }) => access === 'user' || access === 'administrator')
/** One route behind each guard. */
const GUARDED = ROUTES.filter(({ method, path }) =>
  ['GET /cover', 'GET /informers', 'POST /auth/logout', 'GET /categories', 'GET /changelogs'].includes(
    `${method} ${path}`,
  ),
)

const SECRET = env.JWT_SECRET
const OTHER_SECRET = 'a secret that is never used here'
const now = () => Math.floor(Date.now() / 1000)
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const claims = (role: string) => ({
  iss: 'informer-provisioning-service',
  sub: crypto.randomUUID(),
  role,
  iat: now() - 300,
  exp: now() + 600,
})
const signed = (role: string, changes: object = {}, secret = SECRET) =>
  sign({ ...claims(role), ...changes }, secret)

const NOT_GIVEN = { message: 'Token não fornecido', challenge: /^Bearer$/ }
const INVALID = {
  message: 'Token inválido',
  challenge: /^Bearer error="invalid_token", error_description=".*invalid.*"$/,
}
const EXPIRED = { ...INVALID, challenge: /^Bearer error="invalid_token", error_description=".*expired.*"$/ }

/** Authorization headers without a token. */
const NO_TOKENS: [string, (token: string) => string][] = [
  ['an empty header', () => ''],
  ['a scheme without a token', () => 'Bearer'],
  ['a scheme and a space', () => 'Bearer '],
  ['another scheme', () => 'Basic YWRtaW46YWRtaW4='],
  ['a token without a scheme', (token) => token],
  ['a scheme that only ends in Bearer', (token) => `NotBearer ${token}`],
]

/** What is made of a valid token. */
const FORGERIES: [string, (token: string, role: string) => string | Promise<string>][] = [
  ['no JWT', () => 'x'],
  ['three empty parts', () => '..'],
  ['two tokens', (token) => `${token} x`],
  ['parts that are no JSON', () => 'aaaa.bbbb.cccc'],
  ['algorithm none', (_, role) => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims(role))}.`],
  ['algorithm none, signed', (token) => token.replace(/^[^.]+/, encode({ alg: 'none', typ: 'JWT' }))],
  ['HS384', (_, role) => sign(claims(role), SECRET, 'HS384')],
  ['HS512', (_, role) => sign(claims(role), SECRET, 'HS512')],
  ['a payload that was changed', (token, role) => token.replace(/\.[^.]+\./, `.${encode(claims(role))}.`)],
  [
    'a signature with spare bits set',
    (token) => {
      const next: Record<string, string> = { A: 'B', Q: 'R', g: 'h', w: 'x' }
      const last = token.at(-1) ?? ''
      return token.slice(0, -1) + (next[last] ?? String.fromCharCode(last.charCodeAt(0) + 1))
    },
  ],
  ['a padded signature', (token) => `${token}=`],
  ['no signature', (token) => token.replace(/[^.]+$/, '')],
]

/** Claims that make a token invalid, or expired. */
const CLAIMS: [string, (role: string) => object, typeof INVALID, secret?: string][] = [
  ['another secret', () => ({}), INVALID, OTHER_SECRET],
  ['another secret, expired', () => ({ exp: 1 }), INVALID, OTHER_SECRET],
  ['another issuer', () => ({ iss: 'other' }), INVALID],
  ['no issuer', () => ({ iss: undefined }), INVALID],
  ['no exp', () => ({ exp: undefined }), INVALID],
  ['a text for exp', () => ({ exp: String(now() + 600) }), INVALID],
  ['exp null', () => ({ exp: null }), INVALID],
  ['no sub', () => ({ sub: undefined }), INVALID],
  ['an empty sub', () => ({ sub: '' }), INVALID],
  ['a number for sub', () => ({ sub: 1 }), INVALID],
  ['a text for the version', () => ({ token_version: '1' }), INVALID],
  ['null for the version', () => ({ token_version: null }), INVALID],
  ['an object for the version', () => ({ token_version: {} }), INVALID],
  ['no role', () => ({ role: undefined }), INVALID],
  ['an unknown role', () => ({ role: 'pope' }), INVALID],
  ['a role of the prototype', () => ({ role: 'constructor' }), INVALID],
  ['a list of roles', (role) => ({ role: [role] }), INVALID],
  ['not yet valid', () => ({ nbf: now() + 600 }), INVALID],
  ['issued in the future', () => ({ iat: now() + 600 }), INVALID],
  ['expired', () => ({ exp: now() - 1 }), EXPIRED],
  ['expired this very second', () => ({ exp: now() }), EXPIRED],
]

type Request = { method: string; path: string }

async function expectRejected(
  { method, path }: Request,
  Authorization: string | null,
  expected: typeof INVALID,
) {
  const { status, body, headers } = await callJson(path, {
    method,
    headers: Authorization === null ? {} : { Authorization },
  })
  expect([status, body]).toEqual([401, { success: false, message: expected.message }])
  expect(headers.get('WWW-Authenticate')).toMatch(expected.challenge)
  expect(headers.get('Cache-Control')).toBe('no-store')
}

describe.each(GUARDED)('$method /v1$path', ({ role = 'informer', ...route }) => {
  const { method, path } = route

  it.each(NO_TOKENS)('rejects %s', async (_, header) => {
    await expectRejected(route, header(await signed(role)), NOT_GIVEN)
  })

  it.each(FORGERIES)('rejects %s', async (_, forge) => {
    await expectRejected(route, `Bearer ${await forge(await signed(role), role)}`, INVALID)
  })

  it.each(CLAIMS)('rejects %s', async (_, changes, expected, secret) => {
    await expectRejected(route, `Bearer ${await signed(role, changes(role), secret)}`, expected)
  })

  it.each(['bearer', 'BEARER', 'Bearer  '])('knows the scheme written %s', async (scheme) => {
    const token = await tokenFor(await newUser(role))
    const { status } = await call(path, { method, headers: { Authorization: `${scheme} ${token}` } })
    expect(status).not.toBe(401)
  })

  it('accepts a token of the previous secret while it is set, and no longer', async () => {
    const { id } = await newUser(role)
    const token = await signed(role, { sub: id }, OTHER_SECRET)
    const during = await call(path, { method, token, env: { JWT_SECRET_PREVIOUS: OTHER_SECRET } })
    expect(during.status).not.toBe(401)
    expect((await call(path, { method, token })).status).toBe(401)
  })
})

describe.each([...PROTECTED, ...OPTIONAL])('$method /v1$path', ({ role = 'informer', ...route }) => {
  it('rejects an invalid token, and no valid one', async () => {
    const { method, path } = route
    await expectRejected(route, `Bearer ${await signed(role, {}, OTHER_SECRET)}`, INVALID)
    expect((await call(path, { method, token: await tokenFor(await newUser(role)) })).status).not.toBe(401)
  })
})

describe.each(PROTECTED)('$method /v1$path', ({ role, ...route }) => {
  it('rejects a caller without a token', async () => {
    await expectRejected(route, null, NOT_GIVEN)
  })

  it.each([
    ['earlier', 1],
    ['no', undefined],
  ])('rejects a token with %s version than that of the user', async (_, token_version) => {
    const { id } = await newUser(role ?? 'informer')
    await env.DB.prepare('update users set token_version = 2 where id = ?').bind(id).run()
    const token = await signed(role ?? 'informer', { sub: id, token_version })
    await expectRejected(route, `Bearer ${token}`, INVALID)
  })

  it('rejects a user who no longer exists', async () => {
    const token = await tokenFor({ id: crypto.randomUUID(), role: role ?? 'informer' })
    await expectRejected(route, `Bearer ${token}`, INVALID)
  })

  it.each(['informer', 'administrator'] as const)('rejects a user that is no longer %s', async (was) => {
    const user = await newUser(was)
    const token = await tokenFor(user)
    await env.DB.prepare('update users set role_id = 3 - role_id where id = ?').bind(user.id).run()
    await expectRejected(route, `Bearer ${token}`, INVALID)
  })
})

describe.each(PROTECTED.filter(({ role }) => role))('$method /v1$path', ({ method, path, role }) => {
  it('rejects another role', async () => {
    const other = await newUser(role === 'informer' ? 'administrator' : 'informer')
    const { status, body } = await callJson(path, { method, token: await tokenFor(other) })
    const message = `Acesso restrito a ${role === 'informer' ? 'informantes' : 'administradores'}.`
    expect([status, body]).toEqual([403, { success: false, message }])
  })
})

describe.each(OPTIONAL)('$method /v1$path', ({ method, path }) => {
  it('does not read the user of the token', async () => {
    const gone = await tokenFor({ id: crypto.randomUUID(), role: 'informer' })
    const { binding, count } = counting()
    const anonymous = await call(path, { method })
    const { status } = await call(path, { method, token: gone, env: { DB: binding } })
    expect(status).toBe(anonymous.status)
    expect(count.roundTrips).toBe(1)
  })
})

describe('a token of a version that', () => {
  const status = async (tokenVersion: number) => {
    const user = await newUser('administrator')
    await env.DB.prepare('update users set token_version = 2 where id = ?').bind(user.id).run()
    return (await call('/informers', { token: await tokenFor({ ...user, tokenVersion }) })).status
  }

  it.each([
    [1, 'is revoked', 401],
    [2, 'is current', 200],
    [3, 'a restored database does not know', 401],
  ])('(%s) %s: %s', async (version, _, expected) => {
    expect(await status(version)).toBe(expected)
  })
})
