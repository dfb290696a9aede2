import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import type * as z from 'zod/mini'
import { createUser, deleteUser, findInvalidFields, updateUser } from '../database/user-changes.ts'
import { listUsers, type UserFilter } from '../database/user-search.ts'
import { readUser, type UserRow } from '../database/users.ts'
import { CONSTRAINT_MESSAGES, type InformerChanges, type NewInformer } from '../domain/informer.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { identifierHash } from '../security/hashes.ts'
import { hashPassword } from '../security/passwords.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { type ApiError, errors } from './errors.ts'
import { actorOf, requireAdmin } from './middleware/auth.ts'
import { jsonBody, validQuery } from './middleware/validation.ts'
import { resource } from './resource.ts'

type ListQuery = UserFilter & { page: number; per_page: number }

/**
 * The routes that manage the users of a role, by administrators.
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
  mustVerify: (body: NewInformer, settings: Settings) => boolean,
  { noun, notFound }: { noun: string; notFound: () => ApiError },
) {
  const one = `/:${role as Role}` as const
  const idOf = (c: Context) => c.req.param(role)?.toLowerCase() ?? ''
  const user = resource({
    noun,
    notFound,
    messages: CONSTRAINT_MESSAGES,
    findInvalid: (c, fields: Partial<NewInformer>) =>
      findInvalidFields(c.get('db'), fields, idOf(c)),
    read: (c, id) => readUser(c.get('db'), role, id),
    create: async (c, body: NewInformer) => {
      const { password, require_email_verification: _, ...fields } = body
      const newUser = {
        ...fields,
        id: crypto.randomUUID(),
        password_hash: password ? await hashPassword(password) : null,
        email_verification_required: mustVerify(body, c.get('settings')),
      }
      return createUser(c.get('db'), role, newUser, actorOf(c))
    },
    update: async (c, { password, ...body }: InformerChanges) => {
      const password_hash = password ? await hashPassword(password) : null
      const changes = password === undefined ? body : { ...body, password_hash }
      const settings = c.get('settings')
      const hashIdentifier = (identifier: string) => identifierHash(settings, identifier)
      const rules = { hashIdentifier, mustVerify: settings.REQUIRE_EMAIL_VERIFICATION }
      return updateUser(c.get('db'), role, idOf(c), changes, rules, actorOf(c))
    },
    remove: async (c) => {
      const found = await readUser(c.get('db'), role, idOf(c))
      if (!found) return false
      if (found.id === c.get('caller').id) throw errors.ownAccount()
      const identifiers = [found.id, found.email, found.cpf].filter((value) => value !== null)
      const hashes = identifiers.map((value) => identifierHash(c.get('settings'), value))
      const isDeleted = await deleteUser(c.get('db'), found, hashes, actorOf(c))
      if (!isDeleted) throw errors.invalidToken() // the caller was deleted meanwhile
      return true
    },
    toData: toData.existing,
    toCreated: (row: UserRow) => ({
      data: toData.created(row),
      email_verification_required: Boolean(row.email_verification_required),
    }),
  })

  return new Hono<AppEnv>()
    .get('/', requireAdmin, validQuery(query), async (c) => {
      const { page, per_page: perPage, ...filter } = c.req.valid('query') as ListQuery
      const { rows, total } = await listUsers(c.get('db'), role, filter, { page, perPage })
      const pagination = paginationOf({ page, perPage }, total)
      return c.json({ success: true, data: rows.map(toData.existing), pagination })
    })
    .post('/', requireAdmin, jsonBody(), user.idempotent, user.valid(bodies.create), (c) =>
      user.create(c, c.req.valid('json')),
    )
    .get(one, requireAdmin, (c) => user.read(c, idOf(c)))
    .patch(one, requireAdmin, jsonBody(), user.valid(bodies.update), (c) =>
      user.update(c, c.req.valid('json')),
    )
    .delete(one, requireAdmin, user.remove)
}
