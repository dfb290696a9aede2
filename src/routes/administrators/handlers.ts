import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { changesIdentifier, findErrors, findNewErrors } from './credentials.ts'
import type { Administrator } from './openapi.ts'
import {
  administratorsQuery,
  createAdministratorBody,
  updateAdministratorBody,
} from './schemas.ts'
import { disableSecondFactor } from '#database/accounts/second-factors.ts'
import { endSessions } from '#database/accounts/sessions.ts'
import { isExpected } from '#database/users/concurrent-changes.ts'
import { createUser } from '#database/users/create.ts'
import { deleteUser } from '#database/users/delete.ts'
import { listUsers } from '#database/users/search.ts'
import { updateUser } from '#database/users/update.ts'
import { getUser, type UserRow } from '#database/users/user-row.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import { findProofErrors, proofBody, verifyProof } from '#http/authentication/proof.ts'
import { requireLoginAdmin } from '#http/authentication/reauthentication.ts'
import {
  actorOf,
  type CallerContext,
  type CallerEnv,
  requireAdmin,
} from '#http/guards.ts'
import { checkAgain } from '#http/request/body-checks.ts'
import { expectedRevisions, setEntityTag } from '#http/request/entity-tags.ts'
import {
  idempotencyKeysOf,
  refuseRepetition,
  repeatable,
} from '#http/request/idempotency.ts'
import { uuidParam } from '#http/request/paths.ts'
import {
  changeRulesOf,
  hashSentPassword,
  updateRulesOf,
} from '#http/request/user-changes.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { personOf } from '#http/response/person.ts'
import { reply } from '#routes/reply.ts'

const ONE = '/:administrator'
const SESSIONS = '/:administrator/sessions'
const SECOND_FACTOR = '/:administrator/second-factor'

/** The id of the path: UUIDs are case-insensitive. */
const idOf = uuidParam('administrator')

const isOneself = (c: CallerContext) => idOf(c) === c.get('caller').id

/** Refuses to delete oneself, before the body. @throws {ApiError} 412, 409 */
const refuseOneself = createMiddleware<CallerEnv>(async (c, next) => {
  if (isOneself(c)) {
    const self = await getUser(c.get('db'), 'administrator', idOf(c))
    const isCurrent = !self || isExpected(self, expectedRevisions(c))
    throw isCurrent ? errors.ownAccount() : errors.changedSinceRead()
  }
  await next()
})

/** Refuses to disable one's own second factor here, before the body. @throws {ApiError} 409 */
const refuseOwnSecondFactor = createMiddleware<CallerEnv>(async (c, next) => {
  if (isOneself(c)) throw errors.ownSecondFactor()
  await next()
})

/** An administrator as responses show one. */
const toAdministrator = (row: UserRow): Administrator => ({
  ...personOf(row),
  is_email_verified: row.is_email_verified,
  has_password: row.has_password,
  has_second_factor: row.has_second_factor,
})

function createdResponse(
  c: Pick<Context, 'header' | 'json' | 'status'>,
  administrator: UserRow,
) {
  c.status(201)
  setEntityTag(c, administrator)
  return reply<'POST /v1/administrators'>(c, {
    data: toAdministrator(administrator),
    message: messages.administratorCreated,
    email_verification_required: administrator.email_verification_required,
  })
}

