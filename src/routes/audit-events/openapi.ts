import * as z from 'zod'
import { auditEventsQuery } from './schemas.ts'
import { AUDIT_ACTIONS, RELATED_TYPES, SUBJECT_TYPES } from '#domain/audit.ts'
import { list, type Resource } from '#openapi/operation.ts'
import { nullableText, timestamp, uuid } from '#openapi/schemas.ts'

const AuditEvent = z
  .strictObject({
    id: uuid,
    created_at: timestamp,
    actor_id: uuid.meta({ description: 'Quem fez a ação.' }),
    actor_name: nullableText('Maria Clara Nunes').meta({
      description:
        'O nome de um administrador; `null` para um informante ou se já não existe.',
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
        description:
          'O token de API que um programa usou; `null` se não foi um programa.',
      }),
    action: z.enum(AUDIT_ACTIONS).meta({ examples: ['group.associated'] }),
    subject_type: z.enum(SUBJECT_TYPES),
    subject_id: nullableText('5d2f6c1e-3b7a-4f0e-8c55-7e1b9a0d4c33').meta({
      description:
        'A quem ou a que se refere: um UUID ou o número de um registro de lista; `null` se ' +
        'não é um só.',
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
  description: 'Quem fez o quê, quem viu quem, e quando.',
  pathParameters: {},
  operations: {
    'GET /v1/audit-events': list(AuditEvent, {
      id: 'listAuditEvents',
      scope: 'audit-events:read',
      summary: 'Lista o que os usuários alteraram e quem viram',
      description:
        'Os mais novos primeiro, sem os valores. Os filtros se combinam, e as duas datas ' +
        'são inclusivas. Quem viu um informante (`informer.read`) ou leu uma lista de ' +
        'vários (`informer.listed`, de ninguém em particular) é registrado uma vez por dia ' +
        '(UTC).',
      query: auditEventsQuery,
    }),
  },
} satisfies Resource
