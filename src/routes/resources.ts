import type * as z from 'zod'
import type { Resource } from '#openapi/operation.ts'
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

/**
 * The success response of each operation, by method and path. Reference lists have none: their
 * operations are made from their definitions.
 */
export type Responses = ResponsesOf<typeof administratorsApi> &
  ResponsesOf<typeof apiTokensApi> &
  ResponsesOf<typeof auditEventsApi> &
  ResponsesOf<typeof authApi> &
  ResponsesOf<typeof changelogsApi> &
  ResponsesOf<typeof coverApi> &
  ResponsesOf<typeof informersApi> &
  ResponsesOf<typeof processesApi> &
  ResponsesOf<typeof serviceApi>

type ResponsesOf<Described extends Resource> = {
  [Route in keyof Described['operations']]: z.output<
    Described['operations'][Route]['response']
  >
}
