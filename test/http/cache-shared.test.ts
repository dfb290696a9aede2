import { describe, expect, it } from 'vitest'
import { administratorToken, call, callJson, tokenOf } from '../support/helper.ts'
import { servedRoutes } from '../support/served-routes.ts'

describe('a shared cache', () => {
  /** The documentation is the same for everyone. */
  const routes = servedRoutes.filter((route) => !/ \/v1\/(docs|openapi)/.test(route))

  it.each(routes)(
    'can store no response to %s that has a token or is an error, and nothing of one request',
    async (route) => {
      const [method = '', pattern = ''] = route.split(' ')
      const { body } = await callJson('/changelogs')
      const path = pattern.replace(/^\/v1/, '').replace(/:\w+/g, body.data[0].id)
      const tokens = [
        undefined,
        'x',
        await administratorToken(),
        await tokenOf('ana@example.org'),
        await tokenOf('clara@example.org'),
      ]
      const queries = method === 'GET' ? ['', '?page=0', '?is_published=false'] : ['']
      for (const token of tokens) {
        for (const query of queries) {
          const payload = method === 'POST' || method === 'PUT' ? {} : undefined
          const { status, headers } = await call(path + query, {
            method,
            token,
            body: payload,
          })
          const control = headers.get('Cache-Control') ?? ''
          const isShared = /^public, max-age=\d+/.test(control)
          const isOwn = control === 'private, no-cache'
          expect([
            route,
            token,
            query,
            isShared || isOwn || control === 'no-store',
          ]).toEqual([route, token, query, true])
          if (token !== undefined || status !== 200) expect(isShared).toBe(false)
          if (status !== 200) expect(control).toBe('no-store')
          const isAtEdge = headers.has('Cloudflare-CDN-Cache-Control')
          if (isAtEdge) expect(isShared).toBe(true)
          if (isShared || isOwn) {
            expect(headers.get('Vary')).toContain('Authorization')
            expect(headers.get('Cache-Tag')).toBe(pattern.split('/')[2])
            expect(headers.has('X-Request-Id') || headers.has('Set-Cookie')).toBe(false)
          }
        }
      }
    },
  )
})
