import { fold } from '../../src/domain/folding.ts'
import { texts } from '../lib/language.ts'
import type { Person } from './document.ts'
import { byField, type Item, type Lists, namesOf, type User } from './state.ts'

/** The list of each field of an informer that refers to one. */
const REFERENCES = { category: 'categories', treatment_pronoun: 'treatment_pronouns', diocese: 'dioceses' } as const
type ReferenceField = keyof typeof REFERENCES
export const REFERENCE_FIELDS = Object.keys(REFERENCES) as ReferenceField[]

/** The rows that a person refers to; without ids of what a document will add. */
export type References = {
  items: Partial<Record<ReferenceField, Item>>
  groups: { id?: string | undefined; questionnaires: (string | undefined)[] }[]
  /** Each field with a problem, and the problem. */
  problems: [field: string, problem: string][]
}

/** Finds items by one of their names, without case and accents. */
export function findBy<Item>(items: readonly Item[], namesOf: (item: Item) => string[]): (name: string) => Item[] {
  const names = items.flatMap((item) => namesOf(item).map((name) => ({ name: fold(name), item })))
  const byName = Map.groupBy(names, ({ name }) => name)
  return (name) => [...new Set(byName.get(fold(name.trim()))?.map(({ item }) => item))]
}

/** Finds what people refer to by name. */
export function referenceFinder(lists: Lists): (person: Person, known: User | undefined) => References {
  const finders = REFERENCE_FIELDS.map((field) => [field, findBy(lists[REFERENCES[field]], namesOf)] as const)
  const findProcess = findBy(lists.processes, ({ protocol, name }) => [protocol, name])

  return (person, known) => {
    const problems: References['problems'] = []
    const only = <Row>(field: string, name: string, [row, ...others]: (Row | undefined)[]): Row | undefined => {
      if (!row) problems.push([field, texts.notFound(name)])
      if (others.length > 0) problems.push([field, texts.ambiguous(name)])
      return row
    }
    const items: References['items'] = {}
    for (const [field, find] of finders) {
      const name = person[field]
      if (name === undefined) continue
      const item = only(field, name, find(name))
      if (item && !item.active && item.id !== known?.[field]?.id) problems.push([field, texts.deactivated(name)])
      if (item) items[field] = item
    }
    const groups = (person.groups ?? []).map(({ protocol, group: name, completed }, at) => {
      const path = `groups[${at}]`
      const process = only(`${path}.protocol`, protocol, findProcess(protocol))
      const group = process && only(`${path}.group`, name, [byField('name', process.groups).get(fold(name))])
      const known = group && byField('title', group.questionnaires)
      const questionnaires = completed.map(
        (title, number) => known && only(`${path}.completed[${number}]`, title, [known.get(fold(title))])?.id,
      )
      return { id: group?.id, questionnaires }
    })
    return { items, groups, problems }
  }
}
