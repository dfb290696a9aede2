import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import type { Database } from '../database/client.ts'
import { listInformers, readInformer, toInformer } from '../database/informers.ts'
import { type CheckedFields, findInvalidFields } from '../database/user-references.ts'
import { createUser, deleteUser, readUser, updateUser, type UserRow } from '../database/users.ts'
import { QUESTIONNAIRE_STATUSES } from '../domain/completion.ts'
import { CONSTRAINT_MESSAGES, createInformerBody, updateInformerBody } from '../domain/informer.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors, type FieldErrors } from '../http/errors.ts'
import { idempotency, type IdempotencyEnv, refusal } from '../http/idempotency.ts'
import { actorOf, requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody, validQuery } from '../http/middleware/validation.ts'
import { choiceParameter, idParameter, pageParameters, searchParameter } from '../http/query-parameters.ts'
import { identifierHash } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'

export const informersQuery = z.object({
  search: searchParameter,
  process_id: idParameter('process_id'),
  group_id: idParameter('group_id'),
  questionnaire_status: choiceParameter('questionnaire_status', QUESTIONNAIRE_STATUSES),
  ...pageParameters,
})

const idOf = (c: Context) => c.req.param('informer')?.toLowerCase() ?? ''

/** The errors of what is taken or refers to nothing. */
async function databaseErrors(db: Database, fields: CheckedFields, id: string | null): Promise<FieldErrors> {
  const invalid = await findInvalidFields(db, fields, id)
  return Object.fromEntries(invalid.map((field) => [field, [CONSTRAINT_MESSAGES[field]]]))
}

/** Managing informers, by administrators. */
export const informers = new Hono<AppEnv>()
  .get('/', requireAdmin, validQuery(informersQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { informers, total } = await listInformers(c.get('db'), filter, { page, perPage })
    return c.json({ success: true, data: informers, pagination: paginationOf({ page, perPage }, total) })
  })
  .post(
    '/',
    requireAdmin,
    jsonBody(),
    idempotency(async (c, id) => {
      const informer = await readUser(c.get('db'), 'informer', id)
      return informer && created(c, informer)
    }),
    validBody(createInformerBody, async (fields, c: Context<IdempotencyEnv>) => ({
      ...c.get('idempotencyErrors'),
      ...(await databaseErrors(c.get('db'), fields, null)),
    })),
    async (c) => {
      const { password, require_email_verification, ...body } = c.req.valid('json')
      const isRequired =
        require_email_verification ?? (c.get('settings').REQUIRE_EMAIL_VERIFICATION && body.email !== null)
      const informer = await createUser(
        c.get('db'),
        'informer',
        {
          ...body,
          id: crypto.randomUUID(),
          password_hash: password && (await hashPassword(password)),
          email_verification_required: isRequired,
        },
        c.get('idempotencyKey'),
        actorOf(c),
      )
      if (!informer) throw refusal(c, await databaseErrors(c.get('db'), body, null))
      return created(c, informer)
    },
  )
  .get('/:informer', requireAdmin, async (c) => {
    const informer = await readInformer(c.get('db'), idOf(c))
    if (!informer) throw errors.informerNotFound()
    return c.json({ success: true, data: informer })
  })
  .patch(
    '/:informer',
    requireAdmin,
    jsonBody(),
    validBody(updateInformerBody, (fields, c) => databaseErrors(c.get('db'), fields, idOf(c))),
    async (c) => {
      const { password, ...body } = c.req.valid('json')
      const informer = await updateUser(
        c.get('db'),
        'informer',
        idOf(c),
        {
          ...body,
          ...(password !== undefined && { password_hash: password && (await hashPassword(password)) }),
        },
        (identifier) => identifierHash(c.get('settings'), identifier),
        actorOf(c),
      )
      if (!informer) throw errors.informerNotFound()
      if (informer === 'refused') throw refusal(c, await databaseErrors(c.get('db'), body, idOf(c)))
      const data = toInformer(informer)
      return c.json({ success: true, data, message: 'Informante atualizado com sucesso.' })
    },
  )
  .delete('/:informer', requireAdmin, async (c) => {
    const informer = await readUser(c.get('db'), 'informer', idOf(c))
    if (!informer) throw errors.informerNotFound()
    const identifiers = [informer.id, informer.email, informer.cpf].filter((value) => value !== null)
    const hashes = await Promise.all(identifiers.map((value) => identifierHash(c.get('settings'), value)))
    await deleteUser(c.get('db'), informer, hashes, actorOf(c))
    return c.json({ success: true, message: 'Informante excluído com sucesso.' })
  })

function created(c: Context, row: UserRow) {
  const {
    processes_groups: _pairs,
    is_email_verified: _verified,
    has_password: _password,
    ...data
  } = toInformer(row)
  return c.json(
    {
      success: true,
      data,
      message: 'Informante criado com sucesso.',
      email_verification_required: Boolean(row.email_verification_required),
    },
    201,
  )
}
