import { fold } from '../../src/domain/folding.ts'
import { fullName } from '../../src/domain/names.ts'
import type { Document } from './document.ts'

export type Rows = ReturnType<typeof rowsOf>
export type Person = Rows['people'][number]

/** The natural key of each table. */
const KEYS = {
  categories: ['name'],
  treatment_pronouns: ['name'],
  dioceses: ['name'],
  processes: ['protocol'],
  groups: ['protocol', 'group'],
  questionnaires: ['protocol', 'group', 'title'],
  users: ['id'],
  informer_groups: ['informer_id', 'group_id'],
  informer_completions: ['informer_id', 'questionnaire_id'],
  changelogs: ['version', 'title'],
} as const

export type Table = keyof typeof KEYS
export type KeyFields = Partial<Record<(typeof KEYS)[Table][number], string | undefined>>

/** The key values of a row. */
export const keyValues = (table: Table, row: KeyFields) => KEYS[table].map((field) => row[field])

/** The key of a row as a string. */
export const keyOf = (table: Table, row: KeyFields) => JSON.stringify(keyValues(table, row))

/** A full name without case and accents, as in `users.name_folded`. */
export const foldedName = (person: {
  first_name?: string | undefined
  last_name?: string | null | undefined
}) => fold(fullName({ first_name: person.first_name ?? '', last_name: person.last_name ?? null }))

/** The rows of a document by table, each with its path and the keys of its parents. */
export function rowsOf(document: Document) {
  const processes = withPaths('processes', document.processes)
  const groups = processes.flatMap(({ path, protocol, groups }) =>
    withPaths(`${path}.groups`, groups).map((group) => ({ ...group, protocol, group: group.name })),
  )
  const questionnaires = groups.flatMap(({ path, protocol, group, questionnaires }) =>
    questionnaires.map((title, at) => ({ path: `${path}.questionnaires[${at}]`, protocol, group, title })),
  )
  const administrators = withPaths('administrators', document.administrators)
  const informers = withPaths('informers', document.informers)
  const associations = informers.flatMap(({ path: informer, groups }) =>
    withPaths(`${informer}.groups`, groups).map((association) => ({ ...association, informer })),
  )
  const completions = associations.flatMap(({ path, completed, ...group }) =>
    completed.map((title, at) => ({ ...group, path: `${path}.completed[${at}]`, title })),
  )
  return {
    categories: withPaths('categories', document.categories),
    treatment_pronouns: withPaths('treatment_pronouns', document.treatment_pronouns),
    dioceses: withPaths('dioceses', document.dioceses),
    processes,
    groups,
    questionnaires,
    people: [
      ...administrators.map((person) => ({ ...person, role: 'administrator' as const })),
      ...informers.map((person) => ({ ...person, role: 'informer' as const })),
    ],
    informers,
    associations,
    completions,
    changelogs: withPaths('changelogs', document.changelogs),
  }
}

const withPaths = <Row extends object>(list: string, rows: Row[]) =>
  rows.map((row, at) => ({ ...row, path: `${list}[${at}]` }))
