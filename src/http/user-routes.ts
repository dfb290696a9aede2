import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import type * as z from 'zod/mini'
import type { Database } from '../database/client.ts'
import { type CheckedFields, findInvalidFields } from '../database/user-references.ts'
import { listUsers, type UserFilter } from '../database/user-search.ts'
import {
  createUser,
  deleteUser,
  type NewUser,
  readUser,
  type UserChanges,
  type UserRow,
  updateUser,
} from '../database/users.ts'
import { CONSTRAINT_MESSAGES } from '../domain/informer.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { identifierHash } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { type ApiError, errors, type FieldErrors } from './errors.ts'
import { idempotency, type IdempotencyEnv, refusal } from './idempotency.ts'
import { actorOf, requireAdmin } from './middleware/auth.ts'
import { jsonBody } from './middleware/json-body.ts'
import { validBody, validQuery } from './middleware/validation.ts'

type ListQuery = UserFilter & { page: number; per_page: number }

type NewBody = Omit<NewUser, 'id' | 'email_verification_required'> & {
  password: string | null
  require_email_verification?: boolean | null
}

/**
 * The routes that manage the users of a role, by administrators.
 *
 * @param bodies beside the query of the list
 * @param toData how a user is shown, and a new one
 * @param mustVerify whether a new user must verify their email
 * @param noun what the messages call a user, a masculine noun
 */
export function userRoutes<
  const Role extends RoleSlug,
  Query extends z.ZodMiniObject,
  Bodies extends { create: z.ZodMiniObject; update: z.ZodMiniObject },
  Data extends object,
  NewData extends object,
>(
  role: Role,
  { query, ...bodies }: Bodies & { query: Query },
  toData: { existing: (row: UserRow) => Data; created: (row: UserRow) => NewData },
  mustVerify: (body: NewBody, settings: Settings) => boolean,
  { noun, notFound }: { noun: string; notFound: () => ApiError },
) {
  const one = `/:${role as Role}` as const
  const idOf = (c: Context) => c.req.param(role)?.toLowerCase() ?? ''
  const created = (c: Context, row: UserRow) =>
    c.json(
      {
        success: true,
        data: toData.created(row),
        message: `${noun} criado com sucesso.`,
        email_verification_required: Boolean(row.email_verification_required),
      },
      201,
    )

  return new Hono<AppEnv>()
    .get('/', requireAdmin, validQuery(query), async (c) => {
      const { page, per_page: perPage, ...filter } = c.req.valid('query') as ListQuery
      const { rows, total } = await listUsers(c.get('db'), role, filter, { page, perPage })
      const pagination = paginationOf({ page, perPage }, total)
      return c.json({ success: true, data: rows.map(toData.existing), pagination })
    })
    .post(
      '/',
      requireAdmin,
      jsonBody(),
      idempotency(async (c, id) => {
        const user = await readUser(c.get('db'), role, id)
        return user && created(c, user)
      }),
      validBody(bodies.create, async (fields, c: Context<IdempotencyEnv>) => ({
        ...c.get('idempotencyErrors'),
        ...(await databaseErrors(c.get('db'), fields, null)),
      })),
      async (c) => {
        const body = c.req.valid('json') as NewBody
        const { password, require_email_verification: _, ...fields } = body
        const newUser = {
          ...fields,
          id: crypto.randomUUID(),
          password_hash: password && (await hashPassword(password)),
          email_verification_required: mustVerify(body, c.get('settings')),
        }
        const user = await createUser(c.get('db'), role, newUser, c.get('idempotencyKey'), actorOf(c))
        if (!user) throw refusal(c, await databaseErrors(c.get('db'), fields, null))
        return created(c, user)
      },
    )
    .get(one, requireAdmin, async (c) => {
      const user = await readUser(c.get('db'), role, idOf(c))
      if (!user) throw notFound()
      return c.json({ success: true, data: toData.existing(user) })
    })
    .patch(
      one,
      requireAdmin,
      jsonBody(),
      validBody(bodies.update, (fields, c) => databaseErrors(c.get('db'), fields, idOf(c))),
      async (c) => {
        const { password, ...body } = c.req.valid('json') as UserChanges & { password?: string | null }
        const hash = password && (await hashPassword(password))
        const changes = password === undefined ? body : { ...body, password_hash: hash as string | null }
        const hashIdentifier = (identifier: string) => identifierHash(c.get('settings'), identifier)
        const user = await updateUser(c.get('db'), role, idOf(c), changes, hashIdentifier, actorOf(c))
        if (!user) throw notFound()
        if (user === 'refused') throw refusal(c, await databaseErrors(c.get('db'), body, idOf(c)))
        const data = toData.existing(user)
        return c.json({ success: true, data, message: `${noun} atualizado com sucesso.` })
      },
    )
    .delete(one, requireAdmin, async (c) => {
      const user = await readUser(c.get('db'), role, idOf(c))
      if (!user) throw notFound()
      if (user.id === c.get('caller').id) throw errors.ownAccount()
      const identifiers = [user.id, user.email, user.cpf].filter((value) => value !== null)
      const hashes = identifiers.map((value) => identifierHash(c.get('settings'), value))
      if (!(await deleteUser(c.get('db'), user, hashes, actorOf(c)))) throw errors.invalidToken()
      return c.json({ success: true, message: `${noun} excluído com sucesso.` })
    })
}

/** The errors of what is taken or refers to nothing. */
async function databaseErrors(db: Database, fields: CheckedFields, id: string | null): Promise<FieldErrors> {
  const invalid = await findInvalidFields(db, fields, id)
  return Object.fromEntries(invalid.map((field) => [field, [CONSTRAINT_MESSAGES[field]]]))
}
