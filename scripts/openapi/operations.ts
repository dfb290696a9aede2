import type { Operation, Resource } from './operation.ts'
import { administrators } from './resources/administrators.ts'
import { auditEvents } from './resources/audit-events.ts'
import { auth } from './resources/auth.ts'
import { changelogs } from './resources/changelogs.ts'
import { informers } from './resources/informers.ts'
import { processes } from './resources/processes.ts'
import { referenceLists } from './resources/reference-lists.ts'
import { service } from './resources/service.ts'

const all = [
  auth,
  informers,
  administrators,
  processes,
  referenceLists,
  changelogs,
  auditEvents,
  service,
] as const

/** All resources, in document order. */
export const resources: readonly Resource[] = all

type KeyOf<Operations> = Operations extends unknown ? keyof Operations : never
type KeyWithBody<Operations> = Operations extends unknown
  ? {
      [Route in keyof Operations]: Operations[Route] extends { body: object } ? Route : never
    }[keyof Operations]
  : never

/** The method and path of every route, and of those with a request body. */
export type DocumentedRoute = KeyOf<(typeof all)[number]['operations']>
export type RouteWithBody = KeyWithBody<(typeof all)[number]['operations']>

/** Every operation, by method and path. */
export const operations: Record<string, Operation> = Object.assign(
  {},
  ...resources.map((resource) => resource.operations),
)
