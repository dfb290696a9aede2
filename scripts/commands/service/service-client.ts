import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { type Call, callService, type Service, urlOf } from './service-call.ts'
import { InterruptedError, NOT_THIS_SERVICE } from './service-error.ts'

/** The form of a Bearer token (RFC 6750, 2.1). An error about another one would print it. */
export const BEARER_TOKEN = /^[\w.~+/-]+=*$/
const loginAnswer = z.object({ access_token: z.string().check(z.regex(BEARER_TOKEN)) })

/**
 * Creates a row; safe to repeat after a lost response.
 * @param answer the form of its `data`, where that matters
 */
export function create<Data = unknown>(
  service: Service,
  path: string,
  body: object,
  answer?: z.ZodMiniType<Data>,
): Promise<Data> {
  return send(service, 'POST', path, body, answer, { 'Idempotency-Key': randomUUID() })
}

/**
 * Sends a repeatable request, and returns the response's `data`.
 * @param answer the form of `data`, where that matters
 * @throws {ServiceError} for an error response
 */
export async function send<Data = unknown>(
  service: Service,
  method: Exclude<Call['method'], 'GET'>,
  path: string,
  body?: object,
  answer: z.ZodMiniType<Data> = z.optional(z.any()),
  headers: Record<string, string> = {},
): Promise<Data> {
  const call = { method, path, body, headers }
  const { data } = await callService(service, call, successOf(answer))
  return data
}

/** Logs a user in. @param code of a second factor, if the service requires one */
export async function accessToken(
  service: Service,
  email: string,
  password: string,
  code?: string,
): Promise<string> {
  const body = { email, password, code }
  const { access_token } = await send(service, 'POST', '/auth/login', body, loginAnswer)
  return access_token
}

/**
 * Reads every page of a list.
 * @param item the form of each
 * @param filters parameters of the query
 * @throws if a page other than the last is empty
 */
export async function readList<Item>(
  service: Service,
  path: string,
  item: z.ZodMiniType<Item>,
  filters: Readonly<Record<string, string>> = {},
): Promise<Item[]> {
  const list = successOf(z.array(item))
  const items: Item[] = []
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({ ...filters, per_page: '100', page: `${page}` })
    const call = { method: 'GET', path: `${path}?${query}` } as const
    const { data, pagination } = await callService(service, call, list)
    items.push(...data)
    if (!pagination?.has_more_pages) return items
    if (data.length === 0) {
      throw new InterruptedError(urlOf(service, path), NOT_THIS_SERVICE)
    }
  }
}

const successOf = <Data>(data: z.ZodMiniType<Data>) =>
  z.object({
    success: z.literal(true),
    data,
    pagination: z.optional(z.object({ has_more_pages: z.boolean() })),
  })
