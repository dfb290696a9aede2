import * as z from 'zod/mini'
import { crossFieldRule, maxCodePoints, refineOrStop, UUID } from './fields.ts'
import { isStreamSafe } from '#domain/characters.ts'
import { fold } from '#domain/folding.ts'
import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from '#domain/pagination.ts'
import { isDate } from '#domain/timestamps.ts'
import { VERSION_PATTERN, type Version } from '#domain/versions.ts'

const MAX_SEARCH = 100
const BOOLEANS = { true: true, '1': true, false: false, '0': false } as const

/** `search` of a list: words of literal text, folded like the searched columns; '' matches all. */
export const searchParameter = z
  ._default(
    z.string('O parâmetro search deve ser um texto.').check(
      z.trim(),
      z.overwrite((text) => (isStreamSafe(text) ? text.normalize('NFC') : text)),
      ...maxCodePoints(
        MAX_SEARCH,
        `O parâmetro search deve ter no máximo ${MAX_SEARCH} caracteres.`,
      ),
      z.overwrite((text) => fold(text).trim()),
    ),
    '',
  )
  .check(
    z.meta({
      description:
        'Palavras ou partes delas, em qualquer ordem, sem distinção de maiúsculas e acentos: ' +
        '`emerito arcebispo` encontra `Arcebispo emérito`.',
      default: undefined, // it says nothing
    }),
  )

/** A positive integer in digits. The OpenAPI document shows an integer. */
function positiveInt(
  message: string,
  bounds: { maximum?: number; default?: number } = {},
) {
  const { maximum = Infinity } = bounds
  const isInBounds = (text: string) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= maximum
  return z.pipe(
    z
      .string(message)
      .check(
        refineOrStop(isInBounds, message),
        z.meta({ type: 'integer', minimum: 1, ...bounds }),
      ),
    // there are no rows or pages beyond safe integers
    z.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  )
}

const pageParameter = positiveInt(
  'O parâmetro page deve ser um número inteiro a partir de 1.',
  { default: 1 },
)

const perPageParameter = (maximum: number) =>
  positiveInt(`O parâmetro per_page deve ser um número inteiro de 1 a ${maximum}.`, {
    maximum,
    default: DEFAULT_PER_PAGE,
  })

/** The pagination parameters of a list whose pages have at most so many items. */
export const pageParameters = (maximum = MAX_PER_PAGE) => ({
  page: z
    ._default(pageParameter, 1)
    .check(z.describe('O número da página; o padrão é 1.')),
  per_page: z
    ._default(perPageParameter(maximum), DEFAULT_PER_PAGE)
    .check(z.describe('Itens por página; o padrão é 12.')),
})

/** An optional boolean in several spellings. The OpenAPI document shows a boolean. */
export function booleanParameter<const Spelling extends keyof typeof BOOLEANS>(
  name: string,
  spellings: Spelling[],
  description: string,
) {
  const choices = spellings.join(', ').replace(/, (\w+)$/, ' ou $1')
  const message = `O parâmetro ${name} deve ser ${choices}.`
  const flag = z.pipe(
    z.enum(spellings, message).check(z.meta({ type: 'boolean', enum: undefined })),
    z.transform((spelling) => BOOLEANS[spelling] as boolean),
  )
  return z.optional(flag).check(z.describe(description))
}

/** An optional UUID, case-insensitive. */
export function idParameter(name: string, description: string) {
  const message = `O parâmetro ${name} deve ser um UUID.`
  const id = z.string(message).check(z.toLowerCase(), z.regex(UUID, message))
  return z.optional(id).check(z.describe(description))
}

/** An optional enum. */
export function choiceParameter<const Choice extends string>(
  name: string,
  choices: readonly Choice[],
  description: string,
) {
  const message = `O parâmetro ${name} deve ser um destes: ${choices.join(', ')}.`
  return z.optional(z.enum(choices, message)).check(z.describe(description))
}

function day(name: string, description: string) {
  const message = `O parâmetro ${name} deve ser uma data real na forma AAAA-MM-DD.`
  const date = z
    .string(message)
    .check(z.refine(isDate, message), z.meta({ format: 'date' }))
  return z.optional(date).check(z.describe(description))
}

/** The parameters `date_from` and `date_to` of a list: dates, both inclusive. */
export const dateRangeParameters = () => ({
  date_from: day('date_from', 'A partir desta data (UTC).'),
  date_to: day('date_to', 'Até esta data (UTC).'),
})

/** Validates that `date_from` is not after `date_to`. */
export const dateRangeInOrder = () =>
  crossFieldRule<{ date_from?: string; date_to?: string }>(
    ['date_from', 'date_to'],
    ({ date_from, date_to }) => !date_from || !date_to || date_from <= date_to,
    'O parâmetro date_to deve ser igual ou posterior a date_from.',
    'date_to',
  )

const VERSION_MESSAGE =
  'O parâmetro version deve ter a forma v<maior>.<menor>.<correção>.'

/** An optional version such as `v1.10.0`. */
export const versionParameter = z
  .optional(
    z.pipe(
      z.string(VERSION_MESSAGE).check(z.regex(VERSION_PATTERN, VERSION_MESSAGE)),
      z.transform((text) => text as Version), // guaranteed by the pattern
    ),
  )
  .check(z.describe('Só os registros desta versão, como `v1.2.0`.'))

/** An optional id of a reference list. */
export function referenceIdParameter(name: string, description: string) {
  const message = `O parâmetro ${name} deve ser um número inteiro positivo.`
  return z.optional(positiveInt(message)).check(z.describe(description))
}
