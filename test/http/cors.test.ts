import { describe, expect, it } from 'vitest'
import { call, tokenOf } from '../support/helper.ts'
import { newRequest } from '../support/routes.ts'
import { LOOPBACK_ORIGINS } from '#settings.ts'

const ORIGIN = 'https://painel.example.org'

const ANY = 'https://any.example'
const LISTED = { CORS_ORIGINS: `https://other.example.org, ${ORIGIN}` }
const LOOPBACK = { CORS_ORIGINS: `https://a.example,${LOOPBACK_ORIGINS}` }

/** The origin that a response allows. */
const allowed = ({ headers }: Response) => headers.get('Access-Control-Allow-Origin')

const preflight = (path: string, method: string, Origin: string) =>
  call(path, {
    method: 'OPTIONS',
    env: LISTED,
    headers: { Origin, 'Access-Control-Request-Method': method },
  })

/** The names in a header that lists some. */
const listIn = ({ headers }: Response, name: string) =>
  headers.get(name)?.split(',').toSorted()

describe('CORS of public reads', () => {
  it.each([
    ['GET', '/changelogs/', '*'],
    ['HEAD', '/categories', '*'],
    ['GET', '/changelogs?is_published=false', '*'],
    ['POST', '/changelogs', null],
    ['GET', '/changelogs/a/b', null],
    ['GET', '/categories/1/2', null],
    ['GET', '/categoriesx', null],
    ['GET', '/other/v1/categories', null],
    ['GET', '/informers', null],
  ])('allow for %s %s the origin %s', async (method, path, origin) => {
    const token = await tokenOf('admin@example.org')
    expect(allowed(await call(path, { method, token, headers: { Origin: ANY } }))).toBe(
      origin,
    )
  })

  it('let any origin send GET and HEAD', async () => {
    const response = await preflight('/categories', 'GET', ANY)
    expect([response.status, allowed(response)]).toEqual([204, '*'])
    expect(listIn(response, 'Access-Control-Allow-Methods')).toEqual(['GET', 'HEAD'])
    expect(listIn(response, 'Access-Control-Allow-Headers')).toContain('Authorization')
  })

  it('do not vary by the origin', async () => {
    for (const path of ['/categories', '/changelogs', '/dioceses?page=0']) {
      expect((await call(path)).headers.get('Vary') ?? '').not.toContain('Origin')
    }
  })
})

describe('CORS of everything else', () => {
  it('shows a listed origin the headers that a front end reads, also of a 401', async () => {
    const response = await call('/cover', { env: LISTED, headers: { Origin: ORIGIN } })
    expect([response.status, allowed(response)]).toEqual([401, ORIGIN])
    expect(response.headers.get('Vary')).toContain('Origin')
    expect(listIn(response, 'Access-Control-Expose-Headers')).toEqual([
      'ETag',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ])
  })

  it('lets a listed origin read the response to a POST that is repeated', async () => {
    const { path, call: request } = await newRequest('POST /v1/categories')
    const headers = { Origin: ORIGIN, 'Idempotency-Key': crypto.randomUUID() }
    for (const time of ['first', 'second']) {
      const response = await call(path, { ...request, headers, env: LISTED })
      expect([time, response.status, allowed(response)]).toEqual([time, 201, ORIGIN])
    }
  })

  it('lets a listed origin send every method, and the headers of a front end', async () => {
    const response = await preflight('/informers', 'PATCH', ORIGIN)
    expect([response.status, allowed(response)]).toEqual([204, ORIGIN])
    expect(response.headers.get('Access-Control-Allow-Methods')).toBe(
      'GET,HEAD,POST,PUT,PATCH,DELETE',
    )
    expect(listIn(response, 'Access-Control-Allow-Headers')).toEqual([
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'X-Request-Id',
      'X-Requested-With',
    ])
    expect(response.headers.get('Access-Control-Max-Age')).toBe('86400')
  })

  it.each<[string, object, allowed: boolean, origins: string[]]>([
    ['none is listed', {}, false, [ORIGIN]],
    ['some are listed', LISTED, true, ['https://other.example.org']],
    ['some are listed', LISTED, false, [ANY, `${ORIGIN}.evil.example`, 'null']],
    [
      'any port of this machine is listed',
      LOOPBACK,
      true,
      [
        'http://localhost:5173',
        'http://localhost',
        'http://127.0.0.1:3000',
        'http://[::1]:4200',
        'https://localhost:5173',
        'https://a.example',
      ],
    ],
    [
      'any port of this machine is listed',
      LOOPBACK,
      false,
      [
        'http://localhost.evil.example:5173',
        'http://evil.example:5173',
        'https://a.example:5173',
        'http://localhost:5173:80',
        'null',
      ],
    ],
  ])(
    'where %s (%j), the answer whether an origin is allowed is %s: %j',
    async (_, env, isAllowed, origins) => {
      for (const origin of origins) {
        const response = await call('/cover', { env, headers: { Origin: origin } })
        expect([origin, allowed(response)]).toEqual([origin, isAllowed ? origin : null])
      }
    },
  )

  it('answers a preflight on an unknown path with 404, which a listed origin may read', async () => {
    const response = await preflight('/informer', 'PATCH', ORIGIN)
    expect([response.status, allowed(response)]).toEqual([404, ORIGIN])
    expect(response.headers.get('Vary')).toContain('Origin')
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(allowed(await preflight('/informer', 'PATCH', ANY))).toBeNull()
  })
})
