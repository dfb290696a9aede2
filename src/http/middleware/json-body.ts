import type { MiddlewareHandler } from 'hono'
import { readBody } from '../../read-body.ts'
import { errors } from '../errors.ts'

const KIBIBYTE = 1024

/**
 * Parses the body as a JSON object. Checks size, media type and syntax in the order of the contract, and stops
 * reading at the limit. A missing optional body is an empty object.
 *
 * @throws {ApiError} 413, 415 or 400
 */
export function jsonBody({ maxBytes = 64 * KIBIBYTE, isOptional = false } = {}): MiddlewareHandler {
  return async (c, next) => {
    const bytes = await read(c.req.raw, maxBytes)
    const isSent = bytes.byteLength > 0
    if (isSent && !isJson(c.req.header('Content-Type'))) throw errors.unsupportedMediaType()
    const body = isSent || !isOptional ? parse(bytes) : {}
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw errors.notJsonObject()
    c.req.raw = new Request(c.req.raw, { body: isSent ? bytes : '{}' })
    await next()
  }
}

async function read(request: Request, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readBody(request, maxBytes).catch(() => {
    throw errors.invalidJson() // the client disconnected
  })
  if (!bytes) throw errors.payloadTooLarge()
  return bytes
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType.trim())
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw errors.invalidJson()
  }
}
