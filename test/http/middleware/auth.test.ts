import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { call, callJson, counting, newUser, tokenFor } from '../../helper.ts'

const ID = '00000000-0000-4000-8000-000000000000'
const ENTRY = `/changelogs/${ID}`
const INFORMER = `/informers/${ID}`
const PROCESS = `/processes/${ID}`
const GROUP = `/groups/${ID}`
const QUESTIONNAIRE = `/questionnaires/${ID}`

const LISTS = ['/categories', '/dioceses', '/treatment-pronouns']

/** Every route that requires a token, with its required role. */
const PROTECTED = [
  { method: 'GET', path: '/cover', role: 'informer' },
  { method: 'GET', path: '/informers', role: 'administrator' },
  { method: 'POST', path: '/informers', role: 'administrator' },
  { method: 'GET', path: INFORMER, role: 'administrator' },
  { method: 'PATCH', path: INFORMER, role: 'administrator' },
  { method: 'DELETE', path: INFORMER, role: 'administrator' },
  { method: 'PUT', path: `${INFORMER}/groups/${ID}`, role: 'administrator' },
  { method: 'DELETE', path: `${INFORMER}/groups/${ID}`, role: 'administrator' },
  { method: 'PUT', path: `${INFORMER}/questionnaires/${ID}`, role: 'administrator' },
  { method: 'DELETE', path: `${INFORMER}/questionnaires/${ID}`, role: 'administrator' },
  { method: 'GET', path: '/administrators', role: 'administrator' },
  { method: 'POST', path: '/administrators', role: 'administrator' },
  { method: 'GET', path: `/administrators/${ID}`, role: 'administrator' },
  { method: 'PATCH', path: `/administrators/${ID}`, role: 'administrator' },
  { method: 'DELETE', path: `/administrators/${ID}`, role: 'administrator' },
  ...LISTS.flatMap((path) => [
    { method: 'POST', path, role: 'administrator' as const },
    { method: 'PATCH', path: `${path}/1`, role: 'administrator' as const },
    { method: 'DELETE', path: `${path}/0`, role: 'administrator' as const },
  ]),
  { method: 'GET', path: '/processes', role: 'administrator' },
  { method: 'POST', path: '/processes', role: 'administrator' },
  { method: 'GET', path: PROCESS, role: 'administrator' },
  { method: 'PATCH', path: PROCESS, role: 'administrator' },
  { method: 'DELETE', path: PROCESS, role: 'administrator' },
  { method: 'POST', path: `${PROCESS}/groups`, role: 'administrator' },
  { method: 'PATCH', path: GROUP, role: 'administrator' },
  { method: 'DELETE', path: GROUP, role: 'administrator' },
  { method: 'POST', path: `${GROUP}/questionnaires`, role: 'administrator' },
  { method: 'PATCH', path: QUESTIONNAIRE, role: 'administrator' },
  { method: 'DELETE', path: QUESTIONNAIRE, role: 'administrator' },
  { method: 'POST', path: '/changelogs/publish', role: 'administrator' },
  { method: 'POST', path: '/changelogs', role: 'administrator' },
  { method: 'PUT', path: ENTRY, role: 'administrator' },
  { method: 'DELETE', path: ENTRY, role: 'administrator' },
  { method: 'GET', path: '/changelogs?is_published=false', role: 'administrator' },
  { method: 'GET', path: '/audit-events', role: 'administrator' },
] as const

/** Protected, but open to every role. */
const ANY_ROLE = [
  { method: 'POST', path: '/changelogs/sync-from-git', role: 'informer' },
  { method: 'PUT', path: '/auth/password', role: 'informer' },
  { method: 'POST', path: '/auth/logout', role: 'administrator' },
] as const

/** Every route with an optional token. */
const OPTIONAL = [
  { method: 'GET', path: '/categories', role: 'administrator' },
  { method: 'GET', path: '/dioceses', role: 'informer' },
  { method: 'GET', path: '/treatment-pronouns', role: 'informer' },
  ...LISTS.map((path) => ({ method: 'GET', path: `${path}/1`, role: 'informer' as const })),
  { method: 'GET', path: '/changelogs', role: 'informer' },
  { method: 'GET', path: ENTRY, role: 'informer' },
] as const

const SECRET = env.JWT_SECRET
const OTHER_SECRET = 'a secret that is never used here'
const ISSUER = 'informer-provisioning-service'
const soon = () => Math.floor(Date.now() / 1000) + 600
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const claims = (role: string) => ({
  iss: ISSUER,
  sub: crypto.randomUUID(),
  role,
  iat: soon() - 900,
  exp: soon(),
})

