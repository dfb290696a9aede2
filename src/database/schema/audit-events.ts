import { isNotNull } from 'drizzle-orm'
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { now, RANDOM_UUID } from '#database/sql/columns.ts'
import type { AuditAction, RelatedType, SubjectType } from '#domain/audit.ts'

/** Records of who did what, without values. No foreign key: a record outlives its user. */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: text().primaryKey().default(RANDOM_UUID),
    created_at: now(),
    actor_id: text().notNull(),
    action: text().$type<AuditAction>().notNull(),
    subject_type: text().$type<SubjectType>().notNull(),
    subject_id: text(),
    /** The group of an association, or the questionnaire of a completion. */
    related_type: text().$type<RelatedType>(),
    related_id: text(),
    /** The API token that the actor's program wrote with. */
    api_token_id: text(),
    request_id: text().notNull(),
  },
  (table) => [
    index('audit_events_by_request').on(table.request_id, table.action, table.subject_id),
    // includes the filter columns, so that no other rows are read
    index('audit_events_by_time').on(
      table.created_at,
      table.id,
      table.action,
      table.subject_type,
    ),
    index('audit_events_by_actor').on(table.actor_id, table.created_at, table.id),
    index('audit_events_by_subject').on(table.subject_id, table.created_at, table.id),
    index('audit_events_by_related')
      .on(table.related_id, table.created_at, table.id)
      .where(isNotNull(table.related_id)),
    index('audit_events_by_api_token')
      .on(table.api_token_id, table.created_at, table.id)
      .where(isNotNull(table.api_token_id)),
  ],
)
