import { fold } from '../../src/domain/folding.ts'
import { findBy, namesOf } from '../lib/find-by-name.ts'
import { texts } from '../lib/language.ts'
import type { Person } from './document.ts'
import type { Item, Lists, User } from './state.ts'

/** The list of each field of an informer that refers to one. */
const REFERENCES = {
  category: 'categories',
  treatment_pronoun: 'treatment_pronouns',
  diocese: 'dioceses',
} as const
export const REFERENCE_FIELDS = Object.keys(REFERENCES) as (keyof typeof REFERENCES)[]

export type Resolved = ReturnType<ReturnType<typeof referenceFinder>>
/** A field and what is wrong with it. */
export type Problem = [field: string, problem: string]

/**
 * Finds what people refer to by name.
 *
 * @returns a function that gives the items, the groups and the questionnaires of a person, and what was not found
 */
export function referenceFinder(lists: Lists) {
  const finders = REFERENCE_FIELDS.map((field) => [field, findBy(lists[REFERENCES[field]], namesOf)] as const)
  const findProcess = findBy(lists.processes, ({ protocol, name }) => [protocol, name])

  return (person: Person, known: User | undefined) => {
    const problems: Problem[] = []
    /** Of several rows only those of a key are the same. */
    const report = (field: string, name: string, keys: string[]) => {
      if (keys.length === 0) problems.push([field, texts.notFound(name)])
      if (new Set(keys).size > 1) problems.push([field, texts.ambiguous(name)])
    }
    const items: Partial<Record<keyof typeof REFERENCES, Item>> = {}
    for (const [field, find] of finders) {
      const name = person[field]
      if (name === undefined) continue
      const found = find(name)
      const [item] = found
      report(
        field,
        name,
        found.map((one) => String(namesOf(one).at(-1))),
      )
      if (item && !item.active && item.id !== known?.[field]?.id) problems.push([field, texts.deactivated(name)])
      if (item) items[field] = item
    }
    const groups = (person.groups ?? []).map(({ protocol, group: name, completed }, at) => {
      const found = findProcess(protocol)
      report(
        `groups[${at}].protocol`,
        protocol,
        found.map((process) => fold(process.protocol)),
      )
      const groups = found.flatMap((process) => process.groups).filter((group) => fold(group.name) === fold(name))
      if (found.length > 0)
        report(
          `groups[${at}].group`,
          name,
          groups.map((group) => fold(group.name)),
        )
      const known = groups.flatMap(({ questionnaires }) => questionnaires)
      const questionnaires = completed.map((title, number) => {
        const same = known.filter((questionnaire) => fold(questionnaire.title) === fold(title))
        if (groups.length > 0)
          report(
            `groups[${at}].completed[${number}]`,
            title,
            same.map(() => ''),
          )
        return same.find(({ id }) => id)?.id
      })
      return { id: groups.find(({ id }) => id)?.id, questionnaires }
    })
    return { items, groups, problems }
  }
}
