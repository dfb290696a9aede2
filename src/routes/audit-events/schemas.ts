import * as z from 'zod/mini'
import { AUDIT_ACTIONS, SUBJECT_TYPES } from '../../domain/audit.ts'
import { UUID } from '../../http/fields.ts'
import {
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  idParameter,
  pageParameters,
} from '../../http/query-parameters.ts'

/** A UUID, or the number of a row of a list. */
const SUBJECT_ID = new RegExp(`${UUID.source}|^\\d{1,15}$`)
const SUBJECT_MESSAGE = 'O parâmetro subject_id deve ser um UUID ou um número inteiro.'

/** The query of GET /audit-events. */
export const auditEventsQuery = z
  .object({
    actor_id: idParameter('actor_id'),
    subject_id: z.optional(
      z
        .string(SUBJECT_MESSAGE)
        .check(z.toLowerCase(), z.regex(SUBJECT_ID, SUBJECT_MESSAGE)),
    ),
    subject_type: choiceParameter('subject_type', SUBJECT_TYPES),
    action: choiceParameter('action', AUDIT_ACTIONS),
    ...dateRangeParameters,
    ...pageParameters,
  })
  .check(dateRangeInOrder)
