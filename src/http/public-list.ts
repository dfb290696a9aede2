import type * as z from 'zod/mini'

/** A list that everybody may read, from any origin, and that caches may store. */
export type PublicList = {
  path: `/v1/${string}`
  /** Names its responses, for a write to invalidate them. */
  tag: string
  query: z.ZodMiniType
}
