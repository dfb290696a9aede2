import type { Context } from 'hono'

const READS = ['GET', 'HEAD']

/** `text/html`, but not with a `q` of 0 (RFC 9110, 12.5.1). */
const HTML = /\btext\/html\b(?![^,]*;\s*q=0(\.0*)?\s*(,|$))/i

/** Whether a browser asks for a page. */
export const acceptsHtml = (c: Context): boolean =>
  READS.includes(c.req.method) && HTML.test(c.req.header('Accept') ?? '')
