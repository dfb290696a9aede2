import * as z from 'zod'
import { errors } from '#http/response/errors.ts'
import { show, type Resource } from '#openapi/operation.ts'
import { personMembers } from '#openapi/people.ts'
import {
  completedAt,
  completionFields,
  CoverTexts,
  Process,
  questionnaireFields,
} from '#openapi/processes.ts'
import { text, uuid } from '#openapi/schemas.ts'

const GroupReference = z
  .strictObject({ id: uuid, name: text('Grupo 3') })
  .meta({ id: 'GroupReference' })

const pair = {
  process: Process,
  group: GroupReference,
  cover_texts: CoverTexts,
}

const Cover = z
  .strictObject({
    informer: z.strictObject(personMembers),
    ...pair,
    processes_groups: z.array(z.strictObject({ ...pair, ...completionFields })),
  })
  .meta({ id: 'Cover' })

const CoverQuestionnaire = z
  .strictObject({
    ...questionnaireFields,
    process: Process,
    group: GroupReference,
    completed_at: completedAt,
  })
  .meta({ id: 'CoverQuestionnaire' })

export const coverApi = {
  tag: 'Cover',
  description: 'A página inicial do informante.',
  pathParameters: {},
  operations: {
    'GET /v1/cover': show(Cover, {
      id: 'readCover',
      scope: 'login',
      summary: 'Mostra a página inicial do informante',
      description:
        'Só para informantes. `process` e `group` são os do primeiro item de `processes_groups`, ' +
        'o mais antigo.',
      access: 'user',
      errors: [errors.informersOnly, errors.groupOrProcessNotFound],
    }),
    'GET /v1/cover/questionnaires': show(z.array(CoverQuestionnaire), {
      id: 'listOwnQuestionnaires',
      scope: 'login',
      summary: 'Lista os questionários do próprio informante',
      description:
        'Só para informantes. Todos os questionários dos seus grupos, na ordem da capa e, ' +
        'em cada grupo, por título. Os que faltam responder têm `completed_at` `null`. Sem ' +
        'grupo, a lista é vazia.',
      access: 'user',
      errors: [errors.informersOnly],
    }),
  },
} satisfies Resource
