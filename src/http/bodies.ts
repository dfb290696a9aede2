import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { refusals } from './refusals.ts'

const KIBIBYTE = 1024

/**
 * Reads the body, which must be a JSON object. Refuses in the order of the contract: 413 past the limit
 * (read no further), 415, 400.
 */
export function jsonBody(maxBytes = 64 * KIBIBYTE): MiddlewareHandler {
  const limited = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw refusals.bodyTooLarge()
    },
  })
  return (c, next) =>
    limited(c, async () => {
      const bytes = await c.req.arrayBuffer()
      if (bytes.byteLength > 0 && !isJson(c.req.header('Content-Type'))) throw refusals.bodyType()
      const body = parse(bytes)
      if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refusals.bodyNotObject()
      await next()
    })
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType.trim())
}

function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw refusals.bodyNotJson()
  }
}
