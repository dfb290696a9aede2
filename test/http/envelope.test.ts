import { describe, expect, it } from 'vitest'
import { administratorToken, call, callJson, failingDatabase, newUser, tokenFor, tokenOf } from '../helper.ts'
import { logged } from '../logs.ts'

const ORIGIN = 'https://painel.example.org'
const errorBody = (message: string) => ({ success: false, message })

describe('addresses', () => {
  it.each([
    '/v1/categories',
    '/v1/api/categories',
    '/api/v1/categories',
    '/v1/categories/',
    '/api/v1/categories/?page=2',
  ])('GET %s is the list of categories', async (path) => {
    expect((await call(`https://service.example${path}`)).status).toBe(200)
  })

  it.each([
    '/v1',
    '/v1/',
    '/',
    '/categories',
    '/v2/categories',
    '/v1/api',
    '/v1/api/',
    '/api/v1',
    '/api/categories',
    '/v1/api/api/categories',
    '/v1/categories//',
    '/v1/Categories',
    '/v1/%00',
    '/v1/%ff',
    '/v1/categories/1',
    '/v1/__proto__',
  ])('GET %s is unknown', async (path) => {
    const { status, body } = await callJson(`https://service.example${path}`)
    expect([status, body]).toEqual([404, errorBody('Recurso não encontrado.')])
  })

  it('an unknown route is 404 even with a bad token and a bad body', async () => {
    expect((await call('/nothing', { token: 'x', body: '{' })).status).toBe(404)
  })

  it.each([
    ['DELETE', '/categories', 'GET, HEAD'],
    ['POST', '/cover', 'GET, HEAD'],
    ['PUT', '/informers', 'GET, HEAD, POST'],
    ['HEAD', '/auth/login', 'POST'],
    ['PATCH', '/auth/login', 'POST'],
    ['PUT', '/health', 'GET, HEAD'],
  ])('%s %s is not allowed, before any token is looked at', async (method, path, allow) => {
    const response = await call(path, { method, token: 'x' })
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe(allow)
    if (method !== 'HEAD') expect(await response.json()).toEqual(errorBody('Método não permitido.'))
  })
})

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
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Strict-Transport-Security')).toMatch(/max-age/)
      expect(headers.get('X-Frame-Options')).toBe('SAMEORIGIN')
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect(new Set(responses.map(({ headers }) => headers.get('X-Request-Id'))).size).toBe(responses.length)
  })

  it('do not reuse the request id of a client', async () => {
    const response = await call('/health', { headers: { 'X-Request-Id': 'mine' } })
    expect(response.headers.get('X-Request-Id')).not.toBe('mine')
  })

  it('carry the security headers when they are cacheable, too', async () => {
    expect((await call('/categories')).headers.get('X-Content-Type-Options')).toBe('nosniff')
  })
})

const notJson = 'O corpo da requisição não é um JSON válido.'
const notObject = 'O corpo da requisição deve ser um objeto JSON.'
const tooLarge = 'O corpo da requisição é grande demais.'
const wrongType = 'O corpo da requisição deve ser application/json.'
const KIB = 1024
const padded = (bytes: number) => {
  const frame = JSON.stringify({ x: '' }).length
  return JSON.stringify({ x: 'a'.repeat(bytes - frame) })
}
/** A connection that is lost while the body is on its way. */
const broken = () =>
  new ReadableStream({
    start: (controller) => controller.error(new Error('Network connection lost.')),
  })
const stream = (text: string) => new Blob([text]).stream()