/** Managing administrators, by each other. */
export const administrators = new Hono<AppEnv>()
  .get('/', requireAdmin('login'), validQuery(administratorsQuery), async (c) => {
    const { page, per_page: perPage, search } = c.req.valid('query')
    const { rows, total } = await listUsers(
      c.get('db'),
      'administrator',
      { search },
      { page, perPage },
    )

    return reply<'GET /v1/administrators'>(c, {
      data: rows.map(toAdministrator),
      pagination: paginationOf({ page, perPage }, total),
    })
  })
  .post(
    '/',
    requireLoginAdmin,
    jsonBody(),
    limitHashing,
    repeatable(async (c, id) => {
      const administrator = await getUser(c.get('db'), 'administrator', id, actorOf(c))
      return administrator && createdResponse(c, administrator)
    }),
    validBody(createAdministratorBody, findNewErrors),
    async (c) => {
      await refuseRepetition(c)
      await verifyProof(c)

      const { current_password: _, code: __, ...body } = c.req.valid('json')
      const { password, ...person } = body
      // without a password, they get a link to set one
      const email_verification_required =
        password == null || c.get('settings').REQUIRE_EMAIL_VERIFICATION

      const user = {
        ...person,
        id: crypto.randomUUID(),
        password_hash: await hashSentPassword(password),
        email_verification_required,
      }

      const administrator = await createUser(
        c.get('db'),
        'administrator',
        user,
        [],
        actorOf(c),
        idempotencyKeysOf(c),
      ).catch(checkAgain(c, findNewErrors, body))
      return createdResponse(c, administrator)
    },
  )
  .get(ONE, requireAdmin('login'), async (c) => {
    const administrator = await getUser(c.get('db'), 'administrator', idOf(c))
    if (!administrator) throw errors.administratorNotFound()

    setEntityTag(c, administrator)
    return reply<'GET /v1/administrators/:administrator'>(c, {
      data: toAdministrator(administrator),
    })
  })
  .patch(
    ONE,
    requireLoginAdmin,
    jsonBody(),
    limitHashing,
    validBody(updateAdministratorBody, findErrors),
    async (c) => {
      const { current_password: _, code: __, ...body } = c.req.valid('json')
      const { password, is_email_verified, ...fields } = body
      let proof: Promise<void> | undefined
      const prove = () => (proof ??= verifyProof(c))
      if (password !== undefined) await prove()

      const changes = { ...fields, password_hash: await hashSentPassword(password) }
      const rules = {
        ...updateRulesOf(c, { is_email_verified }),
        async authorize(current: UserRow | null) {
          if (changesIdentifier(fields, current)) await prove()
        },
      }

      const update = await updateUser(
        c.get('db'),
        'administrator',
        idOf(c),
        changes,
        rules,
        actorOf(c),
      ).catch(checkAgain(c, findErrors, body))
      if (update.outcome === 'gone') throw errors.administratorNotFound()
      if (update.outcome === 'changed since') throw errors.changedSinceRead()

      setEntityTag(c, update.user)
      return reply<'PATCH /v1/administrators/:administrator'>(c, {
        data: toAdministrator(update.user),
        message: messages.administratorUpdated,
      })
    },
  )
  .delete(
    ONE,
    requireLoginAdmin,
    refuseOneself,
    jsonBody(),
    limitHashing,
    validBody(proofBody, findProofErrors),
    async (c) => {
      await verifyProof(c)

      const { outcome } = await deleteUser(
        c.get('db'),
        'administrator',
        idOf(c),
        changeRulesOf(c),
        actorOf(c),
      )
      if (outcome === 'gone') throw errors.administratorNotFound()
      if (outcome === 'changed since') throw errors.changedSinceRead()

      return reply<'DELETE /v1/administrators/:administrator'>(c, {
        message: messages.administratorDeleted,
      })
    },
  )
  .delete(SESSIONS, requireAdmin('login'), async (c) => {
    const isFound = await endSessions(c.get('db'), 'administrator', idOf(c), actorOf(c))
    if (!isFound) throw errors.administratorNotFound()

    return reply<'DELETE /v1/administrators/:administrator/sessions'>(c, {
      message: messages.sessionsEnded,
    })
  })
  .delete(
    SECOND_FACTOR,
    requireLoginAdmin,
    refuseOwnSecondFactor,
    jsonBody(),
    limitHashing,
    validBody(proofBody, findProofErrors),
    async (c) => {
      await verifyProof(c)

      const administrator = await disableSecondFactor(c.get('db'), idOf(c), actorOf(c))
      if (!administrator) throw errors.administratorNotFound()

      setEntityTag(c, administrator)
      return reply<'DELETE /v1/administrators/:administrator/second-factor'>(c, {
        data: toAdministrator(administrator),
      })
    },
  )
