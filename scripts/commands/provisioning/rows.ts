import { fold } from '../../../src/domain/folding.ts'
import type { Service } from '../service/service-call.ts'
import type { Document } from './document.ts'
import type { LISTS, State } from './state.ts'
import { rowStep, type Step } from './steps.ts'

type List = (typeof LISTS)[number]
type Keyed = { name: string; state?: string | undefined }

/** Returns the key of a row of a list: the name, for a diocese also the state. */
export const listKey = ({ name, state }: Keyed) => `${fold(name)} ${state ?? ''}`

/** Plans the items of a list. */
export function planList(
  service: Service,
  table: List,
  document: Document,
  known: State,
): Step[] {
  return planRows<Keyed>(service, table, document[table], known[table], listKey)
}

/** Plans changelog entries. */
export function planChangelogs(
  service: Service,
  document: Document,
  known: State,
): Step[] {
  type Entry = { version: string; title: string }
  const keyOf = ({ version, title }: Entry) => `${version} ${title}`
  return planRows<Entry>(
    service,
    'changelogs',
    document.changelogs,
    known.changelogs,
    keyOf,
  )
}

function planRows<Row extends object>(
  service: Service,
  table: string,
  rows: Row[],
  known: Row[],
  keyOf: (row: Row) => string,
): Step[] {
  const byKey = new Map(known.map((row) => [keyOf(row), row]))
  return rows.map((row, at) => {
    const place = { table, path: `${table}[${at}]` }
    return rowStep(service, place, row, byKey.get(keyOf(row)))
  })
}
