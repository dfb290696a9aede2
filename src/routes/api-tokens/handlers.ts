import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import type { ApiToken } from './openapi.ts'
import { apiTokensQuery, createApiTokenBody } from './schemas.ts'
import { countCode, takeBackLater } from '#accounts/counted-attempts.ts'
import { limitHashing } from '#accounts/hashing-limit.ts'
import {
  findOwnCodeStep,
  INVALID_CODE,
  type LoginUserEnv,
  requireLoginUser,
  verifyOwnPassword,
  WRONG_PASSWORD,
} from '#accounts/reauthentication.ts'
import {
  type ApiTokenRow,
  createApiToken,
  deleteApiToken,
  getApiToken,
  listApiTokens,
} from '#database/accounts/api-tokens.ts'
import { toApiToken } from '#domain/api-tokens.ts'
import { fullName } from '#domain/names.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import {
  actorOf,
  administratorsOnly,
  requireAdmin,
  requireSecondFactor,
} from '#http/guards.ts'
import { requiredMessage } from '#http/request/fields.ts'
import { uuidParam } from '#http/request/paths.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { errors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { digest } from '#security/hashes.ts'
import { randomToken } from '#security/random-token.ts'

const ONE = '/:api_token'

const idOf = uuidParam('api_token')

/** An API token as responses show one. */
const show = ({
  first_name,
  last_name,
  created_by,
  ...token
}: ApiTokenRow): ApiToken => ({
  id: token.id,
  name: token.name,
  scopes: token.scopes,
  created_by: { id: created_by, full_name: fullName({ first_name, last_name }) },
  created_at: token.created_at,
  expires_on: token.expires_on,
  last_used_on: token.last_used_on,
})

const MISSING_CODE = { code: [requiredMessage('código')] }

/**
 * Verifies the caller's password and, if a second factor is enabled, a code. A wrong one counts as
 * a failed login.
 * @returns the attempt, and the time step of the code; null without a second factor
 */
async function reauthenticate(
  c: Context<LoginUserEnv>,
  { current_password, code }: z.output<typeof createApiTokenBody>,
) {
  const { attempt, matches } = await verifyOwnPassword(c, current_password)
  if (!matches) throw new ValidationError(WRONG_PASSWORD)
  if (c.get('user').second_factor_enabled_at === null) return { attempt, step: null }

  if (!code) {
    takeBackLater(c, attempt) // this 422 discloses that the password is right
    throw new ValidationError(MISSING_CODE)
  }
  const step = await findOwnCodeStep(c, code, attempt)
  if (step === null) throw new ValidationError(INVALID_CODE)
  return { attempt, step }
}

/** The API tokens of programs, managed by administrators. */
export const apiTokens = new Hono<AppEnv>()
  .get('/', requireAdmin('login'), validQuery(apiTokensQuery), async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const { rows, total } = await listApiTokens(c.get('db'), { page, perPage })

    return reply(c, 'GET /v1/api-tokens', {
      data: rows.map(show),
      pagination: paginationOf({ page, perPage }, total),
    })
  })
  .post(
    '/',
    requireLoginUser,
    requireSecondFactor,
    administratorsOnly,
    jsonBody(),
    limitHashing,
    validBody(createApiTokenBody),
    async (c) => {
      const body = c.req.valid('json')
      const { attempt, step } = await reauthenticate(c, body) // if everything else is valid
      const { db, user } = c.var
      const token = toApiToken(randomToken())
      const created = await createApiToken(
        db,
        user,
        {
          id: crypto.randomUUID(),
          token_hash: await digest(token),
          name: body.name,
          scopes: body.scopes,
          expires_on: body.expires_on,
        },
        step,
        actorOf(c),
      )
      if (!created) {
        await countCode(c, user, attempt)
        throw new ValidationError(INVALID_CODE)
      }
      takeBackLater(c, attempt)

      c.status(201)
      return reply(c, 'POST /v1/api-tokens', {
        data: { ...show(created), token },
        message: messages.apiTokenCreated,
      })
    },
  )
  .get(ONE, requireAdmin('login'), async (c) => {
    const token = await getApiToken(c.get('db'), idOf(c))
    if (!token) throw errors.apiTokenNotFound()

    return reply(c, 'GET /v1/api-tokens/:api_token', {
      data: show(token),
    })
  })
  .delete(ONE, requireAdmin('login'), async (c) => {
    const isDeleted = await deleteApiToken(c.get('db'), idOf(c), actorOf(c))
    if (!isDeleted) throw errors.apiTokenNotFound()

    return reply(c, 'DELETE /v1/api-tokens/:api_token', {
      message: messages.apiTokenDeleted,
    })
  })
