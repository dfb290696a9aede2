import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type * as z from 'zod/mini'
import type { BodyCheck } from './body-checks.ts'
import { queryOf } from './paths.ts'
import {
  ApiError,
  errors,
  type FieldErrors,
  ValidationError,
} from '#http/response/errors.ts'

const KIBIBYTE = 1024

/** Parses the body as a JSON object. @throws {ApiError} 413, 415 or 400, in this order */
export function jsonBody({
  maxBytes = 64 * KIBIBYTE,
  isOptional = false,
} = {}): MiddlewareHandler {
  const limitSize = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw errors.payloadTooLarge()
    },
  })
  const read = async (c: Context) => {
    await limitSize(c, async () => undefined) // checks the length, or buffers a chunked body
    return c.req.arrayBuffer()
  }

  return async (c, next) => {
    const bytes = await read(c).catch((error) => {
      throw error instanceof ApiError ? error : errors.invalidJson() // the client disconnected
    })
    const isSent = bytes.byteLength > 0
    if (isSent && !isJson(c)) throw errors.unsupportedMediaType()

    const body = isSent || !isOptional ? parse(bytes) : {}
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw errors.notJsonObject()
    }
    c.req.json = async <Body>() => body as Body // for the validator and the handler
    await next()
  }
}

/**
 * `application/json`, and for PATCH also JSON Merge Patch (RFC 7396), which has the same syntax.
 */
function isJson(c: Pick<Context, 'req'>): boolean {
  const type = c.req.header('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase()
  const isMergePatch = c.req.method === 'PATCH' && type === 'application/merge-patch+json'
  return type === 'application/json' || isMergePatch
}

function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes),
    )
  } catch {
    throw errors.invalidJson()
  }
}

/**
 * Validates a body (after `jsonBody`) and responds 422 with every failing field.
 * @param check finds the errors that only the database knows, in the valid fields of the body
 */
export function validBody<Schema extends z.ZodMiniObject>(
  schema: Schema,
  // oxlint-disable-next-line no-explicit-any -- each route has its own Env
  check?: BodyCheck<z.output<Schema>, any>,
) {
  return zValidator('json', schema, async (result, c: Context) => {
    if (result.success) c.set('parsedBody', result.data)
    const fields: Partial<z.output<Schema>> = result.success
      ? result.data
      : validFields(schema, result.data)
    const found = (await check?.(fields, c)) ?? {}
    const invalid = result.success ? found : { ...found, ...fieldErrors(result.error) }
    if (Object.keys(invalid).length > 0) throw new ValidationError(invalid)
  })
}

/** The valid fields of an invalid body. */
function validFields<Schema extends z.ZodMiniObject>(
  schema: Schema,
  body: Record<string, unknown>,
): Partial<z.output<Schema>> {
  const valid: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const { data } = (field as z.ZodMiniType).safeParse(body[name]) // a shape has zod's core types
    if (data !== undefined) valid[name] = data
  }
  return valid as Partial<z.output<Schema>> // by the schemas of its fields
}

const UNKNOWN_PARAMETER = 'Este parâmetro não existe.'

/**
 * Validates the query and responds 422 with every failing parameter. Repeated parameters are
 * refused, and unknown ones too: a misspelt filter would list everybody.
 * @param ignoresUnknown for public lists, whose links others may have extended
 */
export function validQuery<Schema extends z.ZodMiniObject>(
  schema: Schema,
  { ignoresUnknown = false } = {},
) {
  return zValidator('query', schema, (result, c) => {
    if (result.success && ignoresUnknown) return

    const sent = [...queryOf(c.req.raw).keys()]
    const invalid = result.success ? {} : fieldErrors(result.error)
    for (const name of Object.keys(invalid)) {
      const isRepeated = sent.indexOf(name) !== sent.lastIndexOf(name)
      if (isRepeated) {
        invalid[name] = [`O parâmetro ${name} só pode ser informado uma vez.`]
      }
    }

    const isUnknown = (name: string) => !Object.hasOwn(schema.shape, name)
    const unknown = ignoresUnknown ? [] : sent.filter(isUnknown)
    const refused = unknown.map((name) => [name, [UNKNOWN_PARAMETER]])
    const found = { ...invalid, ...Object.fromEntries(refused) }
    if (Object.keys(found).length > 0) throw new ValidationError(found)
  })
}

/**
 * Returns unique messages by field; within lists by position (`groups.0.name`), and for the whole
 * body under `body`.
 */
export function fieldErrors(error: z.core.$ZodError): FieldErrors {
  const found: FieldErrors = {}
  for (const { path, message } of error.issues) {
    const texts = (found[path.join('.') || 'body'] ??= [])
    if (!texts.includes(message)) texts.push(message)
  }
  return found
}
