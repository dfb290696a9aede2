import { fold } from './folding.ts'
import { offsetOf, type Page } from './pagination.ts'

export type ListItem = { id: number; name: string; active: boolean }

/** An item with its folded name, to sort by, and its folded texts, to search in. */
export type ListEntry<Item extends ListItem> = { item: Item; name: string; text: string }

/** Between texts: a capital, which no folded text has, so that no search matches across. */
const SEPARATOR = 'X'

/** Folds items and sorts them by name without case and accents, then by id. */
export function toSearchableList<Item extends ListItem>(
  items: Item[],
  searched: (keyof Item)[],
): ListEntry<Item>[] {
  const textOf = (item: Item) =>
    searched.map((column) => fold(String(item[column]))).join(SEPARATOR)
  return items
    .map((item) => ({ item, name: fold(item.name), text: textOf(item) }))
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
  const found = list.filter(
    ({ item, text }) =>
      text.includes(search) && conditions.every(([column, value]) => item[column] === value),
  )
  const offset = offsetOf(page)
  return {
    items: found.slice(offset, offset + page.perPage).map(({ item }) => item),
    total: found.length,
  }
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
