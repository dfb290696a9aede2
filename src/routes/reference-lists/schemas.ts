import * as z from 'zod/mini'
import { APOSTROPHES } from '#domain/folding.ts'
import { MAX_REFERENCES_PER_PAGE } from '#domain/pagination.ts'
import { unicodePattern } from '#domain/unicode-pattern.ts'
import {
  multilineText,
  patchOf,
  requiredMessage,
  requiredString,
  requiredText,
} from '#http/request/fields.ts'
import {
  booleanParameter,
  pageParameters,
  searchParameter,
} from '#http/request/query-parameters.ts'

export const name = requiredText('nome', 255)

/** A full stop only where no mail program takes the words around it for an address. */
const pronoun = unicodePattern(
  String.raw`^(?:[\p{L}\p{M}\p{Zs}()\-]|${APOSTROPHES.source}|\.(?=[\p{Zs}ªº]|$))*$`,
)

/** A treatment pronoun opens the emails, so it says nothing else. */
export const pronounName = requiredText('nome', 60).check(
  z.refine(
    (value) => pronoun().test(value),
    'O nome deve ter só letras, espaços e pontos.',
  ),
  z.describe(
    'Abre os emails: só letras, espaços, hifens, apóstrofos, parênteses e pontos.',
  ),
)

export const description = multilineText('descrição', 2000)

export const active = z
  .boolean('O campo ativo deve ser verdadeiro ou falso.')
  .check(
    z.describe(
      'Um registro inativo não pode mais ser escolhido; um novo é ativo por padrão.',
    ),
  )

const STATE_MESSAGE = 'O campo estado deve ser a sigla de um estado.'

export const state = requiredString(requiredMessage('estado'), STATE_MESSAGE).check(
  z.trim(),
  z.regex(/^[A-Z]{2}$/, STATE_MESSAGE),
  z.describe('A sigla do estado, como `SP`.'),
)

type Fields = Record<string, z.ZodMiniType>
type NamedFields = Fields & { name: typeof name }

/** The body of a POST, with the fields of a list. */
export const createBodyOf = (fields: NamedFields) =>
  z.object({ ...fields, active: z.nullish(active) })

/** The body of a PATCH (JSON Merge Patch, RFC 7396). */
export const updateBodyOf = (fields: NamedFields) =>
  patchOf(z.partial(z.object({ ...fields, active })).shape)

const STATE_PARAMETER_MESSAGE = 'O parâmetro state deve ser a sigla de um estado.'

/** A filter of the rows by their column `state`. */
export const stateParameter = z.optional(
  z
    .string(STATE_PARAMETER_MESSAGE)
    .check(
      z.regex(/^[A-Z]{2}$/, STATE_PARAMETER_MESSAGE),
      z.describe('Só as dioceses deste estado, pela sigla.'),
    ),
)

const activeParameter = booleanParameter(
  'active',
  ['true', 'false'],
  'Só os registros ativos ou só os inativos.',
)

/** The query of a list, with filters of its own by the names of their columns. */
export const listQueryOf = (filters: Fields) =>
  z.object({
    search: searchParameter,
    active: activeParameter,
    ...filters,
    ...pageParameters(MAX_REFERENCES_PER_PAGE),
  })

/** Messages for rules that only the database can check. */
export const REFERENCE_MESSAGES = { name: 'Este nome já está cadastrado.' }
