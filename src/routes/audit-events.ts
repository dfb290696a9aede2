import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { type AuditAction, listEvents, SUBJECT_TYPE_BY_ACTION } from '../database/audit-events.ts'
import { UUID } from '../domain/fields.ts'
import { fullName } from '../domain/names.ts'
import { paginationOf } from '../domain/pagination.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireAdmin } from '../http/middleware/auth.ts'
import { validQuery } from '../http/middleware/validation.ts'
import {
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  idParameter,
  pageParameters,
} from '../http/query-parameters.ts'

/** A UUID, or the number of a row of a list. */
const SUBJECT_ID = new RegExp(`${UUID.source}|^\\d{1,15}$`)
const SUBJECT_MESSAGE = 'O parâmetro subject_id deve ser um UUID ou um número inteiro.'

const ACTIONS = Object.keys(SUBJECT_TYPE_BY_ACTION) as AuditAction[]

export const auditEventsQuery = z
  .object({
    actor_id: idParameter('actor_id'),
    subject_id: z.optional(
      z.string(SUBJECT_MESSAGE).check(z.toLowerCase(), z.regex(SUBJECT_ID, SUBJECT_MESSAGE)),
    ),
    action: choiceParameter('action', ACTIONS),
    ...dateRangeParameters,
    ...pageParameters,
  })
  .check(dateRangeInOrder)

/** The audit log, for administrators */
export const auditEvents = new Hono<AppEnv>().get(
  '/',
  requireAdmin,
  validQuery(auditEventsQuery),
  async (c) => {
    const { page, per_page: perPage, ...filter } = c.req.valid('query')
    const { rows, total } = await listEvents(c.get('db'), filter, { page, perPage })
    const data = rows.map(({ first_name, last_name, ...event }) => ({
      ...event,
      actor_name: first_name === null ? null : fullName({ first_name, last_name }),
    }))
    return c.json({ success: true, data, pagination: paginationOf({ page, perPage }, total) })
  },
)
