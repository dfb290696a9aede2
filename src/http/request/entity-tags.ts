import type { Context } from 'hono'
import { errors } from '#http/response/errors.ts'

/** A person with the number of their current state. */
type Revised = { revision: number }

const LIST = /^(?:[ \t]*(?:(?:W\/)?"[!#-~\u0080-\uffff]*"[ \t]*)?(?:,|$))+$/
const TAGS = /(?:W\/)?"[^"]*"/g

/**
 * Returns the entity tag of a person's own fields. Groups and completions do not change it, so that
 * a form stays valid meanwhile.
 */
const entityTagOf = ({ revision }: Revised) => `"${revision}"`

/** Sets the `ETag` of a response that shows one person. */
export const setEntityTag = (c: Context, person: Revised) =>
  c.header('ETag', entityTagOf(person))

/** Returns whether an `If-Match` names a tag (RFC 9110, 13.1.1, strong comparison). */
export function namesTag(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === '*') return true
  return LIST.test(ifMatch) && [...ifMatch.matchAll(TAGS)].some(([sent]) => sent === tag)
}

/**
 * Returns a check of a person who is about to be changed.
 * @throws {ApiError} 412 if the request has an `If-Match` that does not name their current state
 */
export const ifMatch = (c: Pick<Context, 'req'>) => (person: Revised) => {
  const sent = c.req.header('If-Match')
  if (sent !== undefined && !namesTag(sent, entityTagOf(person))) {
    throw errors.changedSinceRead()
  }
}
