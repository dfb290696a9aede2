import * as z from 'zod/mini'
import { isExpiryDay, isScope, SCOPES } from '#domain/api-tokens.ts'
import {
  documented,
  refine,
  refineOrStop,
  requiredMessage,
  requiredText,
} from '#http/request/fields.ts'
import { pageParameters } from '#http/request/query-parameters.ts'
import { codeText, currentPassword } from '#routes/auth/schemas.ts'

const NO_SCOPE = 'Informe ao menos um escopo.'
const UNKNOWN_SCOPE = 'Há escopos que não existem.'

/** Scopes in their order, each once. */
const scopes = z.pipe(
  documented(
    z.array(z.unknown(), NO_SCOPE).check(
      refineOrStop((sent) => sent.length > 0, NO_SCOPE),
      refine((sent) => sent.every(isScope), UNKNOWN_SCOPE),
    ),
    {
      items: { type: 'string', enum: SCOPES },
      minItems: 1,
      description: 'O que o programa pode fazer.',
    },
  ),
  z.transform((sent) => SCOPES.filter((scope) => sent.includes(scope))),
)

const NO_EXPIRY = requiredMessage('validade')
const WRONG_EXPIRY = 'A validade deve ser uma data de hoje até daqui a 366 dias.'

/** Returns whether an expiry is given, of any type: neither null nor blank. */
const isGiven = (value: unknown) =>
  value != null && !(typeof value === 'string' && value.trim() === '')

const expiresOn = documented(
  z.string({ error: ({ input }) => (isGiven(input) ? WRONG_EXPIRY : NO_EXPIRY) }).check(
    refineOrStop(isGiven, NO_EXPIRY),
    refine((day) => isExpiryDay(day, new Date()), WRONG_EXPIRY),
  ),
  {
    format: 'date',
    description: 'O último dia em que o token vale (UTC), de hoje até daqui a 366 dias.',
  },
)

/** The body of POST /api-tokens. */
export const createApiTokenBody = z.object({
  current_password: currentPassword,
  code: z.nullish(codeText),
  name: requiredText('nome', 255),
  scopes,
  expires_on: expiresOn,
})

/** The query of GET /api-tokens. */
export const apiTokensQuery = z.object(pageParameters())
