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

/** What a response was read from. */
export type Revision = { etag: string; readAt: number }

/**
 * The finished headers of a response. All later ones share them, because they differ only in ETag and age in seconds, so
 * that they need not be set one by one.
 */
export class SharedHeaders {
  readonly #scope: 'public' | 'private'
  readonly #headers: Headers
  #etag = ''
  #age = Number.NaN

  constructor(scope: 'public' | 'private', headers: Headers) {
    this.#scope = scope
    this.#headers = new Headers(headers)
  }

  /** The headers for a revision, valid until the next call. */
  of({ etag, readAt }: Revision): Headers {
    const age = ageInSeconds(readAt)
    if (etag !== this.#etag) this.#headers.set('ETag', etag)
    if (age !== this.#age) this.#headers.set('Cache-Control', cacheControl(this.#scope, age))
    this.#etag = etag
    this.#age = age
    return this.#headers
  }
}
