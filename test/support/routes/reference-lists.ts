import { create, referenceLists, resourceOf } from '../resources.ts'
import { byAdministrator, changing, creating, type Routes, using } from './route.ts'
import { type Scope, SCOPES } from '#domain/api-tokens.ts'

const WRITE_LISTS: Scope[] = ['lists:write']

/** The rows of a list: public to read, and written by administrators. */
const rowsOf = (path: string, type: string): Routes => ({
  [`GET /v1${path}`]: {
    guard: 'optional',
    scopes: SCOPES,
    roundTrips: 1,
    request: async () => ({}),
  },
  [`GET /v1${path}/{${type}}`]: {
    guard: 'optional',
    scopes: SCOPES,
    roundTrips: 1,
    request: async () => ({ ids: [(await create(resourceOf(type))).id] }),
  },
  [`POST /v1${path}`]: {
    guard: 'admin',
    scopes: WRITE_LISTS,
    status: 201,
    roundTrips: 3,
    records: [`${type}.created`],
    request: creating(type),
  },
  [`PATCH /v1${path}/{${type}}`]: {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: [`${type}.updated`],
    request: changing(type), // of its name, which must be unique
    variants: {
      'of another field': {
        roundTrips: 2,
        request: byAdministrator(async () => ({
          ids: [(await create(resourceOf(type))).id],
          body: { active: false },
        })),
      },
    },
  },
  [`DELETE /v1${path}/{${type}}`]: {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 2,
    records: [`${type}.deleted`],
    request: using(type),
  },
})

export const lists: Routes = Object.assign(
  {},
  ...referenceLists.map(({ path, type }) => rowsOf(path, type)),
)
