import { fold } from './folding.ts'
import type { Page } from './pagination.ts'

export type ListItem = { id: number; name: string; active: boolean }

/** A filter of list items. `search` is a literal substring, already folded; '' matches everything. */
export type ListFilter<Item> = { search: string; matches: Partial<Item> }

/** A list that is searched in memory. It is folded once, and sorted once by folded name and id. */
export class SearchableList<Item extends ListItem> {
  readonly #entries: { item: Item; name: string; texts: string[] }[]

  /** @param searched the fields to search */
  constructor(items: Item[], searched: (keyof Item)[]) {
    this.#entries = items
      .map((item) => ({
        item,
        name: fold(item.name),
        texts: searched.map((field) => fold(String(item[field]))),
      }))
      .sort((one, other) => compare(one.name, other.name) || one.item.id - other.item.id)
  }

  /** One page of the matching items, and the total number of matches. */
  find({ search, matches }: ListFilter<Item>, { page, perPage }: Page): { items: Item[]; total: number } {
    const conditions = Object.entries(matches) as [keyof Item, Item[keyof Item]][]
    const found = this.#entries.filter(
      ({ item, texts }) =>
        conditions.every(([field, value]) => item[field] === value) &&
        (search === '' || texts.some((text) => text.includes(search))),
    )
    const offset = (page - 1) * perPage
    return { items: found.slice(offset, offset + perPage).map(({ item }) => item), total: found.length }
  }
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
