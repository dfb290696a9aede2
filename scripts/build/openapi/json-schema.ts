import * as z from 'zod'

export type Json = Record<string, unknown>

/** Converts a schema to JSON Schema; schemas with an id become shared components. */
export function jsonSchemaOf(
  schema: z.core.$ZodType,
  io: 'input' | 'output',
  components: Json,
): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (io === 'output') removeLimits(jsonSchema)
    },
  })
  Object.assign(components, $defs)
  return json
}

/**
 * Allows a response further members, because minor versions add some, and removes the limits that
 * zod gives every integer.
 */
function removeLimits(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/**
 * Returns the JSON Schema of a request body. If at least one field is required, null in the sense
 * of "not sent" would match the schema but be refused, so it is left out; in a JSON Merge Patch
 * null empties a field.
 */
export function bodySchemaOf(
  schema: z.core.$ZodType,
  isMergePatch: boolean,
  components: Json,
): Json {
  const json = jsonSchemaOf(schema, 'input', components)
  const needsSomeField = 'minProperties' in json || 'oneOf' in json || 'anyOf' in json
  if (isMergePatch || !needsSomeField) return json

  const properties = json.properties as Record<string, Json>
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    withoutNull(field),
  ])
  return { ...json, properties: Object.fromEntries(fields) }
}

function withoutNull({ anyOf, type, ...rest }: Json): Json {
  if (Array.isArray(anyOf)) {
    return { ...anyOf.find((schema) => schema.type !== 'null'), ...rest }
  }
  return {
    type: Array.isArray(type) ? type.find((name) => name !== 'null') : type,
    ...rest,
  }
}

/**
 * Moves the description of a nullable schema from inside `anyOf`, where no generator reads it, to
 * beside it. For `JSON.parse`, because zod shares parts of a schema.
 */
export function describeNullable(_key: string, schema: Json | null) {
  if (!Array.isArray(schema?.anyOf)) return schema
  for (const part of schema.anyOf) {
    if (part.description) schema.description ??= part.description
    delete part.description
  }
  return schema
}

/**
 * Returns the example of a JSON Schema, or composes one of the examples of its parts, without
 * numbers that have none.
 * @throws if a part has no example
 */
export function exampleOf(schema: Json, components: Json): unknown {
  const {
    examples,
    const: constant,
    enum: values,
    anyOf,
    $ref,
    type,
    items,
    properties,
  } = schema
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], components)
  if (typeof $ref === 'string') {
    return exampleOf(components[$ref.replace('#/$defs/', '')] as Json, components)
  }
  if (type === 'boolean') return false
  if (type === 'array') return [exampleOf(items as Json, components)]
  if (type === 'object') {
    const members = Object.entries(properties as Record<string, Json>).filter(
      ([, { type, examples }]) => type !== 'integer' || examples,
    )
    return Object.fromEntries(
      members.map(([name, member]) => [name, exampleOf(member, components)]),
    )
  }
  throw new Error(`no example of ${JSON.stringify(schema)}`)
}
