import type { Service } from '../service/service-call.ts'
import { create } from '../service/service-client.ts'

/** A row of a document, and what it is to the service. */
export type Step = {
  table: string
  path: string
  kind: 'added' | 'unchanged' | 'differing'
  /** Creates what is missing; of a person who differs, updates them. */
  send?: (() => Promise<unknown>) | undefined
  /** A line for each field that differs. */
  differences?: string[]
}

/**
 * The fields that differ from what is known; null and undefined mean that it stays. Lists are rows
 * of their own.
 */
export function differing(fields: object, known: object): Record<string, unknown> {
  const isDifferent = ([field, value]: [string, unknown]) =>
    value !== known[field as keyof object]
  const isOwn = ([, value]: [string, unknown]) => value != null && !Array.isArray(value)
  return Object.fromEntries(Object.entries(fields).filter(isOwn).filter(isDifferent))
}

const MAX_SHOWN = 60

/** A line that says what the service has in a field, and what the document has. */
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

/** The path of the rows of a table. */
export const pathOf = (table: string) => `/${table.replace('_', '-')}`

/**
 * The step that creates a row, unless it is known.
 * @param collection where it is created, by default the path of its table; '' if the request of
 *   another row brings it
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

/** A row, then what belongs to it. A new row brings that along, in one request. */
export const withChildren = (row: Step, children: Step[][]): Step[][] =>
  row.kind === 'added' ? [[row, ...children.flat()]] : [[row], ...children]
