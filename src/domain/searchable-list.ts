import { fold } from './folding.ts'
import { offsetOf, type Page } from './pagination.ts'

export type ListItem = { id: number; name: string; active: boolean; state?: string }

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
    .sort(
      (one, other) => compareTexts(one.name, other.name) || one.item.id - other.item.id,
    )
}

const compareTexts = (one: string, other: string) =>
  one < other ? -1 : one > other ? 1 : 0

export type ListFilter = {
  /** A literal substring, already folded; '' matches everything. */
  search: string
  active?: boolean | undefined
  state?: string | undefined
}

/** One page of the matching items, and the total number of matches. */
export function searchList<Item extends ListItem>(
  list: ListEntry<Item>[],
  { search, active, state }: ListFilter,
  page: Page,
): { items: Item[]; total: number } {
  const found = list.filter(
    ({ item, text }) =>
      text.includes(search) &&
      (active === undefined || item.active === active) &&
      (state === undefined || item.state === state),
  )
  const offset = offsetOf(page)
  const items = found.slice(offset, offset + page.perPage).map(({ item }) => item)
  return { items, total: found.length }
}
