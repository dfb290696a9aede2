import { type Call, newLogin, tokenOfNew } from '../helper.ts'
import { create, resourceOf } from '../resources.ts'
import type { Scope } from '#domain/api-tokens.ts'

/**
 * Who may call a route: `public` reads no token, `optional` checks one, `viewer` shows more to
 * administrators; the others require a user, an informer or an administrator.
 */
export type Guard = 'public' | 'optional' | 'viewer' | 'user' | 'informer' | 'admin'

/** The path parameters, query, token and body of a request that succeeds. */
export type RouteCall = Omit<Call, 'method'> & {
  /** The ids in the path, in their order. */
  ids?: string[]
  query?: string
}

/** A request that can be made again and again, with what exactly comes of it. */
export type Case = {
  /** Prepares the database, and returns the request. */
  request: () => Promise<RouteCall>
  /** 200 by default. */
  status?: number
  roundTrips: number
  /** Round trips behind the response. */
  behind?: number
  /** The actions that are recorded. */
  records?: string[]
}

export type Route = Case & {
  guard: Guard
  /** The scopes of API tokens that open it. */
  scopes?: readonly Scope[]
  /** Whether it is open to administrators without a second factor if one is required. */
  withoutSecondFactor?: true
  /** Requests of which something else comes, by what tells them apart. */
  variants?: Record<string, Partial<Case> & Pick<Case, 'request'>>
}

/** Rows of the table, by method and path. */
export type Routes = Record<string, Route>

export const READ_INFORMERS: Scope[] = ['informers:read', 'informers:write']
export const WRITE_INFORMERS: Scope[] = ['informers:write']

type Request = Case['request']

/** A request of a new administrator. */
export const byAdministrator =
  (prepare: Request = async () => ({})): Request =>
  async () => ({
    token: await tokenOfNew(await newLogin({ role: 'administrator' })),
    ...(await prepare()),
  })

/** Creates a new one of a resource. */
export const creating = (type: string, options: RouteCall = {}) =>
  byAdministrator(async () => {
    const { newBody, newParent } = resourceOf(type)
    const ids = newParent ? [await newParent()] : []
    return { ids, body: newBody(), ...options }
  })

/** Reads or deletes one of a resource. */
export const using = (type: string) =>
  byAdministrator(async () => ({ ids: [(await create(resourceOf(type))).id] }))

/** Changes one of a resource. */
export const changing = (type: string) =>
  byAdministrator(async () => {
    const resource = resourceOf(type)
    const { id } = await create(resource)
    return { ids: [id], body: { [resource.unique]: resource.newBody()[resource.unique] } }
  })
