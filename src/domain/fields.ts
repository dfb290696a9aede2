import * as z from 'zod/mini'

/** A control character, or half of a surrogate pair, which no database could give back. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u

/** Whether a reader would see anything of a text. */
export const isVisible = (text: string) => /[^\p{C}\p{Z}\p{M}]/u.test(text)

const required = (label: string) => `O campo ${label} é obrigatório.`

/**
 * At most so many characters, counted as the contract does: in code points. Beside it, as beside every rule
 * that is code, stands what JSON Schema can say of it: the OpenAPI document is made from the schemas.
 */
export function atMost(max: number, message: string) {
  return [
    z.refine<string>((value) => [...value].length <= max, { error: message, abort: true }),
    z.meta({ maxLength: max }),
  ] as const
}

/**
 * A line of text: trimmed, NFC-normalised, without control characters. The texts name the field by its
 * label. An absent value is told as missing, which matters only where the field is required.
 */
export function text(label: string, max: number) {
  return z
    .string({
      error: ({ input }) => (input == null ? required(label) : `O campo ${label} deve ser um texto.`),
    })
    .check(
      z.trim(),
      z.normalize('NFC'),
      z.refine((value) => !UNPRINTABLE.test(value), `O campo ${label} contém caracteres inválidos.`),
      ...atMost(max, `O campo ${label} deve ter no máximo ${max} caracteres.`),
    )
}

/** A line of text that must be there and not be blank. */
export function requiredText(label: string, max: number) {
  return text(label, max).check(
    z.refine((value) => UNPRINTABLE.test(value) || isVisible(value), { error: required(label), abort: true }),
    z.meta({ minLength: 1 }),
  )
}

/** Absent and null mean not sent: null. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? null),
  )
}

/** A line of text that may be left blank, which means none: null. */
export function blankableText(label: string, max: number) {
  return z.pipe(
    text(label, max),
    z.transform((value) => value || null),
  )
}