describe.each([
  ['/auth/login', undefined],
  ['/informers', administratorToken],
] as const)('the body of POST /v1%s', (path, token) => {
  it.each([
    ['nothing', undefined, {}, 400, notJson],
    ['nothing with a type', '', {}, 400, notJson],
    ['broken JSON', '{"a":', {}, 400, notJson],
    ['a lone brace', '}', {}, 400, notJson],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}, 400, notJson],
    ['a list', '[]', {}, 400, notObject],
    ['null', 'null', {}, 400, notObject],
    ['a text', '"x"', {}, 400, notObject],
    ['a number', '1', {}, 400, notObject],
    ['a form', 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, wrongType],
    ['text', '{}', { 'Content-Type': 'text/plain' }, 415, wrongType],
    ['no type', new Uint8Array([0x7b, 0x7d]), { 'Content-Type': '' }, 415, wrongType],
    ['a type that only begins like JSON', '{}', { 'Content-Type': 'application/jsonx' }, 415, wrongType],
    ['one byte too many', padded(64 * KIB + 1), {}, 413, tooLarge],
    [
      'one byte too many, of another type',
      padded(64 * KIB + 1),
      { 'Content-Type': 'text/plain' },
      413,
      tooLarge,
    ],
    ['a chunked body without end', 'CHUNKED', {}, 413, tooLarge],
    ['a body that breaks off', 'BROKEN', {}, 400, notJson],
  ])('rejects %s', async (_, body, headers, status, message) => {
    const response = await callJson(path, {
      method: 'POST',
      token: await token?.(),
      body: body === 'CHUNKED' ? stream(padded(65 * KIB)) : body === 'BROKEN' ? broken() : body,
      headers,
    })
    expect([response.status, response.body]).toEqual([status, errorBody(message)])
  })

  it.each([
    ['a charset', '{}', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['a type in upper case', '{}', { 'Content-Type': 'APPLICATION/JSON' }],
    ['a byte order mark', '\ufeff{}', {}],
    ['exactly the limit', padded(64 * KIB), {}],
    ['deep nesting', `{"x":${'['.repeat(9000)}${']'.repeat(9000)}}`, {}],
    ['__proto__', '{"__proto__":{"first_name":"x","password":"y","email":"z"}}', {}],
  ])('is read with %s', async (_, body, headers) => {
    const response = await callJson(path, { method: 'POST', token: await token?.(), body, headers })
    expect(response.status).toBe(422)
  })
})

describe('the order of checks', () => {
  it('is token, role, body, data', async () => {
    const body = '['
    expect((await call('/informers', { body })).status).toBe(401)
    const gone = await tokenFor({ id: crypto.randomUUID(), role: 'administrator' })
    expect((await call('/informers', { body, token: gone })).status).toBe(401)
    const informer = await tokenFor(await newUser('informer'))
    expect((await call('/informers', { body, token: informer })).status).toBe(403)
    expect((await call('/informers', { body, token: await administratorToken() })).status).toBe(400)
    expect((await call('/informers', { body: '{}', token: await administratorToken() })).status).toBe(422)
  })
})

