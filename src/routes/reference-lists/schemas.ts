import * as z from 'zod/mini'
import {
  multilineText,
  patchOf,
  requiredMessage,
  requiredString,
  requiredText,
} from '../../http/fields.ts'
import {
  booleanParameter,
  pageParameters,
  searchParameter,
} from '../../http/query-parameters.ts'

const name = requiredText('nome', 255)
const description = multilineText('descrição', 2000)
const active = z
  .boolean('O campo ativo deve ser verdadeiro ou falso.')
  .check(
    z.describe('Um inativo não pode mais ser escolhido; um novo, por padrão, é ativo.'),
  )

const STATE_MESSAGE = 'O campo estado deve ser a sigla de um estado.'

const state = requiredString(requiredMessage('estado'), STATE_MESSAGE).check(
  z.trim(),
  z.regex(/^[A-Z]{2}$/, STATE_MESSAGE),
  z.describe('A sigla do estado, como `SP`.'),
)

/** The body of a POST of a category or a treatment pronoun. */
export const createDescribedBody = z.object({
  name,
  description,
  active: z.nullish(active),
})

/** The body of a PATCH of one (JSON Merge Patch, RFC 7396). */
export const updateDescribedBody = patchOf({
  name: z.optional(name),
  description: z.optional(description),
  active: z.optional(active),
})

/** The body of a POST of a diocese. */
export const createDioceseBody = z.object({
  name,
  state,
  active: z.nullish(active),
})

/** The body of a PATCH of one (JSON Merge Patch, RFC 7396). */
export const updateDioceseBody = patchOf({
  name: z.optional(name),
  state: z.optional(state),
  active: z.optional(active),
})

/** The parameters that the three queries share. */
const listParameters = {
  search: searchParameter,
  active: booleanParameter(
    'active',
    ['true', 'false'],
    'Só os ativos, ou só os inativos.',
  ),
  ...pageParameters,
}

const STATE_PARAMETER_MESSAGE = 'O parâmetro state deve ser a sigla de um estado.'

const stateParameter = z
  .string(STATE_PARAMETER_MESSAGE)
  .check(
    z.regex(/^[A-Z]{2}$/, STATE_PARAMETER_MESSAGE),
    z.describe('Só as deste estado, pela sigla.'),
  )

/** The query of GET /categories and GET /treatment-pronouns. */
export const describedListQuery = z.object(listParameters)

/** The query of GET /dioceses. */
export const diocesesQuery = z.object({
  ...listParameters,
  state: z.optional(stateParameter),
})

/** Messages for rules that only the database can check. */
export const REFERENCE_MESSAGES = {
  name: 'Este nome já está cadastrado.',
  body: 'A lista não pode passar de 10.000 registros nem de 4 MB de texto.',
}
