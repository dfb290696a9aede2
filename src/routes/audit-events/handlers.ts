import { Hono } from 'hono'
import { auditEventsQuery } from './schemas.ts'
import { listAuditEvents } from '#database/audit-events.ts'
import { fullName } from '#domain/names.ts'
import { paginationOf } from '#domain/pagination.ts'
import type { AppEnv } from '#http/app-env.ts'
import { requireAdmin } from '#http/guards.ts'
import { validQuery } from '#http/request/validation.ts'
import { reply } from '#routes/reply.ts'

/** The records of who did what, for administrators. */
export const auditEvents = new Hono<AppEnv>().get(
  '/',
  requireAdmin('audit-events:read'),
  validQuery(auditEventsQuery),
  async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { rows, total } = await listAuditEvents(c.get('db'), filter, { page, perPage })

    return reply<'GET /v1/audit-events'>(c, {
      data: rows.map(
        ({ first_name, last_name, api_token_id, api_token_name, ...event }) => ({
          id: event.id,
          created_at: event.created_at,
          actor_id: event.actor_id,
          actor_name: first_name === null ? null : fullName({ first_name, last_name }),
          api_token:
            api_token_id === null ? null : { id: api_token_id, name: api_token_name },
          action: event.action,
          subject_type: event.subject_type,
          subject_id: event.subject_id,
          related_type: event.related_type,
          related_id: event.related_id,
          request_id: event.request_id,
        }),
      ),
      pagination: paginationOf({ page, perPage }, total),
    })
  },
)
