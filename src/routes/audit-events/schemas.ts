import * as z from 'zod/mini'
import { AUDIT_ACTIONS, SUBJECT_TYPES } from '#domain/audit.ts'
import { UUID } from '#http/request/fields.ts'
import {
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  idParameter,
  pageParameters,
} from '#http/request/query-parameters.ts'

/** A UUID, or the number of a row of a list. */
const SUBJECT_ID = new RegExp(`${UUID.source}|^\\d{1,15}$`)
const SUBJECT_MESSAGE = 'O parâmetro subject_id deve ser um UUID ou um número inteiro.'

const subjectId = z
  .string(SUBJECT_MESSAGE)
  .check(
    z.toLowerCase(),
    z.regex(SUBJECT_ID, SUBJECT_MESSAGE),
    z.describe(
      'Só o que foi feito a este informante, registro ou usuário: um UUID ou o número de ' +
        'um registro de lista, que `action` ou `subject_type` distingue dos de outras listas.',
    ),
  )

/** The query of GET /audit-events. */
export const auditEventsQuery = z
  .object({
    actor_id: idParameter('actor_id', 'Só o que este usuário fez.'),
    api_token_id: idParameter(
      'api_token_id',
      'Só o que programas fizeram com este token de API.',
    ),
    subject_id: z.optional(subjectId),
    subject_type: choiceParameter(
      'subject_type',
      SUBJECT_TYPES,
      'Só o que foi feito a algo deste tipo.',
    ),
    related_id: idParameter(
      'related_id',
      'Só o que diz respeito a este grupo ou questionário.',
    ),
    action: choiceParameter('action', AUDIT_ACTIONS, 'Só esta ação.'),
    ...dateRangeParameters(),
    ...pageParameters(),
  })
  .check(dateRangeInOrder())
