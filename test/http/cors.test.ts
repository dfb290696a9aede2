import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { call, tokenOf } from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import type { AppEnv } from '#http/app-env.ts'
import { corsOf } from '#http/response/cors.ts'
import { LOOPBACK_ORIGINS } from '#settings.ts'

const ORIGIN = 'https://painel.example.org'

describe('CORS', () => {
  const env = { CORS_ORIGINS: `https://other.example.org, ${ORIGIN}` }
  const preflight = (path: string, method: string, origin = ORIGIN) =>
    call(path, {
      method: 'OPTIONS',
      env,
      headers: { Origin: origin, 'Access-Control-Request-Method': method },
    })

  it('allows any origin to read what is public and cacheable', async () => {
    const response = await call('/categories', {
      headers: { Origin: 'https://any.example' },
    })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const options = await preflight('/categories', 'GET', 'https://any.example')
    expect(options.status).toBe(204)
    expect(options.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(options.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    expect(options.headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD')
  })

  it.each([
    '/changelogs/a/b',
    '/categories/1/2',
    '/categoriesx',
    '/other/v1/categories',
    '/changelogs/',
    '/informers',
  ])('decides by the whole path whether %s is public', async (path) => {
    const { headers } = await call(path, { headers: { Origin: 'https://any.example' } })
    expect(headers.get('Access-Control-Allow-Origin')).toBe(
      path === '/changelogs/' ? '*' : null,
    )
  })

  it('lets any origin read one entry', async () => {
    const { headers } = await call(`/changelogs/${crypto.randomUUID()}`, {
      headers: { Origin: ORIGIN },
    })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  })

  it('does not vary what any origin may read by the origin', async () => {
    for (const path of ['/categories', '/changelogs', '/dioceses?page=0']) {
      expect((await call(path)).headers.get('Vary') ?? '').not.toContain('Origin')
    }
  })

  it('exposes the headers that a front end reads, and takes those it sends', async () => {
    const { headers } = await call('/cover', { env, headers: { Origin: ORIGIN } })
    expect(headers.get('Access-Control-Expose-Headers')?.split(',').sort()).toEqual(
      ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'].sort(),
    )
    const options = await preflight('/informers', 'PATCH')
    expect(
      options.headers.get('Access-Control-Allow-Headers')?.split(',').sort(),
    ).toEqual(
      [
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'If-None-Match',
        'X-Request-Id',
        'X-Requested-With',
      ].sort(),
    )
    expect(options.headers.get('Access-Control-Allow-Methods')).toBe(
      'GET,HEAD,POST,PUT,PATCH,DELETE',
    )
    expect(options.headers.get('Access-Control-Max-Age')).toBe('86400')
  })

  it('allows any origin on a public path', async () => {
    const token = await tokenOf('admin@example.org')
    const headers = { Origin: 'https://any.example' }
    const drafts = await call('/changelogs?is_published=false', { token, headers })
    expect([drafts.status, drafts.headers.get('Access-Control-Allow-Origin')]).toEqual([
      200,
      '*',
    ])
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
        (await preflight('/auth/login', 'POST', origin)).headers.has(
          'Access-Control-Allow-Origin',
        ),
      ).toBe(false)
    },
  )

  it('rejects a preflight on an unknown path, and lists the methods of a known one', async () => {
    expect((await preflight('/nothing', 'GET')).status).toBe(404)
    const options = await call('/informers', { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(await options.text()).toBe('')
  })

  const LOCAL = { CORS_ORIGINS: `https://a.example,${LOOPBACK_ORIGINS}` }

  it.each([
    'http://localhost:5173',
    'http://localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:4200',
    'https://localhost:5173',
    'https://a.example',
  ])('allows %s where any port of this machine is listed', async (origin) => {
    const { headers } = await call('/cover', { env: LOCAL, headers: { Origin: origin } })
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
  })

  it.each([
    'http://localhost.evil.example:5173',
    'http://evil.example:5173',
    'https://a.example:5173',
    'http://localhost:5173:80',
    'null',
  ])('does not allow %s where any port of this machine is listed', async (origin) => {
    const { headers } = await call('/cover', { env: LOCAL, headers: { Origin: origin } })
    expect(headers.has('Access-Control-Allow-Origin')).toBe(false)
  })

  it('allows no origin by default', async () => {
    const response = await call('/cover', { headers: { Origin: ORIGIN } })
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false)
  })
})

describe('the log of refused origins', () => {
  const requestFrom = (Origin: string, path = '/cover') =>
    call(path, { headers: { Origin } })
  const origins = () => logged('warn').map(({ origin }) => origin)

  /** Requests of an isolate of its own, which allows no origin. */
  function newIsolate() {
    const isolate = new Hono<AppEnv>()
    isolate.use(async (c, next) => {
      c.set('settings', {
        CORS_ORIGINS: [] as string[],
      } as AppEnv['Variables']['settings'])
      await next()
    })
    isolate.use(corsOf([]).cors)
    return (Origin: string) => isolate.request('/v1/cover', { headers: { Origin } })
  }

  it('names one that is missing in CORS_ORIGINS, once', async () => {
    const origin = 'https://forgotten.example.org'
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' }
    await call('/auth/login', { method: 'OPTIONS', headers })
    await requestFrom(origin)
    await requestFrom('http://localhost:5173')
    expect(logged('warn')).toEqual([
      {
        level: 'warn',
        event: 'origin not in CORS_ORIGINS',
        request_id: expect.stringMatching(/^[\da-f-]{36}$/),
        origin,
      },
      expect.objectContaining({ origin: 'http://localhost:5173' }),
    ])
  })

  it('names that of a page without one, as a file has it', async () => {
    const request = newIsolate()
    for (let times = 0; times < 2; times++) await request('null')
    expect(origins()).toEqual(['null'])
  })

  it.each(['', 'https://ana:secret@a.example', 'https://a.example/cpf', 'file://a'])(
    'does not name "%s", which is no origin for CORS_ORIGINS',
    async (origin) => {
      await requestFrom(origin)
      expect(origins()).toEqual([])
    },
  )

  it('does not name the service itself, whose pages send their origin', async () => {
    await call('/auth/login', {
      body: {},
      headers: { Origin: 'https://service.example' },
    })
    expect(origins()).toEqual([])
  })

  it('does not name who reads what is public, or a listed origin', async () => {
    await requestFrom('https://reader.example.org', '/categories')
    await call('/cover', { headers: { Origin: ORIGIN }, env: { CORS_ORIGINS: ORIGIN } })
    expect(origins()).toEqual([])
  })

  it('ends after twenty of an isolate, because anybody may send more', async () => {
    const request = newIsolate()
    for (let index = 0; index < 30; index++) await request(`https://${index}.example`)
    expect(origins()).toHaveLength(20)
  })
})
