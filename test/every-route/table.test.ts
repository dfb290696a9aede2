import { expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { routes } from '../support/routes.ts'
import { servedRoutes } from '../support/served-routes.ts'

/** Fetched as files; no route of the API. */
const DOCUMENTS = ['GET /v1/docs', 'GET /v1/docs/{file}', 'GET /v1/openapi.json']

const served = servedRoutes
  .filter((route) => route.includes(' /v1/'))
  .map((route) => route.replace(/:(\w+)/g, '{$1}'))

it('every route of the apps has a row in test/support/routes, and every row a route', () => {
  const expected = served.filter((route) => !DOCUMENTS.includes(route))
  expect(Object.keys(routes).toSorted()).toEqual(expected.toSorted())
})

const ACCESS = {
  public: 'public',
  optional: 'optional',
  viewer: 'optional',
  user: 'user',
  informer: 'user',
  admin: undefined, // the default of the documentation
}

it.each(Object.entries(operations))(
  '%s is documented with its guard',
  (name, operation) => {
    const row = routes[name.replace(/:(\w+)/g, '{$1}')]
    expect(operation.access).toBe(row && ACCESS[row.guard])
  },
)
