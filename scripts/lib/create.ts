import { createHash, randomUUID } from 'node:crypto'
import { postJson, type Service } from './service-client.ts'

/**
 * Creates something; safe to repeat after a lost response.
 *
 * @param identity of a person: the same person is not created again within a week after they were deleted, also by
 *   another run of the same administrator
 * @throws {ServiceError} 409 if they were; 422 on `Idempotency-Key` if they were, or were renamed, and the body differs
 */
export const create = <Created>(service: Service, path: string, body: object, identity?: string) =>
  postJson<Created>(service, path, body, {
    'Idempotency-Key': identity ? createHash('sha256').update(identity).digest('hex') : randomUUID(),
  })
