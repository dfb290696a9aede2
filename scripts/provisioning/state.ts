import { fold } from '../../src/domain/folding.ts'
import { readList, type Service } from '../lib/service-client.ts'
import type { Document, ListItem } from './document.ts'

/** What the service knows; of what a document will add, without an id. */
export type Item = { id?: number; name: string; description?: string; state?: string; active: boolean }
export type Group = { id?: string; name: string; questionnaires: { id?: string; title: string }[] }
export type Process = { id?: string; name: string; protocol: string; groups: Group[] }
export type User = {
  id: string
  first_name: string
  last_name: string | null
  full_name: string
  email: string | null
  cpf: string | null
  phone: string | null
  img_url: string | null
  has_password: boolean
  treatment_pronoun?: Item | null
  category?: Item | null
  diocese?: Item | null
  processes_groups?: Membership[]
}
export type Membership = { process: Process; group: Group; questionnaire_status: string }
export type Lists = Pick<State, ListName | 'processes'>
export type State = Awaited<ReturnType<typeof readState>>

export const PATHS = {
  categories: '/categories',
  treatment_pronouns: '/treatment-pronouns',
  dioceses: '/dioceses',
} as const
export type ListName = keyof typeof PATHS
export const LISTS = Object.keys(PATHS) as ListName[]

/** Reads what a document is compared with: the lists that it has, or that its people may refer to. */
export async function readState(service: Service, document: Pick<Document, 'informers'> & Partial<Document>) {
  const people = [...(document.administrators ?? []), ...document.informers]
  const read = <Row>(path: string, ...needs: (unknown[] | undefined)[]) =>
    needs.some((rows) => rows?.length) ? readList<Row>(service, path) : Promise.resolve<Row[]>([])
  const { informers } = document
  return {
    categories: await read<Item>(PATHS.categories, informers, document.categories),
    treatment_pronouns: await read<Item>(PATHS.treatment_pronouns, informers, document.treatment_pronouns),
    dioceses: await read<Item>(PATHS.dioceses, informers, document.dioceses),
    processes: await read<Process>('/processes', informers, document.processes),
    administrators: await read<User>('/administrators', people),
    informers: await read<User>('/informers', people),
    changelogs: await read<{ version: string; title: string }>('/changelogs', document.changelogs),
  }
}

/**
 * Finds the items of a list that an item of a document may mean: by its previous name, or else by its name. Like the
 * service, without case and accents.
 */
export function itemFinder(known: Item[]): (item: ListItem) => Item[] {
  const byName = Map.groupBy(known, ({ name }) => fold(name))
  return ({ name, previous_name, state }) => {
    const previous = previous_name === undefined ? [] : (byName.get(fold(previous_name)) ?? [])
    if (previous.length > 0) return previous
    return (byName.get(fold(name)) ?? []).filter((item) => !state || item.state === state)
  }
}

/** The lists as they are once a document is applied, with ids of what is known. */
export function listsAfter(state: State, document: Document): Lists {
  const itemsAfter = (list: ListName): Item[] => {
    const find = itemFinder(state[list])
    const planned = document[list].map((item: ListItem) => Object.assign({ active: true }, find(item)[0], item))
    const replaced = new Set(document[list].flatMap((item: ListItem) => find(item)))
    return [...state[list].filter((item) => !replaced.has(item)), ...planned]
  }
  const toGroup = ({ questionnaires, ...group }: Document['processes'][number]['groups'][number]) => ({
    ...group,
    questionnaires: questionnaires.map((title) => ({ title })),
  })
  const added = document.processes.map(({ groups, ...process }) => ({
    ...process,
    groups: groups.map(toGroup),
  }))
  return {
    categories: itemsAfter('categories'),
    treatment_pronouns: itemsAfter('treatment_pronouns'),
    dioceses: itemsAfter('dioceses'),
    processes: [...state.processes, ...added],
  }
}
