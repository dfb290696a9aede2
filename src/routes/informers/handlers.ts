import type { Context } from 'hono'
import { Hono } from 'hono'
import type * as z from 'zod/mini'
import { recordSeen, showInformer, showInformers, toCreatedInformer } from './informer.ts'
import type { InformersResponses } from './openapi.ts'
import {
  createInformerBody,
  INFORMER_MESSAGES,
  informersQuery,
  updateInformerBody,
} from './schemas.ts'
import { endSessions } from '#database/accounts/sessions.ts'
import {
  associateGroup,
  type ChangedInformer,
  dissociateGroup,
} from '#database/users/associations.ts'
import { createUser, deleteUser, findInvalidUserFields } from '#database/users/changes.ts'
import {
  completeQuestionnaire,
  reopenQuestionnaire,
} from '#database/users/completions.ts'
import { readInformer } from '#database/users/informer-reads.ts'
import { getUser, type UserRow } from '#database/users/read.ts'
import { listUsers } from '#database/users/search.ts'
import { updateUser } from '#database/users/updates.ts'
import { holds } from '#domain/api-tokens.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, type CallerEnv, requireAdmin } from '#http/guards.ts'
import { entityTag } from '#http/request/entity-tags.ts'
import { repeatable } from '#http/request/idempotency.ts'
import { type BodyCheck, checkAgain, messagesOf } from '#http/request/refusals.ts'
import { jsonBody, validBody, validQuery } from '#http/request/validation.ts'
import { type ApiError, errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { changeRulesOf, hashSentPassword, updateRulesOf } from '#http/users.ts'

const ONE = '/:informer'
const SESSIONS = '/:informer/sessions'
const GROUP = '/:informer/groups/:group'
const QUESTIONNAIRE = '/:informer/questionnaires/:questionnaire'

/** An id of the path: UUIDs are case-insensitive. */
const idOf = (c: Context, parameter = 'informer') =>
  c.req.param(parameter)?.toLowerCase() ?? ''

const findErrors: BodyCheck<z.output<typeof createInformerBody>> = async (fields, c) => {
  const id = c.req.method === 'POST' ? null : idOf(c)
  const invalid = await findInvalidUserFields(c.get('db'), fields, id)
  return messagesOf(invalid, INFORMER_MESSAGES)
}

function createdResponse(c: Context<CallerEnv>, informer: UserRow) {
  const response = {
    success: true,
    data: toCreatedInformer(informer),
    message: messages.informerCreated,
    email_verification_required: informer.email_verification_required,
  } satisfies InformersResponses['POST /v1/informers']
  return c.json(response, 201, entityTag(informer))
}

/** Managing informers, their groups and their completed questionnaires, by administrators. */
export const informers = new Hono<AppEnv>()
  .get('/', requireAdmin, validQuery(informersQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { rows, total } = await listUsers(c.get('db'), 'informer', filter, {
      page,
      perPage,
    })

    return c.json({
      success: true,
      data: showInformers(c, rows),
      pagination: paginationOf({ page, perPage }, total),
    } satisfies InformersResponses['GET /v1/informers'])
  })
  .post(
    '/',
    requireAdmin,
    jsonBody(),
    repeatable(createInformerBody, async (c, id) => {
      const informer = await getUser(c.get('db'), 'informer', id)
      if (!informer) return null
      recordSeen(c, [informer])
      return createdResponse(c, informer)
    }),
    validBody(createInformerBody, findErrors),
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
        c.get('idempotencyKey'),
      ).catch(checkAgain(c, findErrors, body))
      return createdResponse(c, informer)
    },
  )
  .get(ONE, requireAdmin, async (c) => {
    const id = idOf(c)
    const { informer, isReadRecorded } = await readInformer(c.get('db'), id, actorOf(c))
    if (!informer) throw errors.informerNotFound()

    const response = {
      success: true,
      data: showInformer(c, informer, isReadRecorded),
    } satisfies InformersResponses['GET /v1/informers/:informer']
    return c.json(response, 200, entityTag(informer))
  })
  .patch(
    ONE,
    requireAdmin,
    jsonBody(),
    validBody(updateInformerBody, findErrors),
    async (c) => {
      const body = c.req.valid('json')
      const { password, is_email_verified, ...fields } = body
      const changes = { ...fields, password_hash: await hashSentPassword(password) }
      const rules = updateRulesOf(c, { is_email_verified })

      const informer = await updateUser(
        c.get('db'),
        'informer',
        idOf(c),
        changes,
        rules,
        actorOf(c),
      ).catch(checkAgain(c, findErrors, body))
      if (!informer) throw errors.informerNotFound()

      const response = {
        success: true,
        data: showInformer(c, informer),
        message: messages.informerUpdated,
      } satisfies InformersResponses['PATCH /v1/informers/:informer']
      return c.json(response, 200, entityTag(informer))
    },
  )
  .delete(ONE, requireAdmin, async (c) => {
    const isDeleted = await deleteUser(
      c.get('db'),
      'informer',
      idOf(c),
      changeRulesOf(c),
      actorOf(c),
    )
    if (!isDeleted) throw errors.informerNotFound()

    return c.json({
      success: true,
      message: messages.informerDeleted,
    } satisfies InformersResponses['DELETE /v1/informers/:informer'])
  })
  .delete(SESSIONS, requireAdmin, async (c) => {
    const isFound = await endSessions(c.get('db'), 'informer', idOf(c), actorOf(c))
    if (!isFound) throw errors.informerNotFound()

    return c.json({
      success: true,
      message: messages.sessionsEnded,
    } satisfies InformersResponses['DELETE /v1/informers/:informer/sessions'])
  })
  .put(GROUP, requireAdmin, async (c) => {
    const changed = await associateGroup(
      c.get('db'),
      idOf(c),
      idOf(c, 'group'),
      actorOf(c),
    )
    return changedResponse(c, changed)
  })
  .delete(GROUP, requireAdmin, async (c) => {
    const changed = await dissociateGroup(
      c.get('db'),
      idOf(c),
      idOf(c, 'group'),
      actorOf(c),
    )
    return changedResponse(c, changed)
  })
  .put(QUESTIONNAIRE, requireAdmin, async (c) => {
    const questionnaireId = idOf(c, 'questionnaire')
    const changed = await completeQuestionnaire(
      c.get('db'),
      idOf(c),
      questionnaireId,
      actorOf(c),
    )
    return completionResponse(c, changed)
  })
  .delete(QUESTIONNAIRE, requireAdmin, async (c) => {
    const questionnaireId = idOf(c, 'questionnaire')
    const changed = await reopenQuestionnaire(
      c.get('db'),
      idOf(c),
      questionnaireId,
      actorOf(c),
    )
    return completionResponse(c, changed)
  })

