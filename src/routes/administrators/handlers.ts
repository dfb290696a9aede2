import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import type { Administrator } from './openapi.ts'
import { currentPasswordErrors, verifyCurrentPasswordIfNeeded } from './own-account.ts'
import {
  administratorsQuery,
  createAdministratorBody,
  updateAdministratorBody,
} from './schemas.ts'
import { disableSecondFactor } from '#database/accounts/second-factors.ts'
import { endSessions } from '#database/accounts/sessions.ts'
import { findInvalidUserFields } from '#database/users/check.ts'
import { isExpected } from '#database/users/concurrent-changes.ts'
import { createUser } from '#database/users/create.ts'
import { deleteUser } from '#database/users/delete.ts'
import { listUsers } from '#database/users/search.ts'
import { updateUser } from '#database/users/update.ts'
import { getUser, type UserRow } from '#database/users/user-row.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import { guessablePasswordErrors } from '#http/authentication/chosen-passwords.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import {
  type LoginUserEnv,
  requireLoginUser,
} from '#http/authentication/reauthentication.ts'
import {
  actorOf,
  administratorsOnly,
  type CallerContext,
  type CallerEnv,
  requireAdmin,
  requireSecondFactor,
} from '#http/guards.ts'
import { type BodyCheck, checkAgain, messagesOf } from '#http/request/body-checks.ts'
import { expectedRevisions, setEntityTag } from '#http/request/entity-tags.ts'
import { idempotencyKeysOf, repeatable } from '#http/request/idempotency.ts'
import { uuidParam } from '#http/request/paths.ts'
import { PERSON_MESSAGES } from '#http/request/person-fields.ts'
import {
  changeRulesOf,
  hashSentPassword,
  updateRulesOf,
} from '#http/request/user-changes.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { errors, type FieldErrors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { personOf } from '#http/response/person.ts'
import { reply } from '#routes/reply.ts'

const ONE = '/:administrator'
const SESSIONS = '/:administrator/sessions'
const SECOND_FACTOR = '/:administrator/second-factor'

/** The id of the path: UUIDs are case-insensitive. */
const idOf = uuidParam('administrator')

const isOneself = (c: CallerContext) => idOf(c) === c.get('caller').id

/** Returns the id of the administrator that a PATCH changes; null for a new one. */
const changedId = (c: Pick<Context, 'req'>) => (c.req.method === 'POST' ? null : idOf(c))

type Fields = Partial<z.output<typeof updateAdministratorBody>>

async function findErrors(fields: Fields, c: Context): Promise<FieldErrors> {
  const invalid = await findInvalidUserFields(c.get('db'), fields, changedId(c))
  return {
    ...messagesOf(invalid, PERSON_MESSAGES),
    ...(await findPasswordErrors(fields, c)),
  }
}

const findUpdateErrors: BodyCheck<
  z.output<typeof updateAdministratorBody>,
  LoginUserEnv
> = async (fields, c) => ({
  ...(await findErrors(fields, c)),
  ...(isOneself(c) && (await currentPasswordErrors(fields, c))),
})

/**
 * Checks the password against the administrator's name and email as they will be after the call.
 */
async function findPasswordErrors({ password, ...fields }: Fields, c: Context) {
  if (password == null) return {}
  const id = changedId(c)
  const current = id ? await getUser(c.get('db'), 'administrator', id) : null
  return guessablePasswordErrors(password, { ...current, ...fields })
}

/** An administrator as responses show one. */
const toAdministrator = (row: UserRow): Administrator => ({
  ...personOf(row),
  is_email_verified: row.is_email_verified,
  has_password: row.has_password,
  has_second_factor: row.has_second_factor,
})

function createdResponse(c: Context<CallerEnv>, administrator: UserRow) {
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
    requireAdmin('login'),
    jsonBody(),
    limitHashing,
    repeatable(async (c, id) => {
      const administrator = await getUser(c.get('db'), 'administrator', id, actorOf(c))
      return administrator && createdResponse(c, administrator)
    }),
    validBody(createAdministratorBody, findErrors),
    async (c) => {
      const body = c.req.valid('json')
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
      ).catch(checkAgain(c, findErrors, body))
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
    requireLoginUser,
    requireSecondFactor,
    administratorsOnly,
    jsonBody(),
    limitHashing,
    validBody(updateAdministratorBody, findUpdateErrors),
    async (c) => {
      const sent = c.req.valid('json')
      if (isOneself(c)) await verifyCurrentPasswordIfNeeded(sent, c)

      const { current_password: _, ...body } = sent
      const { password, is_email_verified, ...fields } = body
      const changes = { ...fields, password_hash: await hashSentPassword(password) }
      const rules = updateRulesOf(c, { is_email_verified })

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
  .delete(ONE, requireAdmin('login'), async (c) => {
    const id = idOf(c)
    if (isOneself(c)) {
      const self = await getUser(c.get('db'), 'administrator', id)
      const isCurrent = !self || isExpected(self, expectedRevisions(c))
      throw isCurrent ? errors.ownAccount() : errors.changedSinceRead()
    }

    const { outcome } = await deleteUser(
      c.get('db'),
      'administrator',
      id,
      changeRulesOf(c),
      actorOf(c),
    )
    if (outcome === 'gone') throw errors.administratorNotFound()
    if (outcome === 'changed since') throw errors.changedSinceRead()

    return reply<'DELETE /v1/administrators/:administrator'>(c, {
      message: messages.administratorDeleted,
    })
  })
  .delete(SESSIONS, requireAdmin('login'), async (c) => {
    const isFound = await endSessions(c.get('db'), 'administrator', idOf(c), actorOf(c))
    if (!isFound) throw errors.administratorNotFound()

    return reply<'DELETE /v1/administrators/:administrator/sessions'>(c, {
      message: messages.sessionsEnded,
    })
  })
  .delete(SECOND_FACTOR, requireAdmin('login'), async (c) => {
    const id = idOf(c)
    if (isOneself(c)) throw errors.ownSecondFactor()

    const administrator = await disableSecondFactor(c.get('db'), id, actorOf(c))
    if (!administrator) throw errors.administratorNotFound()

    setEntityTag(c, administrator)
    return reply<'DELETE /v1/administrators/:administrator/second-factor'>(c, {
      data: toAdministrator(administrator),
    })
  })
