import type { Context } from 'hono'
import { errors } from './errors.ts'

/** The revision of a person: which of their states it is. */
type Revised = { revision: number }

const LIST = /^(?:[ \t]*(?:(?:W\/)?"[!#-~\u0080-\uffff]*"[ \t]*)?(?:,|$))+$/
const TAGS = /(?:W\/)?"[^"]*"/g

/**
 * Returns the entity tag of a person: of their own fields, not of what else a response shows, so
 * that a form stays good while others associate and complete.
 */
const entityTagOf = ({ revision }: Revised) => `"${revision}"`

/** Returns the `ETag` header of a response whose data is one person. */
export const entityTag = (person: Revised) => ({ ETag: entityTagOf(person) })

/** Whether an `If-Match` names a tag (RFC 9110, 13.1.1, strong comparison). */
export function namesTag(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === '*') return true
  return LIST.test(ifMatch) && [...ifMatch.matchAll(TAGS)].some(([sent]) => sent === tag)
}

/**
 * Returns a check of a person who is about to be changed.
 * @throws {ApiError} 412 if an `If-Match` was sent that does not name their state
 */
export const ifMatch = (c: Pick<Context, 'req'>) => (person: Revised) => {
  const sent = c.req.header('If-Match')
  if (sent !== undefined && !namesTag(sent, entityTagOf(person)))
    throw errors.changedSinceRead()
}
