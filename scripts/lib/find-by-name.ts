import { fold } from '../../src/domain/folding.ts'

export type Find<Item> = (name: string) => Item[]

/** Finds items by one of their names. Case and accents matter only if the name is otherwise ambiguous. */
export function findBy<Item>(items: readonly Item[], namesOf: (item: Item) => string[]): Find<Item> {
  const byName = new Map<string, Set<Item>>()
  for (const item of items)
    for (const name of namesOf(item)) byName.set(fold(name), (byName.get(fold(name)) ?? new Set()).add(item))
  return (name) => {
    const found = [...(byName.get(fold(name.trim())) ?? [])]
    const exact = found.filter((item) => namesOf(item).includes(name.trim().normalize('NFC')))
    return exact.length > 0 ? exact : found
  }
}

/** The names of an item of a reference list; two dioceses of one name are told apart by their state. */
export const namesOf = ({ name, state }: { name: string; state?: string | undefined }) =>
  state ? [name, `${name} (${state})`] : [name]
