import * as z from 'zod/mini'
import { readProcesses } from '../service/processes.ts'
import type { Service } from '../service/service-call.ts'
import { readList } from '../service/service-client.ts'
import { describe, type Row } from './rows.ts'
import { fold } from '#domain/folding.ts'

const text = z.nullable(z.string())

const item = z.object({
  id: z.number(),
  name: z.string(),
  state: z.optional(z.string()),
  active: z.boolean(),
})

export const informerForm = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: text,
  full_name: z.string(),
  email: text,
  cpf: text,
  phone: text,
  img_url: text,
  treatment_pronoun: z.nullable(item),
  category: z.nullable(item),
  diocese: z.nullable(item),
  processes_groups: z.array(
    z.object({
      process: z.object({ id: z.string(), protocol: z.string() }),
      group: z.object({ id: z.string(), name: z.string() }),
      questionnaire_status: z.string(),
    }),
  ),
})

export type Item = z.infer<typeof item>
export type Informer = z.infer<typeof informerForm>
export type State = Awaited<ReturnType<typeof readState>>

/** Returns the name of an item of a list, of a diocese with its state. */
export const nameOf = ({ name, state }: Item) => (state ? `${name} (${state})` : name)

/** Reads the data that rows of a spreadsheet may name. */
export async function readState(service: Service) {
  return {
    treatment_pronouns: await readList(service, '/treatment-pronouns', item),
    categories: await readList(service, '/categories', item),
    dioceses: await readList(service, '/dioceses', item),
    processes: await readProcesses(service),
    informers: await readList(service, '/informers', informerForm),
  }
}

export const LISTS = ['treatment_pronoun', 'category', 'diocese'] as const

export type Lookup = ReturnType<typeof lookupOf>

/** Finds the data that rows name. A returned text is a problem. */
export function lookupOf(state: State) {
  const informers = new Map<string, Informer>()
  for (const informer of state.informers) {
    for (const identifier of [informer.cpf, informer.email]) {
      if (identifier) informers.set(identifier, informer)
    }
  }
  const findProcess = finder(state.processes, ({ protocol }) => [withHyphens(protocol)])

  return {
    treatment_pronoun: finder(state.treatment_pronouns, namesOf),
    category: finder(state.categories, namesOf),
    diocese: finder(state.dioceses, namesOf),

    /** Returns the informers with the CPF and with the email of a row. */
    informersOf({ texts: { cpf = '', email = '' } }: Row): Informer[] {
      const found = [informers.get(cpf), informers.get(email)]
      return found.filter((informer) => informer !== undefined)
    },

    group(protocol: string, name: string): { id: string; label: string } | string {
      const process = findProcess(withHyphens(protocol))
      if (typeof process === 'string') return describe('process', protocol, process)

      const group = finder(process.groups, (each) => [each.name])(name)
      if (typeof group === 'string') return describe('group', name, group)
      return { id: group.id, label: `${group.name} (${process.protocol})` }
    },
  }
}

/** Spreadsheet programs replace the hyphen of a protocol by dashes. */
const withHyphens = (protocol: string) => protocol.replace(/\p{Pd}/gu, '-')

const namesOf = (item: Item) => new Set([item.name, nameOf(item)])

/** Finds rows by one of their names, ignoring case and accents. A returned text is a problem. */
function finder<Found extends { id: unknown; active?: boolean }>(
  rows: Found[],
  namesOfRow: (row: Found) => Iterable<string>,
) {
  const named = rows.flatMap((row) =>
    [...namesOfRow(row)].map((name) => ({ key: fold(name), row })),
  )
  const byKey = Map.groupBy(named, ({ key }) => key)
  return (name: string): Found | string => {
    const [first, ...others] = byKey.get(fold(name)) ?? []
    if (!first) return 'não está no serviço'
    if (others.length > 0) return 'é ambíguo'
    return first.row.active === false ? 'está desativado' : first.row
  }
}
