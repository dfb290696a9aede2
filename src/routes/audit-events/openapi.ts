import * as z from 'zod'
import { auditEventsQuery } from './schemas.ts'
import { AUDIT_ACTIONS, RELATED_TYPES, SUBJECT_TYPES } from '#domain/audit.ts'
import { list, type Resource } from '#openapi/operation.ts'
import { nullableText, timestamp, uuid } from '#openapi/schemas.ts'

const AuditEvent = z
  .strictObject({
    id: uuid,
    created_at: timestamp,
    actor_id: uuid.meta({ description: 'Quem fez.' }),
    actor_name: nullableText('Maria Clara Nunes').meta({
      description:
        'O nome de um administrador; `null` para um informante, ou se já não existe.',
    }),
    api_token: z
      .strictObject({
        id: uuid,
        name: nullableText('Questionários').meta({
          description: '`null` se o token já não existe.',
        }),
      })
      .nullable()
      .meta({
        description: 'O token de API com que um programa escreveu; senão `null`.',
      }),
    action: z.enum(AUDIT_ACTIONS).meta({ examples: ['group.associated'] }),
    subject_type: z.enum(SUBJECT_TYPES),
    subject_id: nullableText('5d2f6c1e-3b7a-4f0e-8c55-7e1b9a0d4c33').meta({
      description:
        'A quem, ou a quê: um UUID, ou o número de um registro de lista; `null` onde não há um só.',
    }),
    related_type: z.nullable(z.enum(RELATED_TYPES)).meta({
      description:
        'O grupo de `group.associated` e `group.dissociated`, ou o questionário de ' +
        '`questionnaire.completed` e `questionnaire.reopened`; `null` em outras ações e em ' +
        'registros antigos.',
    }),
    related_id: z.nullable(uuid),
    request_id: uuid.meta({ description: 'O `X-Request-Id` da requisição.' }),
  })
  .meta({ id: 'AuditEvent' })

export const auditEventsApi = {
  tag: 'Audit events',
  description: 'Quem fez o quê e quem viu quem, e quando.',
  pathParameters: {},
  operations: {
    'GET /v1/audit-events': list(AuditEvent, {
      id: 'listAuditEvents',
      scope: 'audit-events:read',
      summary: 'O que usuários alteraram, e quem viram',
      description:
        'O mais novo primeiro, sem os valores. Os filtros se combinam, e as duas datas são ' +
        'inclusivas. Uma vez por dia (UTC) é anotado quem viu um informante (`informer.read`) ou ' +
        'leu uma lista de vários (`informer.listed`, de ninguém em particular).',
      query: auditEventsQuery,
    }),
  },
} satisfies Resource
