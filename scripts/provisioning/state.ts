import type { Informer, toPerson } from '../../src/database/users.ts'
import { fold } from '../../src/domain/folding.ts'
import { readList, type Service } from '../lib/service-client.ts'
import type { Document, ListItem } from './document.ts'

/** What the service knows; of what a document will add, without an id. */
export type Item = { id?: number; name: string; description?: string; state?: string; active: boolean }
type Questionnaire = { id?: string; title: string }
type Group = { id?: string; name: string; questionnaires: Questionnaire[] }
export type Process = { id?: string; name: string; protocol: string; groups: Group[] }
export type User = ReturnType<typeof toPerson> & Partial<Informer>
export type Lists = Record<ListName, Item[]> & { processes: Process[] }
export type People = { administrators: User[]; informers: User[] }
export type State = Awaited<ReturnType<typeof readState>>

export const PATHS = {
  categories: '/categories',
  treatment_pronouns: '/treatment-pronouns',
  dioceses: '/dioceses',
  processes: '/processes',
} as const
export const LISTS = ['categories', 'treatment_pronouns', 'dioceses'] as const
type ListName = (typeof LISTS)[number]

type Needs = { [Part in keyof Document]?: readonly unknown[] }
const readIf = async <Row>(service: Service, path: string, ...needs: (readonly unknown[] | undefined)[]) =>
  needs.some((rows) => rows?.length) ? readList<Row>(service, path) : []

/** Reads the lists that a document has, or that its informers may refer to. */
export async function readLists(service: Service, document: Needs): Promise<Lists> {
  const read = <Row>(list: keyof Lists) => readIf<Row>(service, PATHS[list], document.informers, document[list])
  return {
    categories: await read('categories'),
    treatment_pronouns: await read('treatment_pronouns'),
    dioceses: await read('dioceses'),
    processes: await read('processes'),
  }
}

/** Reads what a document is compared with. */
export async function readState(service: Service, document: Needs) {
  const people = [document.administrators, document.informers]
  return {
    ...(await readLists(service, document)),
    administrators: await readIf<User>(service, '/administrators', ...people),
    informers: await readIf<User>(service, '/informers', ...people),
    changelogs: await readIf<{ version: string; title: string }>(service, '/changelogs', document.changelogs),
  }
}

/**
 * Finds the items of a list that an item of a document may mean: by its previous name, or else by its name. Like the
 * service, without case and accents.
 */
export function itemFinder(known: Item[]): (item: ListItem) => Item[] {
  const byName = Map.groupBy(known, ({ name }) => fold(name))
  return ({ name, previous_name, state }) =>
    byName.get(fold(previous_name ?? '')) ??
    (byName.get(fold(name)) ?? []).filter((item) => !state || item.state === state)
}

/** The names of an item of a list; two dioceses of one name are told apart by their state. */
export const namesOf = ({ name, state }: Pick<Item, 'name' | 'state'>) =>
  state ? [name, `${name} (${state})`] : [name]

/** The rows by a field, without case and accents; of several, the last. */
export const byField = <Row extends object>(field: keyof Row, rows: Row[] = []) =>
  new Map(rows.map((row) => [fold(String(row[field])), row]))

/** The lists as they are once a document is applied, with ids of what is known. */
export function listsAfter(state: Lists, document: Document): Lists {
  const itemsAfter = (list: ListName): Item[] => {
    const find = itemFinder(state[list])
    const keyOf = (item: Item) => fold(namesOf(item).at(-1) ?? '')
    const items = new Map(state[list].map((item) => [keyOf(item), item]))
    for (const item of document[list] as ListItem[]) {
      const [known] = find(item)
      if (known) items.delete(keyOf(known))
      const after: Item = Object.assign({ active: true }, known, item)
      items.set(keyOf(after), after)
    }
    return [...items.values()]
  }
  return {
    categories: itemsAfter('categories'),
    treatment_pronouns: itemsAfter('treatment_pronouns'),
    dioceses: itemsAfter('dioceses'),
    processes: merge('protocol', state.processes, document.processes, (known, process) => ({
      ...known,
      ...process,
      groups: merge('name', known?.groups, process.groups, (known, group) => ({
        ...known,
        ...group,
        questionnaires: merge('title', known?.questionnaires, group.questionnaires.map(toQuestionnaire), keep),
      })),
    })),
  }
}

const toQuestionnaire = (title: string): Questionnaire => ({ title })
const keep = <Row>(known: Row | undefined, added: Row) => known ?? added

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
