import { type SQL, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core'
import { FOLDED_LETTERS } from '../domain/folding.ts'
import type { RoleSlug } from '../domain/roles.ts'

/** Now, as every timestamp is written: UTC with microseconds (see domain/timestamps.ts). */
export const NOW = sql<string>`(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')`

/** The same folding as `fold` in domain/folding.ts, done by the database whenever a row is written. */
function foldedSql(column: AnySQLiteColumn): SQL {
  const literal = (value: string) => `'${value}'`
  const replaced = Object.entries(FOLDED_LETTERS).reduce(
    (expression, [from, to]) => `replace(${expression}, ${literal(from)}, ${literal(to)})`,
    `"${column.name}"`,
  )
  return sql.raw(`lower(${replaced})`)
}

const uuid = () => text()

const timestamps = {
  created_at: text().notNull().default(NOW),
  updated_at: text()
    .notNull()
    .default(NOW)
    .$onUpdate(() => NOW),
}

const active = integer({ mode: 'boolean' }).notNull().default(true)

export const roles = sqliteTable('roles', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  slug: text().$type<RoleSlug>().notNull().unique(),
  description: text().notNull(),
})

export const categories = sqliteTable(
  'categories',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    description: text().notNull(),
    active,
    name_folded: text().generatedAlwaysAs((): SQL => foldedSql(categories.name), { mode: 'stored' }),
    description_folded: text().generatedAlwaysAs((): SQL => foldedSql(categories.description), {
      mode: 'stored',
    }),
    ...timestamps,
  },
  (table) => [
    index('categories_by_name').on(table.name_folded, table.id),
    index('categories_by_active_and_name').on(table.active, table.name_folded, table.id),
    check('categories_active', sql`${table.active} in (0, 1)`),
  ],
)

export const treatmentPronouns = sqliteTable(
  'treatment_pronouns',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    description: text().notNull(),
    active,
    ...timestamps,
  },
  (table) => [check('treatment_pronouns_active', sql`${table.active} in (0, 1)`)],
)

export const dioceses = sqliteTable(
  'dioceses',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    state: text().notNull(),
    active,
    ...timestamps,
  },
  (table) => [
    check('dioceses_active', sql`${table.active} in (0, 1)`),
    check('dioceses_state', sql`${table.state} glob '[A-Z][A-Z]'`),
  ],
)

export const processes = sqliteTable('processes', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  protocol: text().notNull().unique(),
  ...timestamps,
})

export const groups = sqliteTable(
  'groups',
  {
    id: uuid().primaryKey(),
    process_id: uuid()
      .notNull()
      .references(() => processes.id),
    name: text().notNull(),
    color: text().notNull(),
    description: text().notNull(),
    ...timestamps,
  },
  (table) => [
    unique('groups_of_a_process').on(table.process_id, table.name),
    check('groups_color', sql`${table.color} glob '#*' and length(${table.color}) = 7`),
  ],
)

export const questionnaires = sqliteTable(
  'questionnaires',
  {
    id: uuid().primaryKey(),
    group_id: uuid()
      .notNull()
      .references(() => groups.id),
    title: text().notNull(),
    ...timestamps,
  },
  (table) => [unique('questionnaires_of_a_group').on(table.group_id, table.title)],
)

export const users = sqliteTable(
  'users',
  {
    id: uuid().primaryKey(),
    role_id: integer()
      .notNull()
      .references(() => roles.id),
    first_name: text().notNull(),
    last_name: text(),
    initials: text().notNull(),
    email: text().unique(),
    email_verification_required: integer({ mode: 'boolean' }).notNull().default(false),
    email_verified_at: text(),
    password_hash: text(),
    cpf: text().unique(),
    phone: text(),
    img_url: text(),
    treatment_pronoun_id: integer().references(() => treatmentPronouns.id),
    category_id: integer().references(() => categories.id),
    diocese_id: integer().references(() => dioceses.id),
    ...timestamps,
  },
  (table) => [
    check('users_first_name', sql`length(${table.first_name}) > 0`),
    check('users_email', sql`${table.email} = lower(${table.email})`),
    check('users_cpf', sql`length(${table.cpf}) = 11 and ${table.cpf} not glob '*[^0-9]*'`),
    check('users_email_verification_required', sql`${table.email_verification_required} in (0, 1)`),
  ],
)

/** The groups, and so the processes, that an informer is consulted in, in the order of association. */
export const informerGroups = sqliteTable(
  'informer_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    informer_id: uuid()
      .notNull()
      .references(() => users.id),
    group_id: uuid()
      .notNull()
      .references(() => groups.id),
    created_at: text().notNull().default(NOW),
  },
  (table) => [
    unique('informer_groups_once').on(table.informer_id, table.group_id),
    index('informer_groups_in_order').on(table.informer_id, table.created_at, table.id),
  ],
)

/** The questionnaires that an informer has completed. */
export const informerCompletions = sqliteTable(
  'informer_completions',
  {
    informer_id: uuid()
      .notNull()
      .references(() => users.id),
    questionnaire_id: uuid()
      .notNull()
      .references(() => questionnaires.id),
    created_at: text().notNull().default(NOW),
  },
  (table) => [primaryKey({ columns: [table.informer_id, table.questionnaire_id] })],
)
