import type { Operation, PathParameter, Resource } from '#openapi/operation.ts'
import { administratorsApi } from '#routes/administrators/openapi.ts'
import { apiTokensApi } from '#routes/api-tokens/openapi.ts'
import { auditEventsApi } from '#routes/audit-events/openapi.ts'
import { authApi } from '#routes/auth/openapi.ts'
import { changelogsApi } from '#routes/changelogs/openapi.ts'
import { coverApi } from '#routes/cover.openapi.ts'
import { serviceApi } from '#routes/health.openapi.ts'
import { informersApi } from '#routes/informers/openapi.ts'
import { processesApi } from '#routes/processes/openapi.ts'
import { referenceListsApi } from '#routes/reference-lists/openapi.ts'

/** All resources, in document order. */
export const resources: readonly Resource[] = [
  authApi,
  coverApi,
  informersApi,
  administratorsApi,
  apiTokensApi,
  processesApi,
  referenceListsApi,
  changelogsApi,
  auditEventsApi,
  serviceApi,
]

/** Every operation, by method and path. */
export const operations: Record<string, Operation> = Object.assign(
  {},
  ...resources.map((resource) => resource.operations),
)

const pathParameters: Record<string, PathParameter> = Object.assign(
  {},
  ...resources.map((resource) => resource.pathParameters),
)

/** The path parameters of a route, `GET /v1/informers/:informer`, in order. */
export function pathParametersOf(route: string): (PathParameter & { name: string })[] {
  return Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => {
    const parameter = pathParameters[name]
    if (!parameter) throw new Error(`no description of the path parameter ${name}`)
    return { name, ...parameter }
  })
}
