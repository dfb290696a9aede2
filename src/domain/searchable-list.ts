import { fold, wordsOf } from './folding.ts'
import { offsetOf, type Page } from './pagination.ts'
import { unicodePattern } from './unicode-pattern.ts'

type ListItem = { id: number; name: string; [column: string]: unknown }

/** An item with its folded name, to sort by. */
type ListEntry<Item extends ListItem> = { item: Item; name: string }

/** Entries by name without case and accents, then by id. */
export type SearchableList<Item extends ListItem> = {
  entries: ListEntry<Item>[]
  /** Returns the folded texts of each entry, to search in. */
  texts: () => string[]
}

/** Separates texts: folded texts have no capital, so no search matches across. */
const SEPARATOR = 'X'

/** Sorts items. Their texts are folded with the first search, which most isolates never see. */
export function toSearchableList<Item extends ListItem>(
  items: ListEntry<Item>[],
  searched: (keyof Item)[],
): SearchableList<Item> {
  const entries = items.toSorted(
    (one, other) => compareTexts(one.name, other.name) || one.item.id - other.item.id,
  )
  const textOf = ({ item }: ListEntry<Item>) =>
    searched.map((column) => fold(String(item[column]))).join(SEPARATOR)

  let texts: string[] | undefined
  return { entries, texts: () => (texts ??= entries.map(textOf)) }
}

const compareTexts = (one: string, other: string) =>
  one < other ? -1 : one > other ? 1 : 0

/** Values that some columns must have, if given. */
type ListFilter = {
  /** Words to find, already folded; '' matches everything. */
  search: string
  [column: string]: unknown
}

/** Returns one page of the matching items, best matches first, and the total number of matches. */
export function searchList<Item extends ListItem>(
  list: SearchableList<Item>,
  { search, ...filters }: ListFilter,
  page: Page,
): { items: Item[]; total: number } {
  let found = search ? matchesOf(list, search) : list.entries
  for (const [column, value] of Object.entries(filters)) {
    if (value !== undefined) found = found.filter(({ item }) => item[column] === value)
  }
  const offset = offsetOf(page)
  const items = found.slice(offset, offset + page.perPage).map(({ item }) => item)
  return { items, total: found.length }
}

/** The ways a name matches a search, best first. */
const MATCHES = ['begins', 'has a word that begins', 'contains', 'none'] as const

/**
 * Returns the entries that contain every word of a text, ordered by how their names match the whole
 * text, then as before.
 */
function matchesOf<Item extends ListItem>(list: SearchableList<Item>, search: string) {
  const words = wordsOf(search)
  const texts = list.texts()
  const found = list.entries.filter((_, index) =>
    words.every((word) => texts[index]?.includes(word)),
  )
  const groups = Map.groupBy(found, ({ name }) => matchOf(name, search))
  return MATCHES.flatMap((match) => groups.get(match) ?? [])
}

const endsInWord = unicodePattern(String.raw`[\p{L}\p{N}]$`)

function matchOf(name: string, search: string): (typeof MATCHES)[number] {
  const first = name.indexOf(search)
  if (first === -1) return 'none'
  if (first === 0) return 'begins'
  for (let at = first; at !== -1; at = name.indexOf(search, at + 1)) {
    const before = name.slice(Math.max(0, at - 2), at) // a character may be two code units
    if (!endsInWord().test(before)) return 'has a word that begins'
  }
  return 'contains'
}
