import type { Context } from 'hono'
import type { ReferenceList } from './lists.ts'
import { readReferences, type ReferenceRow } from '#database/reference-lists.ts'
import { type SearchableList, toSearchableList } from '#domain/searchable-list.ts'
import type { OptionalCallerEnv } from '#http/guards.ts'
import {
  ageInSeconds,
  MAX_AGE,
  type Read,
  STALE_IF_ERROR,
} from '#http/response/cacheable.ts'
import { describeError, log } from '#log.ts'
import { digest } from '#security/hashes.ts'

/** A list as read from the database. */
type StoredList = Read & { list: SearchableList<ReferenceRow> }

/** The memory that an isolate has of a reference list, by database. */
export class ListMemory {
  readonly #lists = new WeakMap<D1Database, StoredList>()
  /** When the list of a database was last written, in milliseconds since 1970. */
  readonly #forgottenAt = new WeakMap<D1Database, number>()

  get(database: D1Database): StoredList | null {
    return this.#lists.get(database) ?? null
  }

  /** Stores a list, unless a later read or a write has made it outdated. */
  put(database: D1Database, list: StoredList): void {
    const writtenAt = this.#forgottenAt.get(database) ?? 0
    const storedAt = this.get(database)?.readAt ?? 0
    if (list.readAt > writtenAt && list.readAt >= storedAt) {
      this.#lists.set(database, list)
    }
  }

  forget(database: D1Database): void {
    this.#lists.delete(database)
    this.#forgottenAt.set(database, Date.now())
  }
}

/** Reads a reference list, from memory while it is fresh there. */
export function createListReader(list: ReferenceList) {
  const memory = new ListMemory()

  /**
   * Reads the list anew for a caller with a token, who must see earlier writes. If the database
   * fails, a stale list is served for a while.
   */
  async function read(c: Context<OptionalCallerEnv>): Promise<StoredList> {
    const stored = memory.get(c.env.DB)
    const age = stored ? ageInSeconds(stored.readAt) : Number.POSITIVE_INFINITY
    if (stored && age < MAX_AGE && !c.get('caller')) {
      return { ...stored, isFromMemory: true }
    }

    try {
      const current = await readFromDatabase(c)
      memory.put(c.env.DB, current)
      return current
    } catch (error) {
      if (!stored || age >= MAX_AGE + STALE_IF_ERROR) throw error
      const request_id = c.get('requestId')
      log('error', {
        event: `${list.name} not refreshed`,
        request_id,
        ...describeError(error),
      })
      return { ...stored, isFromMemory: true }
    }
  }

  async function readFromDatabase(c: Context<OptionalCallerEnv>): Promise<StoredList> {
    const readAt = Date.now()
    const rows = await readReferences(c.get('db'), list)
    const version = await digest(JSON.stringify(rows))
    return {
      list: toSearchableList(rows, list.searched),
      etag: `"${version}.${c.env.VERSION.id}"`, // a later deployment may show the list differently
      readAt,
    }
  }

  return { read, forget: (database: D1Database) => memory.forget(database) }
}
