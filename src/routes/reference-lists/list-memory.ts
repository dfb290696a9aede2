import type { ReferenceRow } from '#database/reference-lists.ts'
import type { SearchableList } from '#domain/searchable-list.ts'
import type { Read } from '#http/response/cacheable.ts'

/** A list as read from the database. */
export type StoredList = Read & { list: SearchableList<ReferenceRow> }

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
