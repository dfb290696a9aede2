import type { ListEntry, ListItem } from '../../domain/searchable-list.ts'
import type { Read } from '../../http/cacheable.ts'

/** A list as it was read from the database. */
export type StoredList<Row extends ListItem> = Read & { entries: ListEntry<Row>[] }

/** A reference list that an isolate remembers, of each database. */
export class ListMemory<Row extends ListItem> {
  readonly #lists = new WeakMap<D1Database, StoredList<Row>>()
  /** When the list of a database was last written, in milliseconds since 1970. */
  readonly #forgottenAt = new WeakMap<D1Database, number>()

  get(database: D1Database): StoredList<Row> | null {
    return this.#lists.get(database) ?? null
  }

  /** Stores a list, unless a later read or a write overtook its own read. */
  put(database: D1Database, list: StoredList<Row>): void {
    const writtenAt = this.#forgottenAt.get(database) ?? 0
    const storedAt = this.get(database)?.readAt ?? 0
    if (list.readAt > writtenAt && list.readAt >= storedAt)
      this.#lists.set(database, list)
  }

  forget(database: D1Database): void {
    this.#lists.delete(database)
    this.#forgottenAt.set(database, Date.now())
  }
}
