import type { Service } from '../service/service-call.ts'
import { create } from '../service/service-client.ts'

/** A row of a document and the request that creates or updates it. */
export type Step = {
  table: string
  path: string
  kind: 'added' | 'unchanged' | 'differing'
  /** Creates the row, or updates a person who differs. */
  send?: (() => Promise<unknown>) | undefined
  /** A line for each field that differs. */
  differences?: string[]
}

/**
 * Returns the fields that differ from the known ones, without null and undefined, which change
 * nothing, and without lists, whose items are rows.
 */
export function differing(fields: object, known: object): Record<string, unknown> {
  const isDifferent = ([field, value]: [string, unknown]) =>
    value !== known[field as keyof object]
  const isOwn = ([, value]: [string, unknown]) => value != null && !Array.isArray(value)
  return Object.fromEntries(Object.entries(fields).filter(isOwn).filter(isDifferent))
}

const MAX_SHOWN = 60

/** Returns a line with a field's value in the service and in the document. */
export function describeDifference(
  path: string,
  known: unknown,
  wanted: unknown,
): string {
  return `${path}: ${shown(known)} no serviço, ${shown(wanted)} no documento`
}

function shown(value: unknown): string {
  if (value == null) return 'nada'

  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

type Place = Pick<Step, 'table' | 'path'>
type Known = { id?: number | string } | undefined

/** Returns the path of the rows of a table. */
export const pathOf = (table: string) => `/${table.replace('_', '-')}`

/**
 * Plans the creation of a row, unless it exists.
 * @param collection where it is created, by default the path of its table; '' if the request of
 *   another row creates it
 */
export function rowStep(
  service: Service,
  row: Place,
  fields: object,
  known: Known,
  collection = pathOf(row.table),
): Step {
  if (!known) {
    const send = () => create(service, collection, fields)
    return { ...row, kind: 'added', send: collection ? send : undefined }
  }

  const differences = Object.entries(differing(fields, known)).map(([field, value]) =>
    describeDifference(`${row.path}.${field}`, known[field as keyof Known], value),
  )
  const kind = differences.length > 0 ? 'differing' : 'unchanged'
  return { ...row, kind, differences }
}

/** Returns a row, then its children. A new row is created with them in one request. */
export const withChildren = (row: Step, children: Step[][]): Step[][] =>
  row.kind === 'added' ? [[row, ...children.flat()]] : [[row], ...children]
