import { desc, isNotNull, sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { categories, dioceses, treatmentPronouns } from './lists.ts'
import { isFlag, now, refersTo, timestamps } from '#database/sql/columns.ts'
import type { Scope } from '#domain/api-tokens.ts'
import type { RoleName, RoleSlug } from '#domain/roles.ts'

export const roles = sqliteTable('roles', {
  id: integer().primaryKey(),
  name: text().$type<RoleName>().notNull().unique(),
  slug: text().$type<RoleSlug>().notNull().unique(),
  description: text().notNull(),
})

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    role_id: integer()
      .notNull()
      .references(() => roles.id),
    first_name: text().notNull(),
    last_name: text(),
    /** The folded full name. The trigger `users_renamed` copies a new one to `informer_groups`. */
    name_folded: text().notNull(),
    initials: text().notNull(),
    email: text().unique(),
    email_verification_required: integer({ mode: 'boolean' }).notNull().default(false),
    email_verified_at: text(),
    password_hash: text(),
    /**
     * Whether the password was set by someone who logged in through an emailed link: it ends when
     * the email changes.
     */
    password_by_link: integer({ mode: 'boolean' }).notNull().default(false),
    /** Access tokens of an earlier version are invalid. */
    token_version: integer().notNull().default(1),
    /** Rises with every change of the person, their email or their password. */
    revision: integer().notNull().default(1),
    /**
     * Sealed (security/sealed-secrets.ts). It waits for its first code until the factor is enabled.
     */
    second_factor_secret: text(),
    second_factor_created_at: text(),
    second_factor_enabled_at: text(),
    /** The time step (RFC 6238) of the last accepted code. */
    second_factor_step: integer(),
    cpf: text().unique(),
    phone: text(),
    img_url: text(),
    treatment_pronoun_id: integer().references(() => treatmentPronouns.id),
    category_id: integer().references(() => categories.id),
    diocese_id: integer().references(() => dioceses.id),
    ...timestamps,
  },
  (table) => [
    // covers searches, which then read no rows
    index('users_by_name').on(
      table.role_id,
      table.name_folded,
      table.id,
      table.email,
      table.cpf,
    ),
    // the users who refer to a row of a list, in the order of the list of users
    index('users_by_treatment_pronoun')
      .on(table.treatment_pronoun_id, table.role_id, table.name_folded, table.id)
      .where(isNotNull(table.treatment_pronoun_id)),
    index('users_by_category')
      .on(table.category_id, table.role_id, table.name_folded, table.id)
      .where(isNotNull(table.category_id)),
    index('users_by_diocese')
      .on(table.diocese_id, table.role_id, table.name_folded, table.id)
      .where(isNotNull(table.diocese_id)),
    check('users_first_name', sql`length(${table.first_name}) > 0`),
    check('users_email', sql`${table.email} = lower(${table.email})`),
    check(
      'users_cpf',
      sql`length(${table.cpf}) = 11 and ${table.cpf} not glob '*[^0-9]*'`,
    ),
    isFlag('users_email_verification_required', table.email_verification_required),
    isFlag('users_password_by_link', table.password_by_link),
  ],
)

/** The API tokens that administrators made for programs. */
export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: text().primaryKey(),
    /** SHA-256. */
    token_hash: text().notNull().unique(),
    name: text().notNull(),
    scopes: text({ mode: 'json' }).$type<Scope[]>().notNull(),
    created_by: refersTo(() => users.id),
    created_at: now(),
    /** Its last day, in UTC. */
    expires_on: text().notNull(),
    last_used_on: text(),
  },
  (table) => [
    index('api_tokens_in_order').on(desc(table.created_at), table.id),
    index('api_tokens_by_user').on(table.created_by),
    index('api_tokens_by_expiry').on(table.expires_on),
    check('api_tokens_expires_on', sql`${table.expires_on} is date(${table.expires_on})`),
  ],
)
