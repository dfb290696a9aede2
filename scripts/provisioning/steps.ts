import { create, type Service, send } from '../lib/service-client.ts'

/** What is wanted of a row, and the request that brings it about, unless it is so or another request does. */
export type Step = {
  table: string
  path: string
  kind: 'added' | 'changed' | 'removed' | 'unchanged' | 'repeated'
  send?: (() => Promise<unknown>) | undefined
}

/** The fields that differ from what is known; null and undefined mean that it stays. Lists are rows of their own. */
export const differing = (fields: object, known: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => value != null && !Array.isArray(value) && value !== known[field as keyof object],
    ),
  )

/**
 * The step that makes a row what its fields say.
 * @param collection where a row is created; without it, the request of another row brings it along
 * @param rows where a row is found by its id
 */
export function rowStep(
  service: Service,
  row: Pick<Step, 'table' | 'path'>,
  fields: object,
  known: { id?: number | string } | undefined,
  collection: string | undefined,
  rows = collection,
): Step {
  if (!known) return { ...row, kind: 'added', ...(collection && { send: () => create(service, collection, fields) }) }
  const changes = differing(fields, known)
  if (Object.keys(changes).length === 0) return { ...row, kind: 'unchanged' }
  return { ...row, kind: 'changed', send: () => send(service, 'PATCH', `${rows}/${known.id}`, changes) }
}

/** A row, then what belongs to it. A new row brings that along, in one request. */
export const withChildren = (row: Step, children: Step[][]): Step[][] =>
  row.kind === 'added' ? [[row, ...children.flat()]] : [[row], ...children]
