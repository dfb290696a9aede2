import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { newApiToken } from '../support/api-tokens.ts'
import { documentedPaths } from '../support/documented.ts'
import { call, callJson, UNKNOWN_ID } from '../support/helper.ts'
import { pathOf, routes } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'
import { type Scope, SCOPES } from '#domain/api-tokens.ts'
import type { Operation } from '#openapi/operation.ts'

// What each scope opens, as it was promised, on every route of the app.

/** Every route that takes a token. */
const ROUTES = Object.entries(routes)
  .filter(([, { guard }]) => guard !== 'public')
  .map(([route, { guard, scopes = [] }]) => ({ route, guard, scopes }))

const NOT_ALLOWED = { success: false, message: 'Este token não permite esta ação.' }

/** Sends a request that changes nothing: of nobody, with a body that lacks everything. */
function send(route: string, token: string, more: object = {}) {
  const { method, path } = pathOf(route, UNKNOWN_ID)
  const hasBody = method !== 'GET' && method !== 'DELETE'
  return callJson(path, {
    method,
    token,
    ...(hasBody && { body: { commits: 1 } }),
    ...more,
  })
}

it('a route that takes a token does not compile without a word on scopes', () => {
  const described = {
    id: 'readSecret',
    summary: 'Um',
    description: 'Dois',
    response: z.null(),
  }
  // @ts-expect-error -- without a scope
  const withoutScope: Operation = described
  // @ts-expect-error -- a scope where no token is taken
  const withoutToken: Operation = { ...described, access: 'public', scope: 'any' }
  expect([withoutScope.scope, withoutToken.access]).toEqual([undefined, 'public'])
})

const tokens = new Map<Scope, string>()
beforeAll(async () => {
  for (const scope of SCOPES) tokens.set(scope, (await newApiToken([scope])).token)
})

describe.each(ROUTES)('$route', ({ route, guard, scopes }) => {
  it.each(SCOPES)(`with the scope %s`, async (scope) => {
    const { status, body, headers } = await send(route, tokens.get(scope) ?? '')

    if (scopes.includes(scope)) expect([200, 404, 422]).toContain(status)
    else expect([status, body]).toEqual([403, NOT_ALLOWED])
    const missing = status === 403 ? headers.get('WWW-Authenticate') : null
    const named = missing?.match(/scope="(.+)"/)?.[1]
    if (status === 403 && scopes.length > 0) expect(scopes).toContain(named)
    else expect(named).toBeUndefined()
  })

  it('names its scopes in the description and in the security of its operation', () => {
    const [method = '', path = ''] = route.split(' /v1')
    const documented = documentedPaths[path]?.[method.toLowerCase()] as unknown as {
      security: Record<string, string[]>[]
      description: string
    }
    const named = documented.security.flatMap(({ api_token }) => api_token ?? [])
    if (guard === 'optional') {
      expect(documented.security).toEqual([])
    } else if (guard === 'viewer') {
      expect(documented.security).toContainEqual({ api_token: [] })
    } else {
      expect(named.toSorted()).toEqual(scopes.toSorted())
    }
    for (const scope of named) expect(documented.description).toContain(`\`${scope}\``)
  })

  it('tells a program without a scope before it reads a body', async () => {
    if (scopes.length === SCOPES.length) return
    const closed = SCOPES.filter((scope) => !scopes.includes(scope))
    const { token } = await newApiToken(closed)
    const before = await storedRows()
    const { status, body } = await send(route, token, {
      ...(route.startsWith('GET ') ? {} : { body: '{' }),
      headers: { 'Content-Type': 'text/plain' },
    })
    expect([status, body]).toEqual([403, NOT_ALLOWED])
    const { api_tokens: _, ...after } = await storedRows() // it was used
    const { api_tokens: __, ...unused } = before
    expect(after).toEqual(unused)
  })
})

it.each(['GET', 'HEAD'])('%s is opened by one scope', async (method) => {
  const { token } = await newApiToken(['processes:read'])
  expect((await call('/processes', { method, token })).status).toBe(200)
  expect((await call('/informers', { method, token })).status).toBe(403)
})

it.each(['/v1/api', '/api/v1'])('under %s it opens the same', async (prefix) => {
  const { token } = await newApiToken(['processes:read'])
  const at = (path: string) => `https://service.example${prefix}${path}/`
  expect((await call(at('/processes'), { token })).status).toBe(200)
  expect((await call(at('/informers'), { token })).status).toBe(403)
})

it('an unknown route is 404 and a wrong method 405, whatever the token opens', async () => {
  const { token } = await newApiToken(['audit-events:read'])
  expect((await call('/unknown', { token })).status).toBe(404)
  expect((await call('/cover', { token, method: 'PATCH' })).status).toBe(405)
})

it('what needs no token does not look at one', async () => {
  const { token } = await newApiToken(['audit-events:read'])
  expect((await call('/health', { token })).status).toBe(200)
  const body = { email: 'ana@example.org', password: 'Provisao2026' }
  expect((await call('/auth/login', { token: 'ips_wrong', body })).status).toBe(200)
})
