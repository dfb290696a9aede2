import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { type Call, callService, type Service } from './service-call.ts'
import { NOT_THIS_SERVICE } from './service-error.ts'

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
 * Reads every item of a list. If the list changes meanwhile, some may be missing or there twice.
 * @param item the form of each
 */
export async function readList<Item>(
  service: Service,
  path: string,
  item: z.ZodMiniType<Item>,
): Promise<Item[]> {
  const pages = await readPages(service, path, item)
  return pages.flatMap(({ data }) => data)
}

/** Of 100 rows: more than a service has (docs/limits.md). */
const MAX_PAGES = 2000

/** Reads every page of a list, each with the total of its moment. */
export async function readPages<Item>(
  service: Service,
  path: string,
  item: z.ZodMiniType<Item>,
) {
  const form = pageOf(item)
  const pages: z.infer<typeof form>[] = []
  for (let number = 1; ; number += 1) {
    const query = new URLSearchParams({ per_page: '100', page: `${number}` })
    const call = { method: 'GET', path: `${path}?${query}` } as const
    const page = await callService(service, call, form)
    pages.push(page)
    if (!page.pagination.has_more_pages) return pages
    if (page.data.length === 0 || number === MAX_PAGES) throw new Error(NOT_THIS_SERVICE)
  }
}

const successOf = <Data>(data: z.ZodMiniType<Data>) =>
  z.object({ success: z.literal(true), data })

const pageOf = <Item>(item: z.ZodMiniType<Item>) =>
  z.object({
    success: z.literal(true),
    data: z.array(item),
    pagination: z.object({ total: z.number(), has_more_pages: z.boolean() }),
  })
