import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fold } from '#domain/folding.ts'
import { searchList, toSearchableList } from '#domain/searchable-list.ts'

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aAáÁçÇ %_*"\\', '\u0301'), maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
/** Some names differ only in case and accents, so their order is that of their ids. */
const name = fc.oneof(fc.constantFrom('a', 'Á', 'b'), text)
const items = fc.uniqueArray(
  fc.record({ id: fc.nat(), name, description: text, active: fc.boolean() }),
  {
    selector: ({ id }) => id,
    maxLength: 40,
  },
)
const query = fc.record({
  search: text,
  active: fc.option(fc.boolean(), { nil: undefined }),
  page: fc.integer({ min: 1, max: 5 }),
  perPage: fc.integer({ min: 1, max: 12 }),
})

type Item = { id: number; name: string; description: string; active: boolean }

const withFoldedName = <Named extends { name: string }>(item: Named) => ({
  item,
  name: fold(item.name),
})

/** A simple reference implementation. */
function expected(list: Item[], search: string, active: boolean | undefined) {
  const found: Item[] = []
  for (const item of list) {
    const texts = [fold(item.name), fold(item.description)]
    const words = search.split(/\s+/).filter((word) => word !== '')
    const isFound = words.every((word) => texts.some((text) => text.includes(word)))
    if (isFound && (active === undefined || item.active === active)) found.push(item)
  }
  const rank = ({ name }: Item) => {
    const folded = fold(name)
    if (folded.startsWith(search)) return 0
    // all that follows the first letter or digit of a word
    const words = folded.matchAll(/(?<![\p{L}\p{N}])(?=.)/gsu)
    if ([...words].some(({ index }) => folded.slice(index).startsWith(search))) return 1
    return folded.includes(search) ? 2 : 3
  }
  const isBefore = (one: Item, other: Item) => {
    if (rank(one) !== rank(other)) return rank(one) < rank(other)
    return fold(one.name) === fold(other.name)
      ? one.id < other.id
      : fold(one.name) < fold(other.name)
  }
  return found.sort((one, other) => (isBefore(one, other) ? -1 : 1))
}

it('finds, filters, sorts and pages like a simple reference implementation, with random Unicode', () => {
  fc.assert(
    fc.property(items, query, (list, { search, active, page, perPage }) => {
      const folded = fold(search)
      const reference = expected(list, folded, active)
      const searchable = toSearchableList(list.map(withFoldedName), [
        'name',
        'description',
      ])
      expect(
        searchList(searchable, { search: folded, active }, { page, perPage }),
      ).toEqual({
        items: reference.slice((page - 1) * perPage, page * perPage),
        total: reference.length,
      })
    }),
  )
})

it.each([
  [
    'bispo',
    ['Bispo Auxiliar', 'Bispo Diocesano', 'Arcebispo', 'Vigário do Bispo', 'Cúria'],
    ['Bispo Auxiliar', 'Bispo Diocesano', 'Vigário do Bispo', 'Arcebispo', 'Cúria'],
  ],
  [
    'sé',
    ['Asse', 'Da Sé', 'Catedral(Sé)', 'Sé'],
    ['Sé', 'Catedral(Sé)', 'Da Sé', 'Asse'],
  ],
  ['2o', ['22º', 'O 2º', '2º', 'São 2º-B'], ['2º', 'O 2º', 'São 2º-B', '22º']],
  [
    'ana',
    ['Joana', 'Ana-Ana', 'Banana Ana', 'Cana'],
    ['Ana-Ana', 'Banana Ana', 'Cana', 'Joana'],
  ],
  ['do b', ['Amado b', 'Vigário do Bispo'], ['Vigário do Bispo', 'Amado b']],
  ['a', ['𐌰a', '😀a', 'ba'], ['😀a', 'ba', '𐌰a']],
  [
    'emérito  bispo',
    ['Bispo Emérito', 'Um emérito bispo', 'Arcebispo emérito', 'Bispo', 'Emérito bispo'],
    ['Emérito bispo', 'Um emérito bispo', 'Arcebispo emérito', 'Bispo Emérito'],
  ],
  ['', ['b', 'a'], ['a', 'b']],
])('orders a search for %j by how the names match', (search, names, ordered) => {
  const items = names.map((name, id) => ({
    id,
    name,
    description: `Um Bispo, Sé, 2º, Ana, do b, a`,
    active: true,
  }))
  const list = toSearchableList<Item>(items.map(withFoldedName), ['name', 'description'])
  const found = searchList(list, { search: fold(search) }, { page: 1, perPage: 12 })
  expect(found.items.map(({ name }) => name)).toEqual(ordered)
})

it('finds each item once, and no text across two fields or items', () => {
  const items = [
    { id: 1, name: 'aba', description: 'baba', active: true },
    { id: 2, name: 'c', description: 'd', active: true },
  ]
  const list = toSearchableList<Item>(items.map(withFoldedName), ['name', 'description'])
  const ids = (search: string) =>
    searchList(list, { search }, { page: 1, perPage: 12 }).items.map(({ id }) => id)
  expect(['ba', 'd', 'ab'].map(ids)).toEqual([[1], [2], [1]])
  expect(['abab', 'bac', 'cd', 'ac'].flatMap(ids)).toEqual([])
})

it('looks at every occurrence of the search in a name, also at adjacent ones', () => {
  const list = toSearchableList(
    [
      { id: 1, name: 'a-b' },
      { id: 2, name: 'b--c' }, // the second dash begins a word, the first does not
    ].map(withFoldedName),
    ['name'],
  )
  const { items } = searchList(list, { search: '-' }, { page: 1, perPage: 2 })
  expect(items.map(({ id }) => id)).toEqual([2, 1])
})
