import * as z from 'zod/mini'
import {
  CONTROL_CHARACTER,
  isBlank,
  isStreamSafe,
  isVisible,
  withoutFormatCharacters,
} from '#domain/characters.ts'

/** A UUID of any version (RFC 9562). Zod's own pattern would add all its patterns to the bundle. */
export const UUID =
  /^[\da-fA-F]{8}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{12}$/

// Checks are plain functions, and `documented` changes the schema it is given: each check of zod
// builds a schema, and `z.meta` copies one, at every start of an isolate.

type Check<Value> = z.core.CheckFn<Value> | z.core.$ZodCheck<Value>

/** A refinement. Like that of zod, it lets the next checks run, too. */
export const refine =
  <Value>(holds: (value: Value) => boolean, message: string): Check<Value> =>
  ({ value, issues }) => {
    if (!holds(value)) {
      issues.push({ code: 'custom', message, input: value, continue: true })
    }
  }

/**
 * A refinement that stops further checks of the value. Unlike zod's `abort`, it does not skip the
 * checks of the enclosing object, so one 422 reports everything.
 */
export const refineOrStop =
  <Value>(holds: (value: Value) => boolean, message: string): Check<Value> =>
  ({ value, issues }) => {
    if (!holds(value)) issues.push({ code: 'custom', message, input: value })
  }

/** Replaces the value. */
export const overwrite =
  <Value>(change: (value: Value) => Value): Check<Value> =>
  (payload) => {
    payload.value = change(payload.value)
  }

/** Adds to what the OpenAPI document, which is generated from the schemas, says of a new schema. */
export function documented<Schema extends z.ZodMiniType>(
  schema: Schema,
  metadata: z.core.GlobalMeta,
): Schema {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...metadata })
  return schema
}

/** A UUID in any case. */
export const uuid = (message: string) =>
  z.string(message).check(
    overwrite((text) => text.trim().toLowerCase()),
    z.regex(UUID, message),
  )

/** The message for a body without any known field. */
const NO_FIELD = 'Informe ao menos um campo.'

/** The message for a missing field, by its label. */
export const requiredMessage = (label: string) => `O campo ${label} é obrigatório.`

/** A string with another message if it is missing. */
export const requiredString = (missing: string, wrongType: string) =>
  z.string({ error: ({ input }) => (input == null ? missing : wrongType) })

/** A string as sent. A missing value is reported as missing, which only affects required fields. */
export const stringField = (label: string) =>
  requiredString(requiredMessage(label), `O campo ${label} deve ser um texto.`)

/** A required string that may be blank, after these checks. */
export const notEmptyString = (label: string, ...checks: Check<string>[]) =>
  documented(
    stringField(label).check(
      ...checks,
      refine((value) => value !== '', requiredMessage(label)),
    ),
    { minLength: 1 },
  )

/**
 * A rule across fields, checked if these fields are valid, even if others are not.
 * @param path the field of the message; omitted for the whole body
 */
export function crossFieldRule<Fields extends object>(
  fields: (keyof Fields & string)[],
  holds: (values: Fields) => boolean,
  error: string,
  path?: keyof Fields & string,
) {
  return z.refine<Fields>(holds, {
    error,
    path: path ? [path] : [],
    when: ({ issues }) =>
      !issues.some((issue) =>
        (fields as unknown[]) /* of any name */
          .includes(issue.path?.[0]),
      ),
  })
}

/** A maximum length in code points (docs/rules.md#texts). */
export const maxCodePoints = (max: number, message: string) =>
  refineOrStop<string>((value) => [...value].length <= max, message)

/** A list whose length is checked before its items: if it is too long, this is the only message. */
export function maxItems<Output, Input>(
  max: number,
  message: string,
  list: z.ZodMiniType<Output[], Input[]>,
) {
  const checkLength = z.transform((items: Input[], { issues }) => {
    const isTooLong = Array.isArray(items) && items.length > max
    if (isTooLong) issues.push({ code: 'custom', message, input: items })
    return items
  })
  return z.pipe(checkLength, documented(list, { maxItems: max }))
}

/** The message for a text of too many characters. */
export const tooLongMessage = (label: string, max: number) =>
  `O campo ${label} deve ter no máximo ${String(max).replace(/\B(?=\d{3}$)/, '.')} caracteres.`

const invalidMessage = (label: string) => `O campo ${label} contém caracteres inválidos.`

/** A string without format characters, trimmed, in NFC, of limited length, and with these checks. */
export const trimmedText = (label: string, max: number, ...checks: Check<string>[]) =>
  documented(
    stringField(label).check(
      overwrite((value) => withoutFormatCharacters(value).trim()),
      refineOrStop(isStreamSafe, invalidMessage(label)),
      overwrite((value) => value.normalize('NFC')),
      maxCodePoints(max, tooLongMessage(label, max)),
      ...checks,
    ),
    { maxLength: max },
  )

/** A text of only invalid characters is refused for those, not as blank. */
const notBlank = (label: string, invalid = CONTROL_CHARACTER) =>
  refineOrStop<string>(
    (value) => isVisible(value) || invalid.test(value),
    requiredMessage(label),
  )

const withoutInvalid = (label: string, invalid = CONTROL_CHARACTER) =>
  refine<string>((value) => !invalid.test(value), invalidMessage(label))

/** A single-line text: trimmed, in NFC, without control or hidden characters. */
export const text = (label: string, max: number, ...checks: Check<string>[]) =>
  trimmedText(label, max, withoutInvalid(label), ...checks)

/** A required single-line text that is not blank. */
export const requiredText = (label: string, max: number, ...checks: Check<string>[]) =>
  documented(trimmedText(label, max, notBlank(label), withoutInvalid(label), ...checks), {
    minLength: 1,
  })

/** A control character other than tabs and line breaks, or a lone surrogate. */
const INVALID_IN_LINES = /[^\t\n\r -~\u00A0-\uD7FF\uE000-\u{10FFFF}]/u

/** A required text that may contain tabs and line breaks. */
export const multilineText = (label: string, max: number) =>
  documented(
    trimmedText(
      label,
      max,
      notBlank(label, INVALID_IN_LINES),
      withoutInvalid(label, INVALID_IN_LINES),
    ),
    { minLength: 1 },
  )

/** A single-line text; blank becomes null. */
export const optionalText = (label: string, max: number) =>
  z.pipe(
    trimmedText(
      label,
      max,
      overwrite((value) => (isBlank(value) ? '' : value)),
      withoutInvalid(label),
    ),
    z.transform((value) => value || null),
  )

/**
 * The body of a JSON Merge Patch (RFC 7396): a missing field is unchanged; a body without any known
 * field is refused.
 * @param beside fields that change nothing by themselves
 */
export const patchOf = <
  Shape extends z.core.$ZodShape,
  Beside extends z.core.$ZodShape = Record<never, never>,
>(
  shape: Shape,
  beside?: Beside,
) =>
  documented(
    z
      .object({ ...shape, ...(beside as Beside) })
      .check(
        refine(
          (changes: Record<string, unknown>) =>
            Object.keys(shape).some((field) => changes[field] !== undefined),
          NO_FIELD,
        ),
      ),
    { minProperties: 1 },
  )
