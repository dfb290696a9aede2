import * as z from 'zod/mini'
import { multilineText, patchOf, requiredMessage, requiredString, requiredText } from './fields.ts'

/** Messages for rules that only the database can check. */
export const REFERENCE_MESSAGES = {
  name: 'Este nome já está cadastrado.',
  body: 'A lista não pode passar de 10.000 registros nem de 4 MB de texto.',
}

const STATE_MESSAGE = 'O campo estado deve ser a sigla de um estado.'

const name = requiredText('nome', 255)
const described = { name, description: multilineText('descrição', 2000) }
const located = {
  name,
  state: requiredString(requiredMessage('estado'), STATE_MESSAGE).check(
    z.trim(),
    z.regex(/^[A-Z]{2}$/, STATE_MESSAGE),
  ),
}
const active = z.boolean('O campo ativo deve ser verdadeiro ou falso.')

/** The bodies of POST and PATCH for categories and treatment pronouns. */
export const createDescribedBody = z.object({ ...described, active: z.nullish(active) })
export const updateDescribedBody = patchOf(z.partial(z.object({ ...described, active })).shape)

/** The bodies of POST and PATCH for dioceses. */
export const createDioceseBody = z.object({ ...located, active: z.nullish(active) })
export const updateDioceseBody = patchOf(z.partial(z.object({ ...located, active })).shape)