describe('CORS', () => {
  const env = { CORS_ORIGINS: `https://other.example.org, ${ORIGIN}` }
  const preflight = (path: string, method: string, origin = ORIGIN) =>
    call(path, {
      method: 'OPTIONS',
      env,
      headers: { Origin: origin, 'Access-Control-Request-Method': method },
    })

  it('allows any origin to read what is public and cacheable', async () => {
    const response = await call('/categories', { headers: { Origin: 'https://any.example' } })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const options = await preflight('/categories', 'GET', 'https://any.example')
    expect(options.status).toBe(204)
    expect(options.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(options.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    expect(options.headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD')
  })

  it('does not vary what any origin may read by the origin', async () => {
    for (const path of ['/categories', '/changelogs', '/dioceses?page=0'])
      expect((await call(path)).headers.get('Vary') ?? '').not.toContain('Origin')
  })

  it('exposes the headers that a front end reads, and takes those it sends', async () => {
    const { headers } = await call('/cover', { env, headers: { Origin: ORIGIN } })
    expect(headers.get('Access-Control-Expose-Headers')?.split(',').sort()).toEqual(
      ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id', 'x-d1-bookmark'].sort(),
    )
    const options = await preflight('/informers', 'PATCH')
    expect(options.headers.get('Access-Control-Allow-Headers')?.split(',').sort()).toEqual(
      [
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-None-Match',
        'X-Requested-With',
        'x-d1-bookmark',
      ].sort(),
    )
    expect(options.headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD,POST,PUT,PATCH,DELETE')
    expect(options.headers.get('Access-Control-Max-Age')).toBe('86400')
  })

  it('allows any origin on a public path', async () => {
    const token = await tokenOf('admin@example.org')
    const headers = { Origin: 'https://any.example' }
    const drafts = await call('/changelogs?is_published=false', { token, headers })
    expect([drafts.status, drafts.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*'])
    const write = await call('/changelogs', { method: 'POST', token, headers })
    expect(write.headers.has('Access-Control-Allow-Origin')).toBe(false)
  })

  it('allows the listed origins everything else', async () => {
    const response = await call('/cover', { env, headers: { Origin: ORIGIN } })
    expect(response.status).toBe(401)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(response.headers.get('Vary')).toContain('Origin')
    const options = await preflight('/informers', 'POST')
    expect(options.status).toBe(204)
    expect(options.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(options.headers.get('Access-Control-Allow-Methods')).toContain('POST')
    expect(options.headers.get('Access-Control-Allow-Headers')).toContain('Content-Type')
  })

  it.each(['https://evil.example', 'https://painel.example.org.evil.example', 'null'])(
    'does not allow %s',
    async (origin) => {
      const response = await call('/cover', { env, headers: { Origin: origin } })
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false)
      expect(
        (await preflight('/auth/login', 'POST', origin)).headers.has('Access-Control-Allow-Origin'),
      ).toBe(false)
    },
  )

  it('rejects a preflight on an unknown path, and lists the methods of a known one', async () => {
    expect((await preflight('/nothing', 'GET')).status).toBe(404)
    const options = await call('/informers', { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(await options.text()).toBe('')
  })

  it('allows no origin by default', async () => {
    const response = await call('/cover', { headers: { Origin: ORIGIN } })
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false)
  })
})

describe('a wrong setting', () => {
  it.each([
    ['JWT_SECRET', 'short'],
    ['JWT_SECRET', undefined],
    ['JWT_SECRET_PREVIOUS', 'short'],
    ['JWT_TTL_SECONDS', 'an hour'],
    ['JWT_TTL_SECONDS', '0'],
    ['COVER_TEXTS', 'nope'],
    ['COVER_TEXTS', '{"Grupo 1":{"line_1":5}}'],
    ['COVER_TEXTS', '{"Grupo 1":{"linha_1":"x"}}'],
    ['COVER_TEXTS', '[]'],
    ['COVER_TEXTS', undefined],
    ['REQUIRE_EMAIL_VERIFICATION', 'yes'],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['CORS_ORIGINS', 'https://a.example,b.example'],
    ['CORS_ORIGINS', '*'],
    ['GIT_REPOSITORY', 'service'],
    ['GIT_API_URL', 'git.example.org'],
  ])('%s = %s is named in one log line, without its value, and requests get 500', async (name, value) => {
    const { status, body } = await callJson('/categories', { env: { [name]: value } })
    expect([status, body]).toEqual([500, errorBody('Erro interno do servidor.')])
    expect(logged('error')).toHaveLength(1)
    expect(JSON.stringify(logged('error'))).toContain(name)
    if (value && value.length > 3) expect(JSON.stringify(logged('error'))).not.toContain(value)
  })
})

it.each([
  'JWT_SECRET_PREVIOUS',
  'JWT_TTL_SECONDS',
  'CORS_ORIGINS',
  'REQUIRE_EMAIL_VERIFICATION',
  'GIT_REPOSITORY',
  'GIT_API_URL',
])('the setting %s, set to nothing, counts as not set', async (name) => {
  expect((await call('/categories', { env: { [name]: '' } })).status).toBe(200)
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

  it('in its SQL is 500', async () => {
    const DB = failingDatabase('D1_ERROR: no such column: x: SQLITE_ERROR')
    expect((await call('/categories', { env: { DB } })).status).toBe(500)
  })

  it.each([
    'D1_ERROR: Network connection lost.',
    'D1_ERROR: Failed to get session commit token: internal error',
    'D1_ERROR: database is locked: SQLITE_BUSY',
    'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
    'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
    'Internal error in D1 DB storage caused object to be reset.',
    'D1 DB exceeded its CPU time limit and was reset.',
    'Cannot resolve D1 DB due to transient issue on remote node.',
  ])('of the database, %s, is 503 with Retry-After', async (text) => {
    const { status, body, headers } = await callJson('/categories', { env: { DB: failingDatabase(text) } })
    expect([status, body]).toEqual([503, errorBody('Serviço temporariamente indisponível.')])
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(headers.get('Cache-Control')).toBe('no-store')
  })
})
