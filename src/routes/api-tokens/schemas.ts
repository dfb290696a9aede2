import * as z from 'zod/mini'
import { isExpiryDay, isScope, SCOPES } from '#domain/api-tokens.ts'
import { proofFields } from '#http/authentication/proof.ts'
import { refineOrStop, requiredMessage, requiredText } from '#http/request/fields.ts'
import { pageParameters } from '#http/request/query-parameters.ts'

const NO_SCOPE = 'Informe ao menos um escopo.'
const UNKNOWN_SCOPE = 'Há escopos que não existem.'

/** Scopes in their order, each once. */
const scopes = z.pipe(
  z.array(z.unknown(), NO_SCOPE).check(
    refineOrStop((sent) => sent.length > 0, NO_SCOPE),
    z.refine((sent) => sent.every(isScope), UNKNOWN_SCOPE),
    z.meta({
      items: { type: 'string', enum: SCOPES },
      minItems: 1,
      description: 'O que o programa pode fazer.',
    }),
  ),
  z.transform((sent) => SCOPES.filter((scope) => sent.includes(scope))),
)

const NO_EXPIRY = requiredMessage('validade')
const WRONG_EXPIRY = 'A validade deve ser uma data de hoje até daqui a 366 dias.'

/** Returns whether an expiry is given, of any type: neither null nor blank. */
const isGiven = (value: unknown) =>
  value != null && !(typeof value === 'string' && value.trim() === '')

const expiresOn = z
  .string({ error: ({ input }) => (isGiven(input) ? WRONG_EXPIRY : NO_EXPIRY) })
  .check(
    refineOrStop(isGiven, NO_EXPIRY),
    z.refine((day) => isExpiryDay(day, new Date()), WRONG_EXPIRY),
    z.meta({ format: 'date' }),
    z.describe('O último dia de validade (UTC), de hoje até daqui a 366 dias.'),
  )

/** The body of POST /api-tokens. */
export const createApiTokenBody = z.object({
  ...proofFields,
  name: requiredText('nome', 255),
  scopes,
  expires_on: expiresOn,
})

/** The query of GET /api-tokens. */
export const apiTokensQuery = z.object(pageParameters())
