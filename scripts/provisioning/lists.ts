import { fold } from '../../src/domain/folding.ts'
import { texts } from '../lib/language.ts'
import type { Document, ListItem, Person } from './document.ts'
import type { Item, Lists, LISTS, User } from './state.ts'

/** The list of each field of an informer that refers to one. */
const REFERENCES = {
  category: 'categories',
  treatment_pronoun: 'treatment_pronouns',
  diocese: 'dioceses',
} as const
type ReferenceField = keyof typeof REFERENCES
export const REFERENCE_FIELDS = Object.keys(REFERENCES) as ReferenceField[]

/** The rows that a person refers to; without ids of what a document will add. */
export type References = {
  items: Partial<Record<ReferenceField, Item>>
  groups: { id?: string; questionnaires: (string | undefined)[] }[]
  /** Each field with a problem, and the problem. */
  problems: [field: string, problem: string][]
}

/** The names of an item of a list; two dioceses of one name are told apart by their state. */
export const namesOf = ({ name, state }: Pick<Item, 'name' | 'state'>) =>
  state ? [name, `${name} (${state})`] : [name]

/** Finds items by one of their names, without case and accents. */
export function findBy<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => string[],
): (name: string) => Item[] {
  const names = items.flatMap((item) => namesOf(item).map((name) => ({ name: fold(name), item })))
  const byName = Map.groupBy(names, ({ name }) => name)
  return (name) => [...new Set(byName.get(fold(name.trim()))?.map(({ item }) => item))]
}

/** The rows by a field, without case and accents; of several, the last. */
export const byField = <Row extends object>(field: keyof Row, rows: Row[] = []) =>
  new Map(rows.map((row) => [fold(String(row[field])), row]))

/** Finds what an item of a document may mean: by its previous name, or else by its name, and its state if it has one. */
export function itemFinder(known: Item[]): (item: ListItem) => Item[] {
  const find = findBy(known, ({ name }) => [name])
  return ({ name, previous_name, state }) => {
    const renamed = find(previous_name ?? '')
    return renamed.length > 0
      ? renamed
      : find(name).filter((item) => !state || item.state === state)
  }
}

/** Finds what people refer to by name. */
export function referenceFinder(
  lists: Lists,
): (person: Person, known: User | undefined) => References {
  const finders = REFERENCE_FIELDS.map(
    (field) => [field, findBy(lists[REFERENCES[field]], namesOf)] as const,
  )
  const findProcess = findBy(lists.processes, ({ protocol, name }) => [protocol, name])

  return (person, known) => {
    const problems: References['problems'] = []
    const only = <Row>(
      field: string,
      name: string,
      [row, ...others]: (Row | undefined)[],
    ): Row | undefined => {
      if (!row) problems.push([field, texts.notFound(name)])
      if (others.length > 0) problems.push([field, texts.ambiguous(name)])
      return row
    }
    const items: References['items'] = {}
    for (const [field, find] of finders) {
      const name = person[field]
      if (name === undefined) continue
      const item = only(field, name, find(name))
      if (item && !item.active && item.id !== known?.[field]?.id)
        problems.push([field, texts.deactivated(name)])
      if (item) items[field] = item
    }
    const groups = (person.groups ?? []).map(({ protocol, group: name, completed }, at) => {
      const path = `groups[${at}]`
      const process = only(`${path}.protocol`, protocol, findProcess(protocol))
      const group =
        process && only(`${path}.group`, name, [byField('name', process.groups).get(fold(name))])
      const known = group && byField('title', group.questionnaires)
      const questionnaires = completed.map(
        (title, number) =>
          known && only(`${path}.completed[${number}]`, title, [known.get(fold(title))])?.id,
      )
      return { id: group?.id, questionnaires }
    })
    return { items, groups, problems }
  }
}

/** The lists as they are once a document is applied, with ids of what is known. */
export function listsAfter(state: Lists, document: Document): Lists {
  const itemsAfter = (list: (typeof LISTS)[number]): Item[] => {
    const find = itemFinder(state[list])
    const items = document[list].map((item: ListItem) => ({ known: find(item)[0], item }))
    const kept = state[list].filter((item) => items.every(({ known }) => known !== item))
    return [
      ...kept,
      ...items.map(({ known, item }) => Object.assign({ active: true }, known, item)),
    ]
  }
  return {
    categories: itemsAfter('categories'),
    treatment_pronouns: itemsAfter('treatment_pronouns'),
    dioceses: itemsAfter('dioceses'),
    processes: merge('protocol', state.processes, document.processes, (known, process) => ({
      ...known,
      ...process,
      groups: merge('name', known?.groups, process.groups, (known, group) => {
        const titles = group.questionnaires.map((title) => ({ title }))
        const questionnaires = merge(
          'title',
          known?.questionnaires,
          titles,
          (known, added) => known ?? added,
        )
        return { ...known, ...group, questionnaires }
      }),
    })),
  }
}

/** Rows with those of a document added, or in place of what they mean. */
function merge<Row extends object, Added extends object>(
  field: keyof Row & keyof Added,
  rows: Row[] | undefined,
  added: Added[],
  toRow: (known: Row | undefined, added: Added) => Row,
): Row[] {
  const merged = byField(field, rows)
  for (const row of added) {
    const key = fold(String(row[field]))
    merged.set(key, toRow(merged.get(key), row))
  }
  return [...merged.values()]
}
