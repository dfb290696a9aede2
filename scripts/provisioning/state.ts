import type { Informer, toPerson } from '../../src/database/users.ts'
import { readList, type Service } from '../lib/service-client.ts'
import type { Document } from './document.ts'
import { pathOf } from './steps.ts'

/** What the service knows; of what a document will add, without an id. */
export type Item = {
  id?: number
  name: string
  description?: string
  state?: string
  active: boolean
}
type Group = { id?: string; name: string; questionnaires: { id?: string; title: string }[] }
export type Process = { id?: string; name: string; protocol: string; groups: Group[] }
export type User = ReturnType<typeof toPerson> & Partial<Informer>
export type Lists = Awaited<ReturnType<typeof readLists>>
export type State = Awaited<ReturnType<typeof readState>>

export const LISTS = ['categories', 'treatment_pronouns', 'dioceses'] as const

type Rows = readonly unknown[]
type Needs = { [Part in keyof Document]?: Rows }
const readIf = async <Row>(
  service: Service,
  path: string,
  ...needs: (Rows | undefined)[]
): Promise<Row[]> => (needs.some((rows) => rows?.length) ? readList(service, path) : [])

/** Reads the lists that a document has, or that its informers may refer to. */
export async function readLists(service: Service, { informers, ...lists }: Needs) {
  const read = (list: (typeof LISTS)[number]) =>
    readIf<Item>(service, pathOf(list), informers, lists[list])
  return {
    categories: await read('categories'),
    treatment_pronouns: await read('treatment_pronouns'),
    dioceses: await read('dioceses'),
    processes: await readIf<Process>(service, '/processes', informers, lists.processes),
  }
}

/** Reads what a document is compared with. */
export async function readState(service: Service, document: Needs) {
  const { administrators, informers, changelogs } = document
  return {
    ...(await readLists(service, document)),
    administrators: await readIf<User>(service, '/administrators', administrators, informers),
    informers: await readIf<User>(service, '/informers', administrators, informers),
    changelogs: await readIf<{ version: string; title: string }>(
      service,
      '/changelogs',
      changelogs,
    ),
  }
}