/** Responds with the informer after a change of a group. @throws {ApiError} 404 */
const changedResponse = (c: Context<CallerEnv>, changed: ChangedInformer) =>
  informerResponse(c, findChanged(changed, errors.groupNotFound), changed.isReadRecorded)

/**
 * Responds with the informer after a change of a questionnaire; without data for an API token that
 * may only record completions. @throws {ApiError} 404
 */
function completionResponse(c: Context<CallerEnv>, changed: ChangedInformer) {
  const informer = findChanged(changed, errors.questionnaireNotFound)
  const { apiToken } = c.get('caller')
  const mayRead = !apiToken || holds(apiToken.scopes, 'informers:read')
  return mayRead
    ? informerResponse(c, informer, changed.isReadRecorded)
    : c.json({
        success: true,
      } satisfies InformersResponses['PUT /v1/informers/:informer/questionnaires/:questionnaire'])
}

function findChanged(
  { informer, isFound }: ChangedInformer,
  notFound: () => ApiError,
): UserRow {
  if (!informer) throw errors.informerNotFound()
  if (!isFound) throw notFound()
  return informer
}

function informerResponse(
  c: Context<CallerEnv>,
  informer: UserRow,
  isReadRecorded: boolean,
) {
  const response = {
    success: true,
    data: showInformer(c, informer, isReadRecorded),
  } satisfies InformersResponses['PUT /v1/informers/:informer/groups/:group']
  return c.json(response, 200, entityTag(informer))
}
