import * as z from 'zod'
import { type AuditAction, SUBJECT_TYPE_BY_ACTION } from '../../../src/database/audit-events.ts'
import { auditEventsQuery } from '../../../src/routes/audit-events.ts'
import type { Resource } from '../operation.ts'
import { nullableText, page, timestamps, uuid } from '../schemas.ts'

const AuditEvent = z
  .strictObject({
    id: uuid,
    created_at: timestamps.created_at,
    actor_id: uuid.meta({ description: 'Quem fez.' }),
    actor_name: nullableText('Maria Clara Nunes').meta({
      description: '`null` se a pessoa já não existe.',
    }),
    action: z.enum(Object.keys(SUBJECT_TYPE_BY_ACTION) as AuditAction[]),
    subject_type: z.enum([...new Set(Object.values(SUBJECT_TYPE_BY_ACTION))]),
    subject_id: nullableText('47').meta({
      description:
        'A quem, ou a quê: um UUID, ou o número de um registro de lista; `null` onde não há um só.',
    }),
    request_id: uuid.meta({ description: 'O `X-Request-Id` do pedido.' }),
  })
  .meta({ id: 'AuditEvent' })

export const auditEvents = {
  tag: 'Audit events',
  description: 'Quem fez o quê, e quando.',
  operations: {
    'GET /v1/audit-events': {
      id: 'listAuditEvents',
      summary: 'O que usuários alteraram',
      description:
        'O mais novo primeiro, sem os valores. Os filtros se combinam, e as duas datas são inclusivas.',
      query: auditEventsQuery,
      response: page(AuditEvent),
    },
  },
} satisfies Resource
