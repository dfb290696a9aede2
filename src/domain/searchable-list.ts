import { fold } from './folding.ts'
import { offsetOf, type Page } from './pagination.ts'

export type ListItem = { id: number; name: string; active: boolean }

/** An item with its folded name, to sort by, and its folded texts, to search in. */
export type ListEntry<Item extends ListItem> = { item: Item; name: string; texts: string[] }

/** Folds items and sorts them by name without case and accents, then by id. */
export function toSearchableList<Item extends ListItem>(items: Item[], searched: (keyof Item)[]): ListEntry<Item>[] {
  return items
    .map((item) => ({ item, name: fold(item.name), texts: searched.map((column) => fold(String(item[column]))) }))
    .sort((one, other) => compare(one.name, other.name) || one.item.id - other.item.id)
}

/**
 * One page of the matching items, and the total number of matches.
 * @param filter.search a literal substring, already folded; '' matches everything
 * @param filter.matches the values that columns must have
 */
export function searchList<Item extends ListItem>(
  list: ListEntry<Item>[],
  { search, matches }: { search: string; matches: Partial<Item> },
  page: Page,
): { items: Item[]; total: number } {
  const conditions = Object.entries(matches) as [keyof Item, Item[keyof Item]][]
  const hasText = (text: string) => text.includes(search)
  const found = list.filter(
    ({ item, texts }) => texts.some(hasText) && conditions.every(([column, value]) => item[column] === value),
  )
  const offset = offsetOf(page)
  return { items: found.slice(offset, offset + page.perPage).map(({ item }) => item), total: found.length }
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
