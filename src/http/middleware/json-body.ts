import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { ApiError, errors } from '../errors.ts'

const KIBIBYTE = 1024

/** Parses the body as a JSON object. @throws {ApiError} 413, 415 or 400, in this order */
export function jsonBody({ maxBytes = 64 * KIBIBYTE, isOptional = false } = {}): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw errors.payloadTooLarge()
    },
  })
  const read = async (c: Context) => {
    await limit(c, async () => undefined)
    return c.req.raw.arrayBuffer()
  }
  return async (c, next) => {
    const bytes = await read(c).catch((error) => {
      throw error instanceof ApiError ? error : errors.invalidJson() // the client disconnected
    })
    const isSent = bytes.byteLength > 0
    if (isSent && !isJson(c)) throw errors.unsupportedMediaType()
    const body = isSent || !isOptional ? parse(bytes) : {}
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw errors.notJsonObject()
    c.req.raw = new Request(c.req.raw, { body: isSent ? bytes : '{}' })
    await next()
  }
}

/** `application/json`, and for PATCH also JSON Merge Patch (RFC 7396), which has the same syntax. */
function isJson(c: Context): boolean {
  const type = c.req.header('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase()
  return type === 'application/json' || (c.req.method === 'PATCH' && type === 'application/merge-patch+json')
}

function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw errors.invalidJson()
  }
}
