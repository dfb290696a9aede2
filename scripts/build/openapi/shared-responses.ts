import type { Json } from './json-schema.ts'

/** The statuses whose errors most operations have in common, named as in RFC 9110 and RFC 6585. */
const NAMES = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  405: 'MethodNotAllowed',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/**
 * Replaces the most common response of each of these statuses by a reference. Repeated in every
 * operation, they would be half of the document, which the documentation page processes when it
 * loads and whenever it opens an operation.
 * @param responses of each operation, by status
 * @returns the referenced responses, for `components.responses`
 */
export function shareResponses(responses: Json[]): Json {
  const components: Json = {}
  for (const [status, name] of Object.entries(NAMES)) {
    const all = responses.filter((ofOperation) => status in ofOperation)
    const byContent = Map.groupBy(all, (ofOperation) =>
      JSON.stringify(ofOperation[status]),
    )
    const [most = []] = [...byContent.values()].sort(
      (one, other) => other.length - one.length,
    )

    components[name] = most[0]?.[status]
    for (const ofOperation of most) {
      ofOperation[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  return components
}
