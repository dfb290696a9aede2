import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'
import { now, refersTo, timestamps } from '#database/sql/columns.ts'

export const processes = sqliteTable('processes', {
  id: text().primaryKey(),
  name: text().notNull(),
  name_folded: text().notNull(),
  protocol: text().notNull(),
  protocol_folded: text().notNull().unique(),
  ...timestamps,
})

export const groups = sqliteTable(
  'groups',
  {
    id: text().primaryKey(),
    process_id: refersTo(() => processes.id),
    name: text().notNull(),
    name_folded: text().notNull(),
    color: text().notNull(),
    description: text().notNull(),
    ...timestamps,
  },
  (table) => [
    unique('groups_of_a_process').on(table.process_id, table.name_folded),
    check('groups_color', sql`${table.color} glob '#*' and length(${table.color}) = 7`),
  ],
)

export const questionnaires = sqliteTable(
  'questionnaires',
  {
    id: text().primaryKey(),
    group_id: refersTo(() => groups.id),
    title: text().notNull(),
    title_folded: text().notNull(),
    ...timestamps,
  },
  (table) => [unique('questionnaires_of_a_group').on(table.group_id, table.title_folded)],
)

/** The groups, and thereby processes, of an informer: so few that no index needs their order. */
export const informerGroups = sqliteTable(
  'informer_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    informer_id: refersTo(() => users.id),
    group_id: refersTo(() => groups.id),
    /** The process of the group, which never moves, for an index of its informers by name. */
    process_id: refersTo(() => processes.id),
    /**
     * The folded name of the informer, so that an index has a group's informers by name. Kept by
     * the trigger `users_renamed` of the first migration, which this file cannot show.
     */
    name_folded: text().notNull(),
    created_at: now(),
  },
  (table) => [
    unique('informer_groups_once').on(table.informer_id, table.group_id),
    index('informer_groups_by_group').on(
      table.group_id,
      table.name_folded,
      table.informer_id,
    ),
    index('informer_groups_by_process').on(
      table.process_id,
      table.name_folded,
      table.informer_id,
    ),
  ],
)

/** The questionnaires that an informer has completed. */
export const informerCompletions = sqliteTable(
  'informer_completions',
  {
    informer_id: refersTo(() => users.id),
    questionnaire_id: refersTo(() => questionnaires.id),
    created_at: now(),
  },
  (table) => [
    primaryKey({ columns: [table.informer_id, table.questionnaire_id] }),
    // so that deleting a questionnaire does not read all completions
    index('informer_completions_by_questionnaire').on(table.questionnaire_id),
  ],
)
