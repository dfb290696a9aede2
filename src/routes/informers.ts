import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { deleteInformer, selectInformerSnapshot, updateInformer } from '../database/informer-changes.ts'
import {
  type ConstraintInput,
  type ConstraintResult,
  checkConstraints,
} from '../database/informer-constraints.ts'
import { createInformer } from '../database/informer-creation.ts'
import { listInformers, readInformer } from '../database/informers.ts'
import { CONSTRAINT_MESSAGES, createInformerBody, updateInformerBody } from '../domain/informer.ts'
import { paginationOf } from '../domain/pagination.ts'
import { sendDueEmails } from '../email/sending.ts'
import type { AppEnv } from '../http/app-env.ts'
import { inBackground } from '../http/background.ts'
import { errors, type FieldErrors, ValidationError } from '../http/errors.ts'
import { KEY_REUSED, prepareIdempotentInsert } from '../http/idempotency.ts'
import { type AuthEnv, actorOf, requireAdmin, requireAdminAndPreload } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody, validQuery } from '../http/middleware/validation.ts'
import { idParameter, pageParameters, searchParameter } from '../http/query-parameters.ts'
import { identifierHash } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'

export const informersQuery = z.object({
  search: searchParameter,
  process_id: idParameter('process_id'),
  group_id: idParameter('group_id'),
  ...pageParameters,
})

/** Runs the database checks on the valid fields of an invalid body, so one 422 reports everything. */
const checkInvalidBody = async (body: Record<string, unknown>, c: Context<AuthEnv>) =>
  toFieldErrors(await checkConstraints(c.get('db'), validFields(body, informerId(c))))

/** PATCH has no group; it is ignored like any unknown field. */
const checkInvalidChanges = ({ group_id: _, ...body }: Record<string, unknown>, c: Context<AuthEnv>) =>
  checkInvalidBody(body, c)

/** PATCH and DELETE need the current row; the guard preloads it. */
const requireAdminAndSnapshot = requireAdminAndPreload((db, { informer = '' }) =>
  selectInformerSnapshot(db, informer.toLowerCase()),
)

/** Managing informers, by administrators (specification, 4.3; contract, sections 4 and 9). */
export const informers = new Hono<AppEnv>()
  .get('/', requireAdmin, validQuery(informersQuery), async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { informers, total } = await listInformers(c.get('db'), filter, { page, perPage })
    return c.json({ success: true, data: informers, pagination: paginationOf({ page, perPage }, total) })
  })
  .post('/', requireAdmin, jsonBody(), validBody(createInformerBody, checkInvalidBody), async (c) => {
    const { password, require_email_verification, ...body } = c.req.valid('json')
    const isRequired =
      require_email_verification ?? (c.get('settings').REQUIRE_EMAIL_VERIFICATION && body.email !== null)
    const { checked, isKeyUnused, informer, isVerificationRequired } = await createInformer(
      c.get('db'),
      {
        ...body,
        ...(await prepareIdempotentInsert(c, c.req.valid('json'))),
        password_hash: password === null ? null : await hashPassword(password),
        email_verification_required: isRequired,
      },
      actorOf(c),
    )
    if (!informer)
      throw new ValidationError({ ...toFieldErrors(checked), ...(isKeyUnused ? {} : KEY_REUSED) })
    if (isVerificationRequired) sendInBackground(c, informer.email)

    const { processes_groups: _, ...data } = informer // only one pair, which is `process` and `group`
    return c.json(
      {
        success: true,
        data,
        message: 'Informante criado com sucesso.',
        email_verification_required: isVerificationRequired,
      },
      201,
    )
  })
  .get('/:informer', requireAdmin, async (c) => {
    const informer = await readInformer(c.get('db'), informerId(c))
    if (!informer) throw errors.informerNotFound()
    return c.json({ success: true, data: informer })
  })
  .patch(
    '/:informer',
    requireAdminAndSnapshot,
    jsonBody(),
    validBody(updateInformerBody, checkInvalidChanges),
    async (c) => {
      const [snapshot] = c.get('preloaded')
      if (!snapshot) throw errors.informerNotFound()
      const { password, ...body } = c.req.valid('json')
      const changes =
        password === undefined ? body : { ...body, password_hash: password && (await hashPassword(password)) }
      const { checked, informer, isVerificationRequired } = await updateInformer(
        c.get('db'),
        snapshot,
        changes,
        writeContext(c),
      )
      if (!informer) throw errors.informerNotFound()
      const failed = toFieldErrors(checked)
      if (Object.keys(failed).length > 0) throw new ValidationError(failed)
      if (body.email && isVerificationRequired) sendInBackground(c, informer.email)
      return c.json({ success: true, data: informer, message: 'Informante atualizado com sucesso.' })
    },
  )
  .delete('/:informer', requireAdminAndSnapshot, async (c) => {
    const [snapshot] = c.get('preloaded')
    if (!snapshot) throw errors.informerNotFound()
    await deleteInformer(c.get('db'), snapshot, writeContext(c))
    return c.json({ success: true, message: 'Informante excluído com sucesso.' })
  })

/** The id of the path; UUIDs are case-insensitive. */
function informerId(c: Context): string {
  return c.req.param('informer')?.toLowerCase() ?? crypto.randomUUID()
}

/** The valid fields of a body that the database can check. */
function validFields(body: Record<string, unknown>, id: string): ConstraintInput {
  const part = <Key extends keyof ConstraintResult>(key: Key) =>
    (createInformerBody.shape[key].safeParse(body[key]).data ?? null) as ConstraintInput[Key]
  return {
    id,
    email: part('email'),
    cpf: part('cpf'),
    treatment_pronoun_id: part('treatment_pronoun_id'),
    category_id: part('category_id'),
    diocese_id: part('diocese_id'),
    group_id: part('group_id'),
  }
}

function toFieldErrors(checked: ConstraintResult): FieldErrors {
  const failed = Object.entries(CONSTRAINT_MESSAGES).filter(
    ([key]) => !checked[key as keyof ConstraintResult],
  )
  return Object.fromEntries(failed.map(([key, message]) => [key, [message]]))
}

/** The actor, and the hash that finds the failed logins of the informer. */
const writeContext = (c: Pick<Context<AuthEnv>, 'get'>) => ({
  actor: actorOf(c),
  hashIdentifier: (identifier: string) => identifierHash(c.get('settings'), identifier),
})

function sendInBackground(c: Context, email: string | null): void {
  inBackground(c, sendDueEmails(c.get('db'), c.env, c.get('settings'), email), 'emails not sent')
}
