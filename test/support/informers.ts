import { expect } from 'vitest'
import { administratorToken, type Call, callJson } from './helper.ts'

/** Creates an informer, by default João without anything else. */
export async function create(body: Record<string, unknown> = {}, options: Call = {}) {
  const token = await administratorToken()
  const created = await callJson('/informers', {
    token,
    body: { first_name: 'João', ...body },
    ...options,
  })
  expect(created.status).toBe(201)
  return created.body.data
}

export const patch = async (id: string, body: unknown, options: Call = {}) =>
  callJson(`/informers/${id}`, {
    method: 'PATCH',
    token: await administratorToken(),
    body,
    ...options,
  })

export const read = async (id: string) =>
  (await callJson(`/informers/${id}`, { token: await administratorToken() })).body.data
