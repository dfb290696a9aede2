import { Hono } from 'hono'
import type { ApiToken } from './openapi.ts'
import { apiTokensQuery, createApiTokenBody } from './schemas.ts'
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
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import { findProofErrors, verifyProof } from '#http/authentication/proof.ts'
import { requireLoginAdmin } from '#http/authentication/reauthentication.ts'
import { actorOf, requireAdmin } from '#http/guards.ts'
import { uuidParam } from '#http/request/paths.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { digest, randomToken } from '#security/hashes.ts'

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

/** The API tokens of programs, managed by administrators. */
export const apiTokens = new Hono<AppEnv>()
  .get('/', requireAdmin('login'), validQuery(apiTokensQuery), async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const { rows, total } = await listApiTokens(c.get('db'), { page, perPage })

    return reply<'GET /v1/api-tokens'>(c, {
      data: rows.map(show),
      pagination: paginationOf({ page, perPage }, total),
    })
  })
  .post(
    '/',
    requireLoginAdmin,
    jsonBody(),
    limitHashing,
    validBody(createApiTokenBody, findProofErrors),
    async (c) => {
      const { name, scopes, expires_on } = c.req.valid('json')
      await verifyProof(c)

      const token = toApiToken(randomToken())
      const { db, user } = c.var
      const created = await createApiToken(
        db,
        user,
        {
          id: crypto.randomUUID(),
          token_hash: await digest(token),
          name,
          scopes,
          expires_on,
        },
        actorOf(c),
      )

      c.status(201)
      return reply<'POST /v1/api-tokens'>(c, {
        data: { ...show(created), token },
        message: messages.apiTokenCreated,
      })
    },
  )
  .get(ONE, requireAdmin('login'), async (c) => {
    const token = await getApiToken(c.get('db'), idOf(c))
    if (!token) throw errors.apiTokenNotFound()

    return reply<'GET /v1/api-tokens/:api_token'>(c, {
      data: show(token),
    })
  })
  .delete(ONE, requireAdmin('login'), async (c) => {
    const isDeleted = await deleteApiToken(c.get('db'), idOf(c), actorOf(c))
    if (!isDeleted) throw errors.apiTokenNotFound()

    return reply<'DELETE /v1/api-tokens/:api_token'>(c, {
      message: messages.apiTokenDeleted,
    })
  })
