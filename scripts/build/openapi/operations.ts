import { errors } from '#http/response/errors.ts'
import type { ErrorFactory, Operation, PathParameter } from '#openapi/operation.ts'
import { resources } from '#routes/resources.ts'

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

/** Returns all errors of an operation, in the order of their checks. */
export function errorsOf(route: string, operation: Operation) {
  const { access, body, takesIfMatch, takesIdempotencyKey, isRateLimited } = operation
  const isGuarded = access === undefined || access === 'user'
  const factories: ErrorFactory[] = [
    () => errors.methodNotAllowed([]),
    ...(access === 'public' ? [] : [errors.missingToken, errors.invalidToken]),
    // an API token needs a second factor everywhere
    ...(isGuarded ? [errors.secondFactorRequired] : []),
    ...(isGuarded ? [() => errors.insufficientScope('login')] : []),
    ...(access ? [] : [errors.administratorsOnly]),
    ...(body ? [errors.payloadTooLarge, errors.unsupportedMediaType] : []),
    ...(body ? [errors.invalidJson, errors.notJsonObject] : []),
    ...pathParametersOf(route).map(({ notFound }) => notFound),
    ...(takesIfMatch ? [errors.changedSinceRead] : []),
    ...(isRateLimited ? [() => errors.tooManyRequests(60)] : []),
    ...(operation.errors ?? []),
    ...(takesIdempotencyKey ? [errors.createdRecordDeleted] : []),
    errors.internalError,
    errors.serviceUnavailable,
  ]
  return factories.map((create) => {
    const { status, message, headers } = create()
    return { status, message, headers: Object.keys(headers) }
  })
}
