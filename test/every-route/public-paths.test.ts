import { describe, expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { call } from '../support/helper.ts'
import { routes } from '../support/routes.ts'
import { publicPaths } from '#routes/public-paths.ts'

/** The lists that everybody may read. */
const LISTS = Object.keys(routes).filter((route) => {
  const { guard } = routes[route] ?? {}
  return /^GET [^{]+$/.test(route) && (guard === 'optional' || guard === 'viewer')
})

it('the public paths are the lists that everybody may read, which are documented as cacheable', () => {
  const paths = LISTS.map((route) => route.replace('GET ', ''))
  expect(publicPaths.toSorted()).toEqual(paths.toSorted())
  const cacheable = Object.keys(operations).filter(
    (route) => operations[route]?.cache && !route.includes(':'),
  )
  expect(cacheable.toSorted()).toEqual(LISTS.toSorted())
})

describe.each(publicPaths)('GET %s', (path) => {
  it('may be read from any origin, by its own and its path of one item', async () => {
    for (const url of [path, `${path}/1`]) {
      const response = await call(`https://service.example${url}`, {
        headers: { Origin: 'https://anywhere.example' },
      })
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
  })

  it('carries the tag by which a write invalidates it', async () => {
    const response = await call(`https://service.example${path}`)
    expect(response.headers.get('Cache-Tag')).toBe(path.replace('/v1/', ''))
  })
})
