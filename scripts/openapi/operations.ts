import type { Operation, Resource } from './operation.ts'
import { auth } from './resources/auth.ts'
import { changelogs } from './resources/changelogs.ts'
import { informers } from './resources/informers.ts'
import { referenceLists } from './resources/reference-lists.ts'
import { service } from './resources/service.ts'

/** Every resource, in the order of the document. */
export const resources: Resource[] = [auth, informers, referenceLists, changelogs, service]

/** Every operation, by method and path. */
export const operations: Record<string, Operation> = Object.assign(
  {},
  ...resources.map(({ operations }) => operations),
)
