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

/** A UUID in any case. */
export const uuid = (message: string) =>
  z.string(message).check(z.trim(), z.toLowerCase(), z.regex(UUID, message))

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

/** The checks of a required string that may be blank. */
export const notEmpty = (label: string) =>
  [
    z.refine<string>((value) => value !== '', requiredMessage(label)),
    z.meta({ minLength: 1 }),
  ] as const

/**
 * A refinement that stops further checks of the value. Unlike zod's `abort`, it does not skip the
 * checks of the enclosing object, so one 422 reports everything.
 */
export function refineOrStop<Value>(holds: (value: Value) => boolean, message: string) {
  return z.check<Value>(({ value, issues }) => {
    if (!holds(value)) issues.push({ code: 'custom', message, input: value })
  })
}

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

/**
 * A maximum length in code points (docs/rules.md#texts). Rules in code carry their JSON Schema
 * equivalent as metadata, because the OpenAPI document is generated from the schemas.
 */
export function maxCodePoints(max: number, message: string) {
  return [
    refineOrStop<string>((value) => [...value].length <= max, message),
    z.meta({ maxLength: max }),
  ] as const
}

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
  return z.pipe(checkLength, list.check(z.meta({ maxItems: max })))
}

/** The message for a text of too many characters. */
export const tooLongMessage = (label: string, max: number) =>
  `O campo ${label} deve ter no máximo ${String(max).replace(/\B(?=\d{3}$)/, '.')} caracteres.`

const invalidMessage = (label: string) => `O campo ${label} contém caracteres inválidos.`

/** A string without format characters, trimmed, in NFC and of limited length. */
export const trimmedText = (label: string, max: number) =>
  stringField(label).check(
    z.overwrite(withoutFormatCharacters),
    z.trim(),
    refineOrStop(isStreamSafe, invalidMessage(label)),
    z.normalize('NFC'),
    ...maxCodePoints(max, tooLongMessage(label, max)),
  )

/** A text of only invalid characters is refused for those, not as blank. */
const notBlank = (label: string, invalid = CONTROL_CHARACTER) => {
  const isGiven = (value: string) => isVisible(value) || invalid.test(value)
  return [
    refineOrStop(isGiven, requiredMessage(label)),
    z.meta({ minLength: 1 }),
  ] as const
}

const withoutInvalid = (label: string, invalid = CONTROL_CHARACTER) =>
  z.refine<string>((value) => !invalid.test(value), invalidMessage(label))

/** A single-line text: trimmed, in NFC, without control or hidden characters. */
export const text = (label: string, max: number) =>
  trimmedText(label, max).check(withoutInvalid(label))

/** A required single-line text that is not blank. */
export const requiredText = (label: string, max: number) =>
  trimmedText(label, max).check(...notBlank(label), withoutInvalid(label))

/** A control character other than tabs and line breaks, or a lone surrogate. */
const INVALID_IN_LINES = /[^\t\n\r -~\u00A0-\uD7FF\uE000-\u{10FFFF}]/u

/** A required text that may contain tabs and line breaks. */
export const multilineText = (label: string, max: number) =>
  trimmedText(label, max).check(
    ...notBlank(label, INVALID_IN_LINES),
    withoutInvalid(label, INVALID_IN_LINES),
  )

/** A single-line text; blank becomes null. */
export const optionalText = (label: string, max: number) =>
  z.pipe(
    trimmedText(label, max).check(
      z.overwrite((value) => (isBlank(value) ? '' : value)),
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
  z.object({ ...shape, ...(beside as Beside) }).check(
    z.refine(
      (changes: Record<string, unknown>) =>
        Object.keys(shape).some((field) => changes[field] !== undefined),
      NO_FIELD,
    ),
    z.meta({ minProperties: 1 }),
  )
