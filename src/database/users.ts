import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import { fullName, initials } from '../domain/names.ts'
import type { RoleSlug } from '../domain/roles.ts'
import { type Actor, insertAuditEvent } from './audit-events.ts'
import { batch, type Database, statement, unlessRefused } from './client.ts'
import { enqueueEmail } from './email-outbox.ts'
import { type IdempotencyKey, insertIdempotencyKey } from './idempotency-keys.ts'
import {
  emailOutbox,
  emailTokens,
  failedLogins,
  informerCompletions,
  informerGroups,
  knownAddresses,
  users,
} from './schema.ts'

/** The fields that are stored as they are sent. */
type PlainFields = {
  first_name: string
  last_name: string | null
  email: string | null
  cpf: string | null
  phone: string | null
  img_url: string | null
  password_hash: string | null
  treatment_pronoun_id: number | null
  category_id: number | null
  diocese_id: number | null
}

export type UserChanges = Partial<PlainFields>

export type NewUser = UserChanges & {
  id: string
  first_name: string
  email_verification_required: boolean
  group_id?: string | null
}

/** A condition: the user has a role. */
export const hasRole = (role: RoleSlug) =>
  sql`users.role_id = (select id from roles where slug = ${sql.raw(`'${role}'`)})`

/**
 * Creates a user with their group and, if their email must be verified, the email that asks for it. One transaction.
 *
 * @returns the user, or null if a unique index or the group refused it
 */
export async function createUser(
  db: Database,
  role: RoleSlug,
  { group_id, ...user }: NewUser,
  key: IdempotencyKey | null,
  actor: Actor,
): Promise<UserRow | null> {
  const name = fullName({ last_name: null, ...user })
  const created = await unlessRefused(
    batch(db, {
      user: db.insert(users).values({
        ...user,
        role_id: sql`(select id from roles where slug = ${role})`,
        name_folded: fold(name),
        initials: initials(name),
      }),
      audit: insertAuditEvent(db, actor, `${role}.created`, user.id),
      ...(key && { key: insertIdempotencyKey(db, key, user.id) }),
      ...(group_id && { group: insertAssociation(db, user.id, group_id) }),
      ...(user.email_verification_required &&
        user.email && { email: enqueueEmail(db, user.email, 'verification') }),
      rows: selectUser(db, role, user.id),
    }),
  )
  // a retry is refused by what the first attempt has written
  return created ? (created.rows[0] ?? null) : readUser(db, role, user.id)
}

/** Builds the statement that associates an informer with a group, unless they are associated. */
export function insertAssociation(db: Database, informerId: string, groupId: string) {
  return statement(
    db,
    sql`
    insert into informer_groups (informer_id, group_id, process_id, name_folded)
    select users.id, ${groupId}, (select process_id from groups where id = ${groupId}), name_folded
    from users where users.id = ${informerId} and ${hasRole('informer')}
    on conflict do nothing`,
  )
}

/**
 * Updates the fields that differ; initials and the folded name follow the name. A password, even none, ends all sessions.
 * One transaction after the row was read, and again if another request changed the name meanwhile.
 *
 * @param hashIdentifier the hash that counts the logins of an email or CPF, to forget those of a former one
 * @returns the user, null if there is none; or 'refused' by a unique index or a reference
 */
export async function updateUser(
  db: Database,
  role: RoleSlug,
  id: string,
  fields: UserChanges,
  hashIdentifier: (identifier: string) => string,
  actor: Actor,
): Promise<UserRow | null | 'refused'> {
  for (;;) {
    const current = await readUser(db, role, id)
    if (!current) return null
    const changes = changedFields(current, fields)
    if (Object.keys(changes).length === 0) return current
    const { first_name, last_name } = { ...current, ...changes }
    const name = fullName({ first_name, last_name })
    const isRenamed = 'first_name' in changes || 'last_name' in changes
    const isSameName = sql`${users.first_name} = ${current.first_name} and ${users.last_name} is ${current.last_name}`
    const former = [changes.email !== undefined && current.email, changes.cpf !== undefined && current.cpf]
    const hashes = former.flatMap((identifier) => (identifier ? hashIdentifier(identifier) : []))
    const isPasswordSent = 'password_hash' in changes
    const updated = await unlessRefused(
      batch(db, {
        user: db
          .update(users)
          .set({
            ...changes,
            ...(isRenamed && { name_folded: fold(name), initials: initials(name) }),
            ...(isPasswordSent && {
              password_by_link: false,
              token_version: sql`${users.token_version} + 1`,
            }),
          })
          .where(and(eq(users.id, id), isRenamed ? isSameName : undefined)),
        audit: insertAuditEvent(db, actor, `${role}.updated`, id),
        ...(isPasswordSent && {
          links: db
            .delete(emailTokens)
            .where(and(eq(emailTokens.user_id, id), eq(emailTokens.kind, 'password_reset'))),
        }),
        ...(hashes.length > 0 && deleteLogins(db, hashes)),
        rows: selectUser(db, role, id),
      }),
    )
    if (!updated) return 'refused'
    if (updated.user.meta.changes > 0) return updated.rows[0] ?? null
  }
}

/** The fields that differ from what is stored. A password always does. */
function changedFields(current: UserRow, fields: UserChanges): UserChanges {
  const stored: Record<string, unknown> = {
    ...current,
    treatment_pronoun_id: current.treatment_pronoun?.id ?? null,
    category_id: current.category?.id ?? null,
    diocese_id: current.diocese?.id ?? null,
  }
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => value !== stored[field]))
}

/**
 * Deletes a user and everything held of them but the records of who did what. One transaction.
 *
 * @param identifiers the hashes that count their logins
 * @returns false if no administrator would remain: of two who delete each other at once, one does
 */
