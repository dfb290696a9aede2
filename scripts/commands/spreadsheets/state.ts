import * as z from 'zod/mini'
import type { Service } from '../service/service-call.ts'
import { readList } from '../service/service-client.ts'
import { headingOf } from './columns.ts'
import type { Person } from './deciding/person.ts'
import { isApiToken } from '#domain/api-tokens.ts'
import { QUESTIONNAIRE_STATUSES } from '#domain/completion.ts'
import { fold } from '#domain/folding.ts'

const text = z.nullable(z.string())

const item = z.object({
  id: z.number(),
  name: z.string(),
  state: z.optional(z.string()),
  active: z.boolean(),
})

const group = z.object({ id: z.string(), name: z.string() })

const process = z.object({
  name: z.string(),
  protocol: z.string(),
  groups: z.array(group),
})

const membership = z.object({
  process: z.object({ name: z.string(), protocol: z.string() }),
  group,
  questionnaire_status: z.enum(QUESTIONNAIRE_STATUSES),
})

const user = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: text,
  full_name: z.string(),
  email: text,
  cpf: text,
  phone: text,
  img_url: text,
})

const informer = z.extend(user, {
  has_password: z.boolean(),
  updated_at: z.string(),
  category: z.nullable(item),
  treatment_pronoun: z.nullable(item),
  diocese: z.nullable(item),
  processes_groups: z.array(membership),
})

export type Item = z.infer<typeof item>
export type Process = z.infer<typeof process>
export type Membership = z.infer<typeof membership>
export type User = z.infer<typeof user>
export type Informer = z.infer<typeof informer>

/** The parts of the service's data that an import compares its rows with. */
export type State = Awaited<ReturnType<typeof readState>>

export const readInformers = (service: Service) =>
  readList(service, '/informers', informer)

/** Reads each list once. API tokens cannot read administrators. */
export async function readState(service: Service) {
  return {
    categories: await readList(service, '/categories', item),
    treatment_pronouns: await readList(service, '/treatment-pronouns', item),
    dioceses: await readList(service, '/dioceses', item),
    processes: await readList(service, '/processes', process),
    administrators: isApiToken(service.token ?? '')
      ? []
      : await readList(service, '/administrators', user),
    informers: await readInformers(service),
  }
}

export const REFERENCE_FIELDS = ['treatment_pronoun', 'category', 'diocese'] as const
type ReferenceField = (typeof REFERENCE_FIELDS)[number]

/** The rows of the service that a person refers to by name. */
export type References = {
  items: Partial<Record<ReferenceField, Item>>
  /** The ids of the person's groups, in order. */
  groupIds: string[]
  problems: string[]
}

/** Returns the name of an item of a list, for a diocese with its state. */
export const nameOf = (item: Item | null | undefined) =>
  item?.state ? `${item.name} (${item.state})` : item?.name

/** Finds rows by one of their names, ignoring case and accents. */
function finder<Row>(rows: Row[], namesOf: (row: Row) => (string | undefined)[]) {
  const byName = new Map<string, Set<Row>>()
  for (const row of rows) {
    for (const name of namesOf(row)) {
      const key = fold(name ?? '')
      byName.set(key, (byName.get(key) ?? new Set()).add(row))
    }
  }
  return (name: string): Row[] => [...(byName.get(fold(name)) ?? [])]
}

/** Finds the rows that people refer to. */
export function referenceFinder(state: State) {
  const findItem = {
    treatment_pronoun: itemFinder(state.treatment_pronouns),
    category: itemFinder(state.categories),
    diocese: itemFinder(state.dioceses),
  }
  const findProcess = finder(state.processes, ({ protocol, name }) => [protocol, name])

  return (person: Person, known: Informer | undefined): References => {
    const found: References = { items: {}, groupIds: [], problems: [] }
    const only = <Row>(name: string, rows: Row[], place: string): Row | undefined => {
      const [row, ...others] = rows
      if (!row) found.problems.push(`${place}: "${name}" não foi encontrado`)
      if (others.length > 0) {
        found.problems.push(`${place}: "${name}" é ambíguo: há mais de um`)
      }
      return row
    }

    for (const field of REFERENCE_FIELDS) {
      const name = person[field]
      if (name === undefined) continue

      const item = only(name, findItem[field](name), headingOf(field))
      if (!item) continue

      found.items[field] = item
      if (!item.active && item.id !== known?.[field]?.id) {
        found.problems.push(`${headingOf(field)}: "${name}" está desativado`)
      }
    }

    for (const { protocol, group: name, line } of person.groups) {
      const place = person.groups.length > 1 ? ` da linha ${line}` : ''
      const process = only(protocol, findProcess(protocol), `Processo${place}`)
      const groups = process?.groups.filter((one) => fold(one.name) === fold(name))
      const group = groups && only(name, groups, `Grupo${place}`)
      if (group) found.groupIds.push(group.id)
    }
    return found
  }
}

/** A diocese is also found by its name with the state. */
const itemFinder = (items: Item[]) => finder(items, (item) => [item.name, nameOf(item)])
