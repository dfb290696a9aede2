import type { Context } from 'hono'

const LIST = /^(?:[ \t]*(?:(?:W\/)?"[!#-~\u0080-\uffff]*"[ \t]*)?(?:,|$))+$/
const TAGS = /(?:W\/)?"[^"]*"/g
const REVISION = /^"(0|[1-9]\d*)"$/

/**
 * Sets the `ETag` of a response that shows one person: the revision of their own fields. Groups and
 * completions do not change it, so that a form stays valid meanwhile.
 */
export const setEntityTag = (
  c: Pick<Context, 'header'>,
  { revision }: { revision: number },
) => c.header('ETag', `"${revision}"`)

/** Returns the revisions that the request's `If-Match` names; undefined if it may be any. */
export const expectedRevisions = (c: Pick<Context, 'req'>): number[] | undefined =>
  parseIfMatch(c.req.header('If-Match'))

/**
 * Returns the revisions that an `If-Match` names (RFC 9110, 13.1.1): weak tags and an invalid list
 * name none; undefined for `*` or without one.
 */
export function parseIfMatch(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  if (!LIST.test(header)) return []
  const tags = [...header.matchAll(TAGS)]
  return tags.flatMap(([tag]) => REVISION.exec(tag)?.[1] ?? []).map(Number)
}
