/** Lifetimes in seconds since the database read: fresh, stale during a refresh, stale on errors. */
export const MAX_AGE = 60
export const STALE_WHILE_REVALIDATE = 60
export const STALE_IF_ERROR = 600

/** Whole seconds since a read. */
export const ageInSeconds = (readAt: number) => Math.floor((Date.now() - readAt) / 1000)

/**
 * `Cache-Control` (RFC 9111; RFC 5861) with the remaining lifetimes at an age in seconds, so that memory, the edge
 * cache and browsers together never exceed them.
 */
export function cacheControl(scope: 'public' | 'private', age: number): string {
  const maxAge = Math.max(0, MAX_AGE - age)
  const stale = Math.max(0, age - MAX_AGE)
  const revalidate = Math.max(0, STALE_WHILE_REVALIDATE - stale)
  const onError = Math.max(0, STALE_IF_ERROR - stale)
  return `${scope}, max-age=${maxAge}, stale-while-revalidate=${revalidate}, stale-if-error=${onError}`
}

/**
 * One read of what is served: its ETag, its time, and the headers of its first public response. All its other public
 * responses share them, because they depend only on the age in seconds.
 */
export class Revision {
  readonly etag: string
  readonly readAt: number
  #headers: Headers | null = null
  #age = Number.NaN

  constructor(etag: string, readAt: number) {
    this.etag = etag
    this.readAt = readAt
  }

  /** The headers, with the remaining lifetimes; null before the first public response. */
  get headers(): Headers | null {
    const age = ageInSeconds(this.readAt)
    if (age !== this.#age) this.#headers?.set('Cache-Control', cacheControl('public', age))
    this.#age = age
    return this.#headers
  }

  keepHeaders(headers: Headers): void {
    this.#headers = new Headers(headers)
    this.#age = Number.NaN
  }
}