const NOT_GIVEN = { status: 401, message: 'Token não fornecido', challenge: /^Bearer$/ }
const INVALID = {
  status: 401,
  message: 'Token inválido',
  challenge: /^Bearer error="invalid_token", error_description=".*invalid.*"$/,
}
const EXPIRED = { ...INVALID, challenge: /^Bearer error="invalid_token", error_description=".*expired.*"$/ }

/** The Authorization header of each attack, and the expected response. */
const attacks: [string, (role: string) => Promise<string> | string, typeof NOT_GIVEN][] = [
  ['an empty header', () => '', NOT_GIVEN],
  ['a scheme without a token', () => 'Bearer', NOT_GIVEN],
  ['a scheme and a space', () => 'Bearer ', NOT_GIVEN],
  ['another scheme', () => 'Basic YWRtaW46YWRtaW4=', NOT_GIVEN],
  ['a token without a scheme', async (role) => sign(claims(role), SECRET), NOT_GIVEN],
  [
    'a scheme that only ends in Bearer',
    async (role) => `NotBearer ${await sign(claims(role), SECRET)}`,
    NOT_GIVEN,
  ],
  ['no JWT', () => 'Bearer x', INVALID],
  ['three empty parts', () => 'Bearer ..', INVALID],
  ['two tokens', async (role) => `Bearer ${await sign(claims(role), SECRET)} x`, INVALID],
  ['parts that are no JSON', () => 'Bearer aaaa.bbbb.cccc', INVALID],
  ['another secret', async (role) => `Bearer ${await sign(claims(role), OTHER_SECRET)}`, INVALID],
  [
    'another secret, expired',
    async (role) => `Bearer ${await sign({ ...claims(role), exp: 1 }, OTHER_SECRET)}`,
    INVALID,
  ],
  [
    'algorithm none',
    (role) => `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims(role))}.`,
    INVALID,
  ],
  [
    'algorithm none, signed',
    async (role) => {
      const [, payload, signature] = (await sign(claims(role), SECRET)).split('.')
      return `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${payload}.${signature}`
    },
    INVALID,
  ],
  ['HS384', async (role) => `Bearer ${await sign(claims(role), SECRET, 'HS384')}`, INVALID],
  ['HS512', async (role) => `Bearer ${await sign(claims(role), SECRET, 'HS512')}`, INVALID],
  [
    'a payload that was changed',
    async (role) => {
      const [header, , signature] = (await sign(claims('x'), SECRET)).split('.')
      return `Bearer ${header}.${encode(claims(role))}.${signature}`
    },
    INVALID,
  ],
  [
    'a signature with spare bits set',
    async (role) => {
      const token = await sign(claims(role), SECRET)
      const next = { A: 'B', Q: 'R', g: 'h', w: 'x' } as Record<string, string>
      const last = token.at(-1) ?? ''
      return `Bearer ${token.slice(0, -1)}${next[last] ?? String.fromCharCode(last.charCodeAt(0) + 1)}`
    },
    INVALID,
  ],
  ['a padded signature', async (role) => `Bearer ${await sign(claims(role), SECRET)}=`, INVALID],
  [
    'no signature',
    async (role) => `Bearer ${(await sign(claims(role), SECRET)).replace(/[^.]+$/, '')}`,
    INVALID,
  ],
  [
    'another issuer',
    async (role) => `Bearer ${await sign({ ...claims(role), iss: 'other' }, SECRET)}`,
    INVALID,
  ],
  ['no issuer', async (role) => `Bearer ${await sign({ ...claims(role), iss: undefined }, SECRET)}`, INVALID],
  ['no exp', async (role) => `Bearer ${await sign({ ...claims(role), exp: undefined }, SECRET)}`, INVALID],
  [
    'a text for exp',
    async (role) => `Bearer ${await sign({ ...claims(role), exp: String(soon()) } as never, SECRET)}`,
    INVALID,
  ],
  [
    'exp null',
    async (role) => `Bearer ${await sign({ ...claims(role), exp: null } as never, SECRET)}`,
    INVALID,
  ],
  ['no sub', async (role) => `Bearer ${await sign({ ...claims(role), sub: undefined }, SECRET)}`, INVALID],
  ['an empty sub', async (role) => `Bearer ${await sign({ ...claims(role), sub: '' }, SECRET)}`, INVALID],
  [
    'a number for sub',
    async (role) => `Bearer ${await sign({ ...claims(role), sub: 1 } as never, SECRET)}`,
    INVALID,
  ],
  ...["'1'", 'null', '{}'].map((version): (typeof attacks)[number] => [
    `${version} for the version`,
    async (role) =>
      `Bearer ${await sign({ ...claims(role), token_version: JSON.parse(version.replaceAll("'", '"')) }, SECRET)}`,
    INVALID,
  ]),
  ['no role', async (role) => `Bearer ${await sign({ ...claims(role), role: undefined }, SECRET)}`, INVALID],
  ['an unknown role', async () => `Bearer ${await sign(claims('pope'), SECRET)}`, INVALID],
  ['a role of the prototype', async () => `Bearer ${await sign(claims('constructor'), SECRET)}`, INVALID],
  [
    'a list of roles',
    async (role) => `Bearer ${await sign({ ...claims(role), role: [role] } as never, SECRET)}`,
    INVALID,
  ],
  [
    'not yet valid',
    async (role) => `Bearer ${await sign({ ...claims(role), nbf: soon() }, SECRET)}`,
    INVALID,
  ],
  [
    'issued in the future',
    async (role) => `Bearer ${await sign({ ...claims(role), iat: soon() }, SECRET)}`,
    INVALID,
  ],
  [
    'expired',
    async (role) => `Bearer ${await sign({ ...claims(role), exp: soon() - 601 }, SECRET)}`,
    EXPIRED,
  ],
  [
    'expired this very second',
    async (role) => `Bearer ${await sign({ ...claims(role), exp: soon() - 600 }, SECRET)}`,
    EXPIRED,
  ],
]

