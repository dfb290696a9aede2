import { zValidator } from '@hono/zod-validator'
import type { Context } from 'hono'
import type * as z from 'zod/mini'
import { type FieldErrors, ValidationError } from '../errors.ts'

/**
 * Validates a body (after `jsonBody`) and responds 422 with every failing field.
 * @param check finds the errors that only the database knows, in the valid fields of the body
 */
export function validBody<Schema extends z.ZodMiniObject>(
  schema: Schema,
  // oxlint-disable-next-line no-explicit-any -- each route has its own Env
  check?: (fields: Partial<z.output<Schema>>, c: Context<any>) => Promise<FieldErrors>,
) {
  return zValidator('json', schema, async (result, c) => {
    const fields = result.success ? result.data : validFields(schema, result.data)
    const found = (await check?.(fields as Partial<z.output<Schema>>, c)) ?? {}
    const errors = result.success ? found : { ...found, ...fieldErrors(result.error) }
    if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  })
}

/** The valid fields of an invalid body. */
function validFields(schema: z.ZodMiniObject, body: Record<string, unknown>) {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const { data } = (field as z.ZodMiniType).safeParse(body[name])
    return [name, data]
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** Validates the query and responds 422 with every failing parameter. No known parameter may repeat. */
export function validQuery<Schema extends z.ZodMiniType>(schema: Schema) {
  return zValidator('query', schema, (result, c) => {
    if (result.success) return
    const errors = fieldErrors(result.error)
    for (const name of Object.keys(errors))
      if ((c.req.queries(name)?.length ?? 0) > 1) errors[name] = [`O parâmetro ${name} só pode ser informado uma vez.`]
    throw new ValidationError(errors)
  })
}

/** Unique messages by field, within lists by its place (`groups.0.name`), or under `body` if they concern no field. */
export function fieldErrors(error: z.core.$ZodError): FieldErrors {
  const errors: FieldErrors = {}
  for (const { path, message } of error.issues) {
    const field = path.join('.') || 'body'
    const texts = errors[field] ?? []
    if (!texts.includes(message)) texts.push(message)
    errors[field] = texts
  }
  return errors
}
