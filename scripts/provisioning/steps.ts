import type { Service } from '../lib/service-call.ts'
import { create, send } from '../lib/service-client.ts'

/**
 * What is wanted of a row, and the request that brings it about, unless it is so or another request
 * does.
 */
export type Step = {
  table: string
  path: string
  kind: 'added' | 'changed' | 'removed' | 'unchanged' | 'repeated'
  send?: (() => Promise<unknown>) | undefined
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

type Place = Pick<Step, 'table' | 'path'>
type Known = { id?: number | string } | undefined

/** The path of the rows of a table. */
export const pathOf = (table: string) => `/${table.replace('_', '-')}`

/**
 * The step that makes a row what its fields say.
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
    return {
      ...row,
      kind: 'added',
      ...(collection && { send: () => create(service, collection, fields) }),
    }
  }
  const changes = differing(fields, known)
  if (Object.keys(changes).length === 0) {
    return {
      ...row,
      kind: 'unchanged',
    }
  }
  return {
    ...row,
    kind: 'changed',
    send: () => send(service, 'PATCH', `${pathOf(row.table)}/${known.id}`, changes),
  }
}

/** A row, then what belongs to it. A new row brings that along, in one request. */
export const withChildren = (row: Step, children: Step[][]): Step[][] =>
  row.kind === 'added' ? [[row, ...children.flat()]] : [[row], ...children]
