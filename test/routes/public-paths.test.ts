import { describe, expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { call } from '../support/helper.ts'
import { publicPaths } from '#routes/public-paths.ts'

const ORIGIN = 'https://anywhere.example'

/** The lists that the OpenAPI document calls cacheable. */
const documented = Object.entries(operations).filter(
  ([route, { cache }]) => cache && !route.includes(':'),
)

it('the public paths are those that are documented as cacheable', () => {
  const routes = publicPaths.map((path) => `GET ${path}`)
  expect(routes.toSorted()).toEqual(documented.map(([route]) => route).toSorted())
})

describe.each(publicPaths)('GET %s', (path) => {
  it('may be read from any origin, by its own and its path of one item', async () => {
    for (const url of [path, `${path}/1`]) {
      const response = await call(`https://service.example${url}`, {
        headers: { Origin: ORIGIN },
      })
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
  })

  it('carries the tag by which a write invalidates it', async () => {
    const response = await call(`https://service.example${path}`)
    expect(response.headers.get('Cache-Tag')).toBe(path.replace('/v1/', ''))
  })
})