describe.each([...PROTECTED, ...ANY_ROLE, ...OPTIONAL])('$method /v1$path', ({ method, path, role }) => {
  it.each(attacks)('rejects %s', async (_, authorization, expected) => {
    const { status, body, headers } = await callJson(path, {
      method,
      headers: { Authorization: await authorization(role) },
    })
    expect(status).toBe(expected.status)
    expect(body).toEqual({ success: false, message: expected.message })
    expect(headers.get('WWW-Authenticate')).toMatch(expected.challenge)
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('knows the scheme written %s', async (scheme) => {
    const token = await tokenFor(await newUser(role))
    const { status } = await call(path, { method, headers: { Authorization: `${scheme} ${token}` } })
    expect(status).not.toBe(401)
  })

  it('accepts a token of the previous secret while it is set, and no longer', async () => {
    const { id } = await newUser(role)
    const token = await sign({ ...claims(role), sub: id }, OTHER_SECRET)
    const during = await call(path, { method, token, env: { JWT_SECRET_PREVIOUS: OTHER_SECRET } })
    expect(during.status).not.toBe(401)
    expect((await call(path, { method, token })).status).toBe(401)
  })
})

describe.each([...PROTECTED, ...ANY_ROLE])('$method /v1$path', ({ method, path, role }) => {
  it('rejects a caller without a token', async () => {
    const { status, body, headers } = await callJson(path, { method })
    expect([status, body]).toEqual([401, { success: false, message: 'Token não fornecido' }])
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it.each([
    ['earlier', 2, 1],
    ['no', 2, undefined],
  ])('rejects a token with %s version than that of the user', async (_, current, tokenVersion) => {
    const user = await newUser(role)
    await env.DB.prepare('update users set token_version = ? where id = ?').bind(current, user.id).run()
    const token =
      tokenVersion === undefined
        ? await sign({ ...claims(role), sub: user.id }, SECRET)
        : await tokenFor({ ...user, tokenVersion })
    const { status, body, headers } = await callJson(path, { method, token })
    expect([status, body]).toEqual([401, { success: false, message: 'Token inválido' }])
    expect(headers.get('WWW-Authenticate')).toMatch(INVALID.challenge)
  })

  it('rejects a user who no longer exists', async () => {
    const user = await newUser(role)
    const token = await tokenFor(user)
    await env.DB.prepare('delete from users where id = ?').bind(user.id).run()
    const { status, body, headers } = await callJson(path, { method, token })
    expect([status, body]).toEqual([401, { success: false, message: 'Token inválido' }])
    expect(headers.get('WWW-Authenticate')).toMatch(INVALID.challenge)
  })

  it.each(['informer', 'administrator'] as const)('rejects a user that is no longer %s', async (was) => {
    const user = await newUser(was)
    const token = await tokenFor(user)
    await env.DB.prepare('update users set role_id = 3 - role_id where id = ?').bind(user.id).run()
    expect((await call(path, { method, token })).status).toBe(401)
  })
})

describe.each(PROTECTED)('$method /v1$path', ({ method, path, role }) => {
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
