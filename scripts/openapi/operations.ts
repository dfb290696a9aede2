import type { Operation, Resource } from './operation.ts'
import { administrators } from './resources/administrators.ts'
import { auditEvents } from './resources/audit-events.ts'
import { auth } from './resources/auth.ts'
import { changelogs } from './resources/changelogs.ts'
import { informers } from './resources/informers.ts'
import { processes } from './resources/processes.ts'
import { referenceLists } from './resources/reference-lists.ts'
import { service } from './resources/service.ts'

/** All resources, in document order. */
export const resources: Resource[] = [
  auth,
  informers,
  administrators,
  processes,
  referenceLists,
  changelogs,
  auditEvents,
  service,
]

const routes = {
  ...auth.operations,
  ...informers.operations,
  ...administrators.operations,
  ...processes.operations,
  ...referenceLists.operations,
  ...changelogs.operations,
  ...auditEvents.operations,
  ...service.operations,
}

/** The method and path of every route. */
export type DocumentedRoute = keyof typeof routes

/** The routes with a request body. */
export type RouteWithBody = {
  [Route in DocumentedRoute]: (typeof routes)[Route] extends { body: object } ? Route : never
}[DocumentedRoute]

/** Every operation, by method and path. */
export const operations: Record<string, Operation> = routes
