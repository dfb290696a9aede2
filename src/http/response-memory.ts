import {
  ageInSeconds,
  type Cacheable,
  cacheControl,
  conditionalJson,
  MAX_AGE,
} from './cacheable.ts'

/** Of an isolate's 128 MB; a character takes two bytes at most. */
const MAX_CHARACTERS = 5_000_000
const MAX_RESPONSE_CHARACTERS = 50_000

type StoredResponse = Pick<Cacheable, 'body' | 'readAt'> & { headers: Headers }

/**
 * The public responses that an isolate remembers, by the exact URL of their request: so none is
 * given for another URL, whatever its parameters mean.
 */
export class ResponseMemory {
  readonly #responses = new Map<string, StoredResponse>()
  #characters = 0
  /** In milliseconds since 1970: what was read before must not be stored after. */
  #clearedAt = 0

  /** The fresh response to an anonymous GET or HEAD, or null. */
  match(request: Request): Response | null {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.headers.has('Authorization')) return null

    const stored = this.#responses.get(request.url)
    if (!stored || ageInSeconds(stored.readAt) >= MAX_AGE) return null

    const headers = new Headers(stored.headers)
    headers.set('Cache-Control', cacheControl('public', stored.readAt))
    headers.set('Content-Type', 'application/json') // which a 304 does not have
    return conditionalJson(request, stored.body, headers)
  }

  /** Stores a response, unless it is long or a write overtook its read; the oldest make room. */
  put(url: string, response: StoredResponse): void {
    const isOvertaken = response.readAt <= this.#clearedAt
    if (isOvertaken || response.body.length > MAX_RESPONSE_CHARACTERS) return

    this.#delete(url)
    this.#responses.set(url, response)
    this.#characters += response.body.length
    for (const oldest of this.#responses.keys()) {
      if (this.#characters <= MAX_CHARACTERS) return
      this.#delete(oldest)
    }
  }

  #delete(url: string): void {
    this.#characters -= this.#responses.get(url)?.body.length ?? 0
    this.#responses.delete(url)
  }

  clear(): void {
    this.#responses.clear()
    this.#characters = 0
    this.#clearedAt = Date.now()
  }
}

const memories = new WeakMap<D1Database, ResponseMemory>()

/** What this isolate remembers of a database's responses. */
export function responseMemoryOf(database: D1Database): ResponseMemory {
  const memory = memories.get(database) ?? new ResponseMemory()
  memories.set(database, memory)
  return memory
}