export async function deleteUser(
  db: Database,
  { id, role }: UserRow,
  identifiers: string[],
  actor: Actor,
): Promise<boolean> {
  const emailOf = db.select({ email: users.email }).from(users).where(eq(users.id, id))
  const isAnotherLeft = sql`exists (select 1 from users where id <> ${id} and ${hasRole('administrator')})`
  const { rows } = await batch(db, {
    ...deleteLogins(db, identifiers),
    completions: db.delete(informerCompletions).where(eq(informerCompletions.informer_id, id)),
    groups: db.delete(informerGroups).where(eq(informerGroups.informer_id, id)),
    tokens: db.delete(emailTokens).where(eq(emailTokens.user_id, id)),
    emails: db.delete(emailOutbox).where(inArray(emailOutbox.email, emailOf)),
    user: db.delete(users).where(and(eq(users.id, id), isAnotherLeft)),
    audit: insertAuditEvent(db, actor, `${role.slug}.deleted`, id),
    rows: selectUser(db, role.slug, id),
  })
  return rows.length === 0
}

/** The statements that delete the counted logins of some hashed identifiers. */
function deleteLogins(db: Database, identifiers: string[]) {
  return {
    failures: db.delete(failedLogins).where(inArray(failedLogins.identifier, identifiers)),
    addresses: db.delete(knownAddresses).where(inArray(knownAddresses.identifier, identifiers)),
  }
}

/** A user, or null. One round trip. */
export async function readUser(db: Database, role: RoleSlug, id: string): Promise<UserRow | null> {
  const [row] = await selectUser(db, role, id)
  return row ?? null
}

/** Builds the query of one user, for a batch. */
export function selectUser(db: Database, role: RoleSlug, id: string) {
  return selectUsers(db, sql`users where users.id = ${id} and ${hasRole(role)}`)
}

type Described = { id: number; name: string; description: string; active: boolean }
type Diocese = { id: number; name: string; state: string; active: boolean }
type Role = { id: number; name: string; slug: RoleSlug; description: string }
type Process = { id: string; name: string; protocol: string }
type Group = { id: string; name: string; color: string; description: string }
export type Membership = { process: Process; group: Group; questionnaires: number; completed: number }

/** A column of the user row. */
const own = <Value>(column: keyof typeof users.$inferSelect) =>
  sql.raw(`users.${column}`).as(column) as SQL.Aliased<Value>

/** JSON built by SQLite, because a D1 batch merges columns of the same name. */
const json = <Value>(name: string, expression: SQLWrapper) =>
  sql`${expression}`.mapWith(JSON.parse).as(name) as SQL.Aliased<Value>

const reference = <Value>(name: string, table: string, fields: string) =>
  json<Value | null>(
    name,
    sql.raw(`(
      select json_object(${fields}, 'active', json(iif(active, 'true', 'false')))
      from ${table} where ${table}.id = users.${name}_id)`),
  )

const DESCRIBED = "'id', id, 'name', name, 'description', description"

/** The groups of a user as JSON, in order of association. */
export const MEMBERSHIPS = sql`(
  select json_group_array(json_object(
    'process', json_object('id', processes.id, 'name', processes.name, 'protocol', processes.protocol),
    'group', json_object('id', groups.id, 'name', groups.name, 'color', groups.color,
      'description', groups.description),
    'questionnaires', (select count(*) from questionnaires where group_id = groups.id),
    'completed', (select count(*) from questionnaires join informer_completions
      on questionnaire_id = questionnaires.id where group_id = groups.id and informer_id = users.id)
  ) order by informer_groups.created_at, informer_groups.id)
  from informer_groups
  join groups on groups.id = informer_groups.group_id
  join processes on processes.id = groups.process_id
  where informer_groups.informer_id = users.id)`

const userColumns = {
  id: own<string>('id'),
  first_name: own<string>('first_name'),
  last_name: own<string | null>('last_name'),
  initials: own<string>('initials'),
  email: own<string | null>('email'),
  email_verification_required: own<0 | 1>('email_verification_required'),
  email_verified_at: own<string | null>('email_verified_at'),
  has_password: sql<0 | 1>`users.password_hash is not null`.as('has_password'),
  cpf: own<string | null>('cpf'),
  phone: own<string | null>('phone'),
  img_url: own<string | null>('img_url'),
  role: json<Role>(
    'role',
    sql`(
      select json_object('id', id, 'name', name, 'slug', slug, 'description', description)
      from roles where roles.id = users.role_id)`,
  ),
  category: reference<Described>('category', 'categories', DESCRIBED),
  treatment_pronoun: reference<Described>('treatment_pronoun', 'treatment_pronouns', DESCRIBED),
  diocese: reference<Diocese>('diocese', 'dioceses', "'id', id, 'name', name, 'state', state"),
  created_at: own<string>('created_at'),
  updated_at: own<string>('updated_at'),
  memberships: json<Membership[]>('memberships', MEMBERSHIPS),
}

/**
 * Builds a query of users with their references and memberships, one row each.
 *
 * @param source the `from` clause with `users`, and the clauses after it
 */
export function selectUsers(db: Database, source: SQL) {
  return db.select(userColumns).from(source)
}

export type UserRow = Awaited<ReturnType<typeof selectUsers>>[number]

/** What every user has in responses. */
export function toPerson(row: UserRow) {
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullName(row),
    initials: row.initials,
    email: row.email,
    is_email_verified: row.email_verified_at !== null,
    has_password: Boolean(row.has_password),
    cpf: row.cpf,
    phone: row.phone,
    img_url: row.img_url,
    role: row.role,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
