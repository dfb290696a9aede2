import { forEachConcurrently } from '../lib/concurrency.ts'
import { create, type Service, ServiceError, send } from '../lib/service-client.ts'

/** What is wanted of a row, and the request that brings it about, unless it is so already. */
export type Step = {
  table: string
  kind: 'added' | 'changed' | 'removed' | 'unchanged' | 'repeated'
  path: string
  count?: number
  send?: () => Promise<unknown>
}

/** The fields that differ from what is known; null and undefined mean that it stays. */
export const differing = (fields: object, known: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => value != null && value !== known[field as keyof object]),
  )

/**
 * The step that makes a row what its fields say.
 *
 * @param collection where a row is created
 * @param rows where a row is found by its id
 */
export function rowStep(
  service: Service,
  row: Pick<Step, 'table' | 'path'>,
  fields: object,
  known: { id?: number | string } | undefined,
  collection: string,
  rows = collection,
): Step {
  if (!known) return { ...row, kind: 'added', send: () => create(service, collection, fields) }
  const changes = differing(fields, known)
  if (Object.keys(changes).length === 0) return { ...row, kind: 'unchanged' }
  return { ...row, kind: 'changed', send: () => send(service, 'PATCH', `${rows}/${known.id}`, changes) }
}

/**
 * Runs chains of steps, several chains at once. What the service refuses ends its chain.
 *
 * @param handlers.done called with each step that was done
 * @param handlers.refused called with a step that was refused
 * @throws {ServiceError} what no other chain would survive: 401, 403, 5xx
 */
export function runChains(
  chains: Step[][],
  handlers: { done: (step: Step) => void; refused: (step: Step, error: ServiceError) => unknown },
): Promise<void> {
  return forEachConcurrently(chains, async (chain) => {
    for (const step of chain)
      try {
        await step.send?.()
        handlers.done(step)
      } catch (error) {
        if (!(error instanceof ServiceError) || ![404, 409, 422].includes(error.status)) throw error
        return handlers.refused(step, error)
      }
  })
}
