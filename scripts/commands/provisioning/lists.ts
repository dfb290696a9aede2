import { fold } from '../../../src/domain/folding.ts'
import { texts } from '../../lib/language.ts'
import type { Person } from './document.ts'
import type { Item, Lists, User } from './state.ts'

/** The list of each field of an informer that refers to one. */
const REFERENCES = {
  category: 'categories',
  treatment_pronoun: 'treatment_pronouns',
  diocese: 'dioceses',
} as const
type ReferenceField = keyof typeof REFERENCES
export const REFERENCE_FIELDS = Object.keys(REFERENCES) as ReferenceField[]

/** The rows that a person refers to; those that a document will add have no id. */
export type References = {
  items: Partial<Record<ReferenceField, Item>>
  groups: { id?: string; questionnaires: (string | undefined)[] }[]
  /** Each field with a problem, and the problem. */
  problems: [field: string, problem: string][]
}

/** Returns the names of an item of a list; for a diocese also with its state. */
export const namesOf = ({ name, state }: Pick<Item, 'name' | 'state'>) =>
  state ? [name, `${name} (${state})`] : [name]

/** Returns the name of an item, for a diocese with its state. */
export const nameOf = (item: Item | null | undefined) => item && namesOf(item).at(-1)

/** Finds items by one of their names, ignoring case and accents. */
export function findBy<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => string[],
): (name: string) => Item[] {
  const names = items.flatMap((item) =>
    namesOf(item).map((name) => ({ name: fold(name), item })),
  )
  const byName = Map.groupBy(names, ({ name }) => name)
  return (name) => [...new Set(byName.get(fold(name.trim()))?.map(({ item }) => item))]
}

/** Maps rows by a field, ignoring case and accents; the last of several wins. */
export const byField = <Row extends object>(field: keyof Row, rows: Row[] = []) =>
  new Map(rows.map((row) => [fold(String(row[field])), row]))

/** Finds the rows that people refer to by name. */
export function referenceFinder(
  lists: Lists,
): (person: Person, known: User | undefined) => References {
  const finders = REFERENCE_FIELDS.map((field) => ({
    field,
    find: findBy(lists[REFERENCES[field]], namesOf),
  }))
  const findProcess = findBy(lists.processes, ({ protocol, name }) => [protocol, name])

  return (person, known) => {
    const problems: References['problems'] = []
    const only = <Row>(field: string, name: string, rows: (Row | undefined)[]) => {
      const [row, ...others] = rows
      if (!row) problems.push([field, texts.notFound(name)])
      if (others.length > 0) problems.push([field, texts.ambiguous(name)])
      return row
    }

    const items: References['items'] = {}
    for (const { field, find } of finders) {
      const name = person[field]
      const item = name === undefined ? undefined : only(field, name, find(name))
      if (!item) continue

      items[field] = item
      const isNew = item.id !== known?.[field]?.id
      if (!item.active && isNew) problems.push([field, texts.deactivated(name ?? '')])
    }

    const groups = (person.groups ?? []).map(
      ({ protocol, group: name, completed }, at) => {
        const path = `groups[${at}]`
        const process = only(`${path}.protocol`, protocol, findProcess(protocol))
        const ofProcess = process && byField('name', process.groups)
        const group =
          ofProcess && only(`${path}.group`, name, [ofProcess.get(fold(name))])
        const ofGroup = group && byField('title', group.questionnaires)
        const questionnaires = completed.map((title, number) => {
          const row = ofGroup?.get(fold(title))
          return ofGroup && only(`${path}.completed[${number}]`, title, [row])?.id
        })
        return { id: group?.id, questionnaires }
      },
    )
    return { items, groups, problems }
  }
}
