import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { administratorToken, call, failingDatabase, PASSWORD, tokenOf } from '../helper.ts'
import { logged } from '../logs.ts'

const ID = crypto.randomUUID()
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('the log', () => {
  it.each([
    ['GET', '/categories?search=conego', undefined, '/v1/categories', 200, 1],
    ['GET', '/categories?page=x', undefined, '/v1/categories', 422, 0],
    ['HEAD', '/categories', undefined, '/v1/categories', 200, 1],
    ['GET', '/cover', 'ana@example.org', '/v1/cover', 200, 1],
    ['GET', '/cover', undefined, '/v1/cover', 401, 0],
    ['GET', `/changelogs/${ID}`, undefined, '/v1/changelogs/:changelog', 404, 1],
    ['DELETE', `/changelogs/${ID}`, 'admin@example.org', '/v1/changelogs/:changelog', 404, 2],
    ['GET', '/ana@example.org', undefined, null, 404, 0],
    ['PATCH', '/cover', undefined, null, 405, 0],
  ])('has one line for %s %s', async (method, path, email, route, status, round_trips) => {
    const response = await call(path, { method, token: email && (await tokenOf(email)) })
    expect(logged('info')).toEqual([
      {
        level: 'info',
        request_id: UUID,
        method,
        route,
        status,
        duration_ms: expect.any(Number),
        round_trips,
      },
    ])
    const id = response.headers.get('X-Request-Id')
    if (id) expect(logged('info')[0]?.request_id).toBe(id)
  })

  it('has no line for an answer that is remembered, as for one from the cache in front', async () => {
    const isolate = { env: { DB: { withSession: (constraint: string) => env.DB.withSession(constraint) } } }
    await call('/categories', isolate)
    await call('/categories', isolate)
    expect(logged('info')).toHaveLength(1)
  })

  it('tells a fault under the id of its request, and nothing of what was sent', async () => {
    const response = await call('/auth/login', {
      body: { email: 'ana@example.org', password: PASSWORD },
      env: { DB: failingDatabase('D1_ERROR: no such column: x: SQLITE_ERROR') },
    })
    expect(response.status).toBe(500)
    const id = response.headers.get('X-Request-Id')
    expect([...logged('error'), ...logged('info')].map((line) => line.request_id)).toEqual([id, id])
    expect(JSON.stringify([...logged('error'), ...logged('info')])).not.toMatch(/ana@|Provisao/)
  })

  it('holds nothing of an informer who is created', async () => {
    const body = {
      first_name: 'Sebastião',
      last_name: 'das Dores',
      cpf: '52998224725',
      email: 's@example.org',
    }
    await call('/informers', { token: await administratorToken(), body })
    expect(logged('info').map(({ status }) => status)).toEqual([201])
    expect(JSON.stringify(logged('info'))).not.toMatch(/Sebasti|Dores|52998224725|s@/)
  })
})
