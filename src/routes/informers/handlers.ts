import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import { recordSeen, toCreatedInformer, toInformer } from './informer.ts'
import { createInformerBody, informersQuery, updateInformerBody } from './schemas.ts'
import { endSessions } from '#database/accounts/sessions.ts'
import { findInvalidUserFields } from '#database/users/check.ts'
import { createUser } from '#database/users/create.ts'
import { deleteUser } from '#database/users/delete.ts'
import { listUsers } from '#database/users/search.ts'
import { updateUser } from '#database/users/update.ts'
import { getUser, type UserRow } from '#database/users/user-row.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import { actorOf, type CallerEnv, requireAdmin } from '#http/guards.ts'
import { type BodyCheck, checkAgain, messagesOf } from '#http/request/body-checks.ts'
import { setEntityTag } from '#http/request/entity-tags.ts'
import { idempotencyKeysOf, repeatable } from '#http/request/idempotency.ts'
import { uuidParam } from '#http/request/paths.ts'
import { PERSON_MESSAGES } from '#http/request/person-fields.ts'
import {
  changeRulesOf,
  hashSentPassword,
  updateRulesOf,
} from '#http/request/user-changes.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'

const ONE = '/:informer'

const idOf = uuidParam('informer')

const findNewErrors: BodyCheck<z.output<typeof createInformerBody>> = async (fields, c) =>
  messagesOf(await findInvalidUserFields(c.get('db'), fields, null), PERSON_MESSAGES)

const findErrors: BodyCheck<z.output<typeof updateInformerBody>> = async (fields, c) =>
  messagesOf(await findInvalidUserFields(c.get('db'), fields, idOf(c)), PERSON_MESSAGES)

function createdResponse(c: Context<CallerEnv>, informer: UserRow) {
  c.status(201)
  setEntityTag(c, informer)
  return reply<'POST /v1/informers'>(c, {
    data: toCreatedInformer(informer),
    message: messages.informerCreated,
    email_verification_required: informer.email_verification_required,
  })
}

/** Managing informers, by administrators. */
export const informers = new Hono<AppEnv>()
  .get('/', requireAdmin('informers:read'), validQuery(informersQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { rows, total } = await listUsers(c.get('db'), 'informer', filter, {
      page,
      perPage,
    })

    recordSeen(c, rows)
    return reply<'GET /v1/informers'>(c, {
      data: rows.map(toInformer),
      pagination: paginationOf({ page, perPage }, total),
    })
  })
  .post(
    '/',
    requireAdmin('informers:write'),
    jsonBody(),
    limitHashing,
    repeatable(async (c, id) => {
      const informer = await getUser(c.get('db'), 'informer', id, actorOf(c))
      if (!informer) return null
      recordSeen(c, [informer])
      return createdResponse(c, informer)
    }),
    validBody(createInformerBody, findNewErrors),
    async (c) => {
      const body = c.req.valid('json')
      const { password, group_id, group_ids, require_email_verification, ...person } =
        body
      const groups = [...new Set([...(group_id ? [group_id] : []), ...(group_ids ?? [])])]
      const isRequiredBySetting =
        c.get('settings').REQUIRE_EMAIL_VERIFICATION && person.email != null
      const email_verification_required =
        require_email_verification ?? isRequiredBySetting

      const user = {
        ...person,
        id: crypto.randomUUID(),
        password_hash: await hashSentPassword(password),
        email_verification_required,
      }

      const informer = await createUser(
        c.get('db'),
        'informer',
        user,
        groups,
        actorOf(c),
        idempotencyKeysOf(c),
      ).catch(checkAgain(c, findNewErrors, body))
      return createdResponse(c, informer)
    },
  )
  .get(ONE, requireAdmin('informers:read'), async (c) => {
    const informer = await getUser(c.get('db'), 'informer', idOf(c))
    if (!informer) throw errors.informerNotFound()

    setEntityTag(c, informer)
    recordSeen(c, [informer])
    return reply<'GET /v1/informers/:informer'>(c, {
      data: toInformer(informer),
    })
  })
  .patch(
    ONE,
    requireAdmin('informers:write'),
    jsonBody(),
    limitHashing,
    validBody(updateInformerBody, findErrors),
    async (c) => {
      const body = c.req.valid('json')
      const { password, is_email_verified, ...fields } = body
      const changes = { ...fields, password_hash: await hashSentPassword(password) }
      const rules = updateRulesOf(c, { is_email_verified })

      const update = await updateUser(
        c.get('db'),
        'informer',
        idOf(c),
        changes,
        rules,
        actorOf(c),
      ).catch(checkAgain(c, findErrors, body))
      if (update.outcome === 'gone') throw errors.informerNotFound()
      if (update.outcome === 'changed since') throw errors.changedSinceRead()

      setEntityTag(c, update.user)
      recordSeen(c, [update.user])
      return reply<'PATCH /v1/informers/:informer'>(c, {
        data: toInformer(update.user),
        message: messages.informerUpdated,
      })
    },
  )
  .delete(ONE, requireAdmin('informers:write'), async (c) => {
    const { outcome } = await deleteUser(
      c.get('db'),
      'informer',
      idOf(c),
      changeRulesOf(c),
      actorOf(c),
    )
    if (outcome === 'gone') throw errors.informerNotFound()
    if (outcome === 'changed since') throw errors.changedSinceRead()

    return reply<'DELETE /v1/informers/:informer'>(c, {
      message: messages.informerDeleted,
    })
  })
  .delete('/:informer/sessions', requireAdmin('login'), async (c) => {
    const isFound = await endSessions(c.get('db'), 'informer', idOf(c), actorOf(c))
    if (!isFound) throw errors.informerNotFound()

    return reply<'DELETE /v1/informers/:informer/sessions'>(c, {
      message: messages.sessionsEnded,
    })
  })
