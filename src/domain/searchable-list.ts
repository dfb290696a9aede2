import { fold } from './folding.ts'
import type { Page } from './pagination.ts'

export type ListItem = { id: number; name: string; active: boolean }

/** A filter of list items. `search` is a literal substring, already folded; '' matches everything. */
type ListFilter<Item> = { search: string; matches: Partial<Item> }

/** A list that is sorted by folded name and id, and searched in memory. */
export class SearchableList<Item extends ListItem> {
  readonly #items: Item[]
  readonly #searched: (keyof Item)[]
  /** The folded texts of each item. Only a search needs them: the first one folds. */
  #texts: string[][] | null = null

  /** @param searched the fields to search */
  constructor(items: Item[], searched: (keyof Item)[]) {
    this.#searched = searched
    this.#items = items
      .map((item) => ({ item, name: fold(item.name) }))
      .sort((one, other) => compare(one.name, other.name) || one.item.id - other.item.id)
      .map(({ item }) => item)
  }

  /** One page of the matching items, and the total number of matches. */
  find({ search, matches }: ListFilter<Item>, { page, perPage }: Page): { items: Item[]; total: number } {
    const conditions = Object.entries(matches) as [keyof Item, Item[keyof Item]][]
    const found = this.#search(search).filter((item) =>
      conditions.every(([field, value]) => item[field] === value),
    )
    const offset = (page - 1) * perPage
    return { items: found.slice(offset, offset + perPage), total: found.length }
  }

  #search(search: string): Item[] {
    if (search === '') return this.#items
    this.#texts ??= this.#items.map((item) => this.#searched.map((field) => fold(String(item[field]))))
    const texts = this.#texts
    return this.#items.filter((_, index) => texts[index]?.some((text) => text.includes(search)))
  }
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
