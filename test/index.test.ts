import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  BASE,
  call,
  callJson,
  PASSWORD,
  rateLimits,
  tokenOf,
  UNKNOWN_ID,
} from './support/helper.ts'
import { logged } from './support/logs.ts'
import app from '#index.ts'

const errorBody = (message: string) => ({ success: false, message })

describe('paths', () => {
  it.each(['/v1/api/categories', '/api/v1/categories/?page=2'])(
    'GET %s is the list of categories',
    async (path) => {
      expect((await call(`https://service.example${path}`)).status).toBe(200)
    },
  )

  it.each(['/v1/api/cover', '/api/v1/informers/', '/v1/%63over'])(
    'GET %s needs a token',
    async (path) => {
      expect((await call(`https://service.example${path}`)).status).toBe(401)
    },
  )

  it.each([
    ...['/', '/v1', '/v1/', '/api/v1', '/v1/api/', '/categories', '/api/categories'],
    ...['/v2/categories', '/v1/Categories', '/v1/categories//', '/v1/categories/1/2'],
    ...['/v1/%00', '/v1/%ff', '/v1/__proto__', '/redefinir-senha%ff', '/v1/categories%'],
    ...['/v1/dioceses/%ff', '/v1/informers/%zz', '/api/v1/changelogs/%C3%28'],
  ])('GET %s is unknown', async (path) => {
    const { status, body } = await callJson(`https://service.example${path}`)
    expect([status, body]).toEqual([404, errorBody('Recurso não encontrado.')])
  })

  it('an unknown route is 404 even with a bad token and a bad body', async () => {
    expect((await call('/nothing', { token: 'x', body: '{' })).status).toBe(404)
  })

  it.each([
    ['DELETE', '/categories', 'GET, HEAD, POST'],
    ['POST', '/cover', 'GET, HEAD'],
    ['PUT', '/informers', 'GET, HEAD, POST'],
    ['HEAD', '/auth/login', 'POST'],
    ['PATCH', '/auth/login', 'POST'],
    ['PUT', '/health', 'GET, HEAD'],
    ['TRACE', '/health', 'GET, HEAD'],
    ['PUT', `/informers/${UNKNOWN_ID}`, 'GET, HEAD, PATCH, DELETE'],
    ['GET', `/informers/${UNKNOWN_ID}/groups/${UNKNOWN_ID}`, 'PUT, DELETE'],
    ['POST', '/docs/start.js', 'GET, HEAD'],
    ['POST', 'https://service.example/confirmar-email', 'GET, HEAD'],
    ['DELETE', 'https://service.example/redefinir-senha%23token=x', 'GET, HEAD'],
  ])(
    '%s %s is not allowed, before any token is looked at',
    async (method, path, allow) => {
      const response = await call(path, { method, token: 'x' })
      expect(response.status).toBe(405)
      expect(response.headers.get('Allow')).toBe(allow)
      if (method !== 'HEAD') {
        expect(await response.json()).toEqual(errorBody('Método não permitido.'))
      }
    },
  )
})

const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

describe('responses', () => {
  it('of every kind carry the security headers, JSON and no-store', async () => {
    const responses = await Promise.all([
      call('/categories?page=0'),
      call('/nothing'),
      call('/cover'),
      call('/cover', { method: 'POST' }),
      call('/cover', { token: await tokenOf('ana@example.org') }),
      call('/auth/login', { body: {} }),
      call('/health'),
    ])
    for (const { status, headers } of responses) {
      expect([status, headers.get('Cache-Control')]).toEqual([status, 'no-store'])
      expect(headers.get('Content-Type')).toBe('application/json')
      expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS)
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect(
      new Set(responses.map(({ headers }) => headers.get('X-Request-Id'))).size,
    ).toBe(responses.length)
  })

  it('do not reuse the request id of a client', async () => {
    const response = await call('/health', { headers: { 'X-Request-Id': 'mine' } })
    expect(response.headers.get('X-Request-Id')).not.toBe('mine')
  })

  it('carry the security headers when they are cacheable, too', async () => {
    const { headers } = await call('/categories')
    expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS)
  })
})

describe('an error', () => {
  it('in the service is 500 without details', async () => {
    const { status, body } = await callJson('/categories', {
      env: {
        DB: {
          withSession: () => {
            throw new Error('secret detail: ana@example.org')
          },
        },
      },
    })
    expect([status, body]).toEqual([500, errorBody('Erro interno do servidor.')])
    expect(logged('error')).toHaveLength(1)
    expect(JSON.stringify(logged('error'))).not.toContain('secret detail')
  })
})

it('the app needs no execution context', async () => {
  const body = JSON.stringify({ email: 'ana@example.org', password: PASSWORD })
  const headers = { 'Content-Type': 'application/json' }
  const bindings = { ...env, ...rateLimits() }
  const response = await app.request(
    `${BASE}/auth/login`,
    { method: 'POST', headers, body },
    bindings,
  )
  expect(response.status).toBe(200)
})
