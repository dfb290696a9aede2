import * as z from 'zod/mini'
import {
  maxCodePoints,
  notEmpty,
  optionalText,
  refineOrStop,
  requiredText,
  stringField,
  text,
  tooLongMessage,
} from './fields.ts'
import { isCpf } from '#domain/cpf.ts'
import { EMAIL_ADDRESS } from '#domain/email-address.ts'
import { unicodePattern } from '#domain/unicode-pattern.ts'

export const firstName = requiredText('nome', 100)
export const lastName = optionalText('sobrenome', 150)
export const phone = optionalText('telefone', 30)

/** Stored in lower case, therefore case-insensitive. */
export const email = text('email', 254).check(
  z.refine((value) => EMAIL_ADDRESS.test(value), 'O email deve ter um formato válido.'),
  z.meta({ format: 'email' }), // a JSON Schema pattern would be case-sensitive
  z.toLowerCase(),
  z.describe('Não diferencia maiúsculas de minúsculas.'),
)

const CPF_DIGITS = /^[0-9]{11}$/
const CPF_FORM_MESSAGE = 'O CPF deve conter exatamente 11 dígitos numéricos.'

/** Not trimmed. */
export const cpf = z.string(CPF_FORM_MESSAGE).check(
  refineOrStop((value) => CPF_DIGITS.test(value), CPF_FORM_MESSAGE),
  z.meta({ pattern: CPF_DIGITS.source }),
  z.refine(isCpf, 'O CPF informado é inválido.'),
  z.describe('Os onze dígitos, sem pontos nem traço.'),
)

/** No `i` flag, because JSON Schema patterns have no flags. */
const HTTP_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/.+$/
const IMAGE_URL_MESSAGE = 'A URL da imagem deve ser válida.'

const MAX_IMAGE_URL = 2048

const isImageUrl = (value: string) => {
  const url = HTTP_URL.test(value) ? URL.parse(value) : null
  return url !== null && url.username === '' && url.password === ''
}

/** An address as the URL standard writes it, without credentials. */
export const imageUrl = text('URL da imagem', MAX_IMAGE_URL).check(
  refineOrStop(isImageUrl, IMAGE_URL_MESSAGE),
  z.overwrite((value) => URL.parse(value)?.href ?? value),
  ...maxCodePoints(MAX_IMAGE_URL, tooLongMessage('URL da imagem', MAX_IMAGE_URL)),
  z.meta({
    pattern: HTTP_URL.source,
    description: 'O endereço http ou https da foto.',
  }),
)

const MIN_PASSWORD = 6
const MAX_PASSWORD = 128
const SHORT_MESSAGE = `A senha deve ter pelo menos ${MIN_PASSWORD} caracteres.`
const CLASSES_MESSAGE =
  'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'

/** The message for a password that meets the rules but is easy to guess. */
export const GUESSABLE_MESSAGE = 'Esta senha é fácil de adivinhar: escolha outra.'

const upperCase = unicodePattern(String.raw`\p{Lu}`)
const lowerCase = unicodePattern(String.raw`\p{Ll}`)

const hasAllClasses = (value: string) =>
  upperCase().test(value) && lowerCase().test(value) && /[0-9]/.test(value)

/** Passwords that differ only in these characters would have the same hash. */
const hasNullOrLoneSurrogate = (value: string) =>
  value.includes('\0') || !value.isWellFormed()

/** A new password. Not trimmed. */
export const password = stringField('senha').check(
  z.refine((value) => [...value].length >= MIN_PASSWORD, SHORT_MESSAGE),
  z.meta({ minLength: MIN_PASSWORD }),
  z.refine(hasAllClasses, CLASSES_MESSAGE),
  // not every client supports the pattern \p{Lu}
  z.meta({ format: 'password', description: CLASSES_MESSAGE }),
  z.refine(
    (value) => !hasNullOrLoneSurrogate(value),
    'A senha contém caracteres inválidos.',
  ),
  ...maxCodePoints(
    MAX_PASSWORD,
    `A senha deve ter no máximo ${MAX_PASSWORD} caracteres.`,
  ),
)

/** A password to verify: any non-empty string. */
export const submittedPassword = (label: string) =>
  stringField(label).check(...notEmpty(label))

/** The fields of every user besides first name and email. Null removes a value. */
export const personFields = {
  last_name: z.nullish(lastName),
  password: z.nullish(password),
  cpf: z.nullish(cpf),
  phone: z.nullish(phone),
  img_url: z.nullish(imageUrl),
}

/** Messages for rules that only the database can check: uniqueness and references. */
export const PERSON_MESSAGES = {
  email: 'Este email já está cadastrado no sistema.',
  cpf: 'Este CPF já está cadastrado no sistema.',
  treatment_pronoun_id: 'O pronome de tratamento selecionado é inválido.',
  category_id: 'A categoria selecionada é inválida.',
  diocese_id: 'A diocese selecionada é inválida.',
  group_id: 'O grupo selecionado é inválido.',
  group_ids: 'Um dos grupos selecionados é inválido.',
  is_email_verified: 'O email só pode ser marcado como confirmado.',
} as const

/** In a PATCH: true confirms the address; false changes nothing if it is not confirmed. */
export const isEmailVerified = z
  .pipe(
    z.nullish(z.boolean(PERSON_MESSAGES.is_email_verified)),
    z.transform((value) => value ?? undefined),
  )
  .check(
    z.describe(
      '`true` confirma um endereço que a secretaria sabe estar certo. `false` não altera ' +
        'nada, e só vale se o email não está confirmado.',
    ),
  )
