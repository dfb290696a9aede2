import * as z from 'zod/mini'
import { maxCodePoints, notEmpty, stringField } from './fields.ts'

const MIN_LENGTH = 6
const MAX_LENGTH = 128
const CLASSES_MESSAGE =
  'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'

/** A new password. Not trimmed. */
export const password = stringField('senha').check(
  z.refine(
    (value) => [...value].length >= MIN_LENGTH,
    `A senha deve ter pelo menos ${MIN_LENGTH} caracteres.`,
  ),
  z.meta({ minLength: MIN_LENGTH }),
  z.refine(
    (value) => /\p{Lu}/u.test(value) && /\p{Ll}/u.test(value) && /[0-9]/.test(value),
    CLASSES_MESSAGE,
  ),
  z.meta({ format: 'password', description: CLASSES_MESSAGE }), // not every client supports the pattern \p{Lu}
  ...maxCodePoints(MAX_LENGTH, `A senha deve ter no máximo ${MAX_LENGTH} caracteres.`),
)

/** A password to verify: any non-empty string. */
export const submittedPassword = (label: string) => stringField(label).check(...notEmpty(label))
