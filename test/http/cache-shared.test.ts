import { describe, expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { administratorToken, call, callJson, tokenOf } from '../support/helper.ts'

/** That all others are `no-store` is checked of each response: test/support/documented.ts. */
const CACHEABLE = Object.keys(operations).filter((route) => operations[route]?.cache)

describe('a shared cache', () => {
  it.each(CACHEABLE)(
    'can store no response to %s that has a token or is an error, and nothing of one request',
    async (route) => {
      const { body } = await callJson('/changelogs')
      const [, collection = ''] = route.split('/v1/')
      const path = `/${collection.replace(/:\w+/, body.data[0].id)}`
      const tokens = [
        undefined,
        'x',
        await administratorToken(),
        await tokenOf('ana@example.org'),
      ]
      for (const token of tokens) {
        for (const query of ['', '?page=0', '?is_published=false']) {
          const { status, headers } = await call(path + query, { token })
          const control = headers.get('Cache-Control') ?? ''
          const isShared = /^public, max-age=\d+/.test(control)
          if (token !== undefined || status !== 200) expect(isShared).toBe(false)
          if (headers.has('Cloudflare-CDN-Cache-Control')) expect(isShared).toBe(true)
          if (control === 'no-store') continue
          expect(headers.get('Vary')).toContain('Authorization')
          expect(headers.get('Cache-Tag')).toBe(collection.split('/')[0])
          expect(headers.has('X-Request-Id') || headers.has('Set-Cookie')).toBe(false)
        }
      }
    },
  )
})
