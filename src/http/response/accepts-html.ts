import type { Context } from 'hono'

const READS = ['GET', 'HEAD']
const Q_OF_ZERO = /^q=0(\.0*)?$/

/** Returns whether a browser requests a page. */
export const acceptsHtml = (c: Context): boolean =>
  READS.includes(c.req.method) && (c.req.header('Accept') ?? '').split(',').some(isHtml)

/** Returns whether a media range is `text/html` with a `q` other than 0 (RFC 9110, 12.5.1). */
function isHtml(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  return type === 'text/html' && !parameters.some((part) => Q_OF_ZERO.test(part))
}
