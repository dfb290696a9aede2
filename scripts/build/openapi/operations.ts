import type { Operation, PathParameter } from '#openapi/operation.ts'
import { resources } from '#openapi/resources.ts'

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
