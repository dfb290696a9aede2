import * as z from 'zod/mini'
import { hasHiddenCharacters, isBlank, UNPRINTABLE } from './visibility.ts'

/** A UUID of any version (RFC 9562). Zod's own pattern would bring all its patterns into the bundle. */
export const UUID = /^[\da-fA-F]{8}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{12}$/

/** The message of a body in which no known field is sent. */
export const NO_FIELD = 'Informe ao menos um campo.'

const required = (label: string) => `O campo ${label} é obrigatório.`

/**
 * A refinement after which a value is checked no further. Unlike zod's `abort`, which also skips the checks of the
 * object around the field, it leaves those to run: one 422 reports everything.
 */
export function refineOrStop<Value>(holds: (value: Value) => boolean, message: string) {
  return z.check<Value>(({ value, issues }) => {
    if (!holds(value)) issues.push({ code: 'custom', message, input: value })
  })
}

/**
 * A rule between fields, checked where each of them is valid by itself, whatever is wrong with others.
 *
 * @param path the field that the message is about; none where it is about the whole body
 */
export function crossField<Fields extends object>(
  fields: (keyof Fields & string)[],
  holds: (values: Fields) => boolean,
  error: string,
  path?: keyof Fields & string,
) {
  return z.refine<Fields>(holds, {
    error,
    path: path ? [path] : [],
    when: ({ issues }) => !issues.some((issue) => (fields as unknown[]).includes(issue.path?.[0])),
  })
}

/**
 * At most so many characters, counted as the contract does: in code points. Beside it, as beside every rule
 * that is code, stands what JSON Schema can say of it: the OpenAPI document is made from the schemas.
 */
export function atMost(max: number, message: string) {
  return [
    refineOrStop<string>((value) => [...value].length <= max, message),
    z.meta({ maxLength: max }),
  ] as const
}

/** A text in NFC and without space around it; the message of another type names the field by its label. */
const trimmed = (label: string) =>
  z
    .string({
      error: ({ input }) => (input == null ? required(label) : `O campo ${label} deve ser um texto.`),
    })
    .check(z.trim(), z.normalize('NFC'))

const lineChecks = (label: string, max: number) =>
  [
    z.refine<string>(
      (value) => !UNPRINTABLE.test(value) && !hasHiddenCharacters(value),
      `O campo ${label} contém caracteres inválidos.`,
    ),
    ...atMost(max, `O campo ${label} deve ter no máximo ${max} caracteres.`),
  ] as const

/**
 * A line of text: trimmed, NFC-normalised, without control characters and hidden ones. The messages name the field by
 * its label. An absent value is reported as missing, which matters only where the field is required.
 */
export function text(label: string, max: number) {
  return trimmed(label).check(...lineChecks(label, max))
}

/** A line of text that must be there and not be blank. */
export function requiredText(label: string, max: number) {
  return trimmed(label).check(
    refineOrStop((value) => !isBlank(value), required(label)),
    z.meta({ minLength: 1 }),
    ...lineChecks(label, max),
  )
}

/** A line of text that may be left blank, which means none: null. */
export function blankableText(label: string, max: number) {
  return z.pipe(
    trimmed(label).check(
      z.overwrite((value) => (isBlank(value) ? '' : value)),
      ...lineChecks(label, max),
    ),
    z.transform((value) => value || null),
  )
}

/** Absent and null mean not sent: null. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? null),
  )
}
