import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import {
  type Call,
  call,
  callJson,
  counting,
  newUser,
  tokenFor,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { pathOf, routes } from '../support/routes.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** Every route with its path of nothing; a role is missing where every role may. */
const ROUTES = [
  ...Object.entries(routes).map(([route, { guard }]) => {
    const role: RoleSlug | undefined =
      guard === 'admin' ? 'administrator' : guard === 'informer' ? guard : undefined
    return { ...pathOf(route, UNKNOWN_ID), guard, role }
  }),
  {
    method: 'GET',
    path: '/changelogs?is_published=false',
    guard: 'admin',
    role: 'administrator',
  },
] as const
const OPTIONAL = ROUTES.filter(({ guard }) => guard === 'optional' || guard === 'viewer')
const PROTECTED = ROUTES.filter(({ guard }) =>
  ['user', 'informer', 'admin'].includes(guard),
)

const OTHER_SECRET = 'a secret that is never used here'

/** A token of the previous or another secret, by default expired. */
const signed = (
  { id, role }: { id: string; role: string },
  secret = env.JWT_SECRET,
  exp = 1,
) =>
  sign(
    {
      iss: 'informer-provisioning-service',
      sub: id,
      role,
      token_version: 1,
      auth_time: Math.floor(Date.now() / 1000),
      exp,
    },
    secret,
  )
const soon = () => Math.floor(Date.now() / 1000) + 600

const NOT_GIVEN = { message: 'Token não fornecido', challenge: /^Bearer$/ }
const INVALID = {
  message: 'Token inválido',
  challenge: /^Bearer error="invalid_token", error_description=".*invalid.*"$/,
}
const EXPIRED = {
  ...INVALID,
  challenge: /^Bearer error="invalid_token", error_description=".*expired.*"$/,
}

async function expectRefused(
  path: string,
  options: Call,
  { message, challenge }: typeof NOT_GIVEN,
) {
  const { status, body, headers } = await callJson(path, options)
  expect([status, body]).toEqual([401, { success: false, message }])
  expect(headers.get('WWW-Authenticate')).toMatch(challenge)
}

describe.each(['/cover', '/categories'])(
  'the Authorization header of GET /v1%s',
  (path) => {
    it.each([
      ['', NOT_GIVEN],
      ['Bearer', NOT_GIVEN],
      ['Bearer ', NOT_GIVEN],
      ['Basic YWRtaW46YWRtaW4=', NOT_GIVEN],
      ['TOKEN', NOT_GIVEN],
      ['NotBearer TOKEN', NOT_GIVEN],
      ['Bearer x', INVALID],
      ['Bearer TOKEN x', INVALID],
    ])('is refused as %j', async (header, expected) => {
      const Authorization = header.replace(
        'TOKEN',
        await tokenOfNew(await newUser('informer')),
      )
      await expectRefused(path, { headers: { Authorization } }, expected)
    })

    it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])(
      'knows the scheme written %s',
      async (scheme) => {
        const Authorization = `${scheme} ${await tokenOfNew(await newUser('informer'))}`
        expect((await call(path, { headers: { Authorization } })).status).not.toBe(401)
      },
    )
  },
)

describe.each([...PROTECTED, ...OPTIONAL])(
  '$method /v1$path',
  ({ method, path, role = 'informer' }) => {
    it('refuses another scheme, a token of another secret, and an expired one', async () => {
      const user = await newUser(role)
      const forged = await signed(user, OTHER_SECRET, soon())
      await expectRefused(
        path,
        { method, headers: { Authorization: 'Basic YWRtaW4=' } },
        NOT_GIVEN,
      )
      await expectRefused(path, { method, token: forged }, INVALID)
      await expectRefused(path, { method, token: await signed(user) }, EXPIRED)
      const { status } = await call(path, {
        method,
        token: forged,
        env: { JWT_SECRET_PREVIOUS: OTHER_SECRET },
      })
      expect(status).not.toBe(401)
    })
  },
)

describe.each(PROTECTED)('$method /v1$path', ({ method, path, role = 'informer' }) => {
  it('refuses a caller without a token', async () => {
    await expectRefused(path, { method }, NOT_GIVEN)
  })

  it.each([
    ['no longer exists', 'delete from users where id = ?'],
    ['has another role', 'update users set role_id = 3 - role_id where id = ?'],
    ['ended the session', 'update users set token_version = 2 where id = ?'],
    ['was restored to before it', 'update users set token_version = 0 where id = ?'],
  ])('refuses a user who %s', async (_, sql) => {
    const user = await newUser(role)
    const token = await tokenFor(user)
    await env.DB.prepare(sql).bind(user.id).run()
    await expectRefused(path, { method, token }, INVALID)
  })
})

describe.each(PROTECTED.filter(({ role }) => role))(
  '$method /v1$path',
  ({ method, path, role }) => {
    it('rejects another role before it reads a body', async () => {
      const other = await newUser(role === 'informer' ? 'administrator' : 'informer')
      const { status, body } = await callJson(path, {
        method,
        token: await tokenFor(other),
        ...(method !== 'GET' && { body: '{' }),
      })
      const message = `Acesso restrito a ${role === 'informer' ? 'informantes' : 'administradores'}.`
      expect([status, body]).toEqual([403, { success: false, message }])
    })
  },
)

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
