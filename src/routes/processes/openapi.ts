import * as z from 'zod'
import {
  createGroupBody,
  createProcessBody,
  createQuestionnaireBody,
  processesQuery,
  updateGroupBody,
  updateProcessBody,
  updateQuestionnaireBody,
} from './schemas.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { change, confirm, create, list, show, type Resource } from '#openapi/operation.ts'
import {
  CoverTexts,
  groupFields,
  processFields,
  questionnaireFields,
} from '#openapi/processes.ts'
import { integer, success, timestamps } from '#openapi/schemas.ts'

const Questionnaire = z.strictObject(questionnaireFields).meta({ id: 'Questionnaire' })

const listedGroupFields = {
  ...groupFields,
  cover_texts: CoverTexts,
  informers: integer(7),
  questionnaires: z.array(Questionnaire),
}

const ListedGroup = z.strictObject(listedGroupFields).meta({ id: 'ListedGroup' })

const ListedProcess = z
  .strictObject({ ...processFields, ...timestamps, groups: z.array(ListedGroup) })
  .meta({ id: 'ListedProcess' })

const ProcessGroup = z
  .strictObject({
    ...listedGroupFields,
    pending: integer(4).meta({ description: 'Quantos ainda não concluíram nada.' }),
    in_progress: integer(2).meta({ description: 'Quantos concluíram uma parte.' }),
    concluded: integer(1).meta({ description: 'Quantos concluíram tudo.' }),
  })
  .meta({ id: 'ProcessGroup' })

const ProcessWithGroups = z
  .strictObject({ ...processFields, ...timestamps, groups: z.array(ProcessGroup) })
  .meta({ id: 'ProcessWithGroups' })

const groupExample = {
  name: 'Grupo 3',
  color: '#7A1F3D',
  description: 'Bispos da província.',
  questionnaires: ['Situação da diocese'],
}

const MERGE_PATCH = 'JSON Merge Patch (RFC 7396): os campos ausentes não mudam.'

export const processesApi = {
  tag: 'Processes',
  description: 'Os processos de provisão, com seus grupos e questionários.',
  pathParameters: {
    process: {
      description: 'O identificador do processo.',
      notFound: errors.processNotFound,
    },
    group: { description: 'O identificador do grupo.', notFound: errors.groupNotFound },
    questionnaire: {
      description: 'O identificador do questionário.',
      notFound: errors.questionnaireNotFound,
    },
  },
  operations: {
    'GET /v1/processes': list(ListedProcess, {
      id: 'listProcesses',
      scope: 'processes:read',
      summary: 'Lista os processos',
      description:
        'Em ordem de protocolo. `search` procura no nome e no protocolo; `informers` conta ' +
        'os informantes do grupo, e `cover_texts` é o que a capa mostra para o nome dele.',
      query: processesQuery,
    }),
    'GET /v1/processes/:process': show(ProcessWithGroups, {
      id: 'readProcess',
      scope: 'processes:read',
      summary: 'Mostra um processo',
      description:
        'Com seus grupos e questionários, e quantos informantes de cada grupo ainda não ' +
        'começaram, já começaram ou concluíram: `informers` é a soma.',
    }),
    'POST /v1/processes': create(ProcessWithGroups, messages.processCreated, {
      id: 'createProcess',
      scope: 'informers:write',
      summary: 'Cria um processo',
      description:
        'Com os grupos enviados, ou com cópias dos grupos e questionários do processo ' +
        '`groups_of`. O erro de um grupo vem com a posição dele, como `groups.0.color` ou ' +
        '`groups.0.questionnaires.1`.',
      body: {
        schema: createProcessBody,
        example: {
          name: 'Provisão da Diocese de Vila Serena',
          protocol: 'BR-2026-003',
          groups: [groupExample],
        },
      },
    }),
    'PATCH /v1/processes/:process': change(ProcessWithGroups, messages.processUpdated, {
      id: 'updateProcess',
      scope: 'informers:write',
      summary: 'Altera os campos enviados de um processo',
      description: MERGE_PATCH,
      body: { schema: updateProcessBody, example: { protocol: 'BR-2026-004' } },
    }),
    'DELETE /v1/processes/:process': confirm(messages.processDeleted, {
      id: 'deleteProcess',
      scope: 'informers:write',
      summary: 'Exclui um processo',
      description:
        'Exclui também seus grupos e questionários. Um processo com informantes não pode ' +
        'ser excluído.',
      errors: [errors.processHasInformers],
    }),
    'DELETE /v1/processes/:process/informers': {
      id: 'dissociateProcess',
      scope: 'informers:write',
      summary: 'Retira todos os informantes de um processo',
      description:
        'Apaga também o registro dos questionários concluídos nele. As pessoas continuam ' +
        'cadastradas. `dissociated` conta os pares de informante e grupo; repetir não muda ' +
        'nada, e conta 0.',
      response: success({
        data: z.strictObject({ dissociated: integer(7) }),
        message: z.literal(messages.processEmptied),
      }),
    },
    'POST /v1/processes/:process/groups': create(
      ProcessWithGroups,
      messages.groupCreated,
      {
        id: 'createGroup',
        scope: 'informers:write',
        summary: 'Cria um grupo',
        description:
          'Com os questionários enviados. Responde com o processo, que tem o novo grupo em ' +
          '`groups`. O erro de um título vem em `questionnaires.0`. As linhas de sigilo da ' +
          'capa vêm da configuração `COVER_TEXTS`, pelo nome do grupo; um nome ausente ' +
          'dela não tem nenhuma.',
        body: { schema: createGroupBody, example: { ...groupExample, name: 'Grupo 7' } },
      },
    ),
    'PATCH /v1/groups/:group': change(ProcessWithGroups, messages.groupUpdated, {
      id: 'updateGroup',
      scope: 'informers:write',
      summary: 'Altera os campos enviados de um grupo',
      description: MERGE_PATCH,
      body: { schema: updateGroupBody, example: { color: '#0D47A1' } },
    }),
    'DELETE /v1/groups/:group': confirm(messages.groupDeleted, {
      id: 'deleteGroup',
      scope: 'informers:write',
      summary: 'Exclui um grupo',
      description:
        'Exclui também seus questionários. Um grupo com informantes não pode ser excluído.',
      errors: [errors.groupHasInformers],
    }),
    'POST /v1/groups/:group/questionnaires': create(
      ProcessWithGroups,
      messages.questionnaireCreated,
      {
        id: 'createQuestionnaire',
        scope: 'informers:write',
        summary: 'Cria um questionário',
        description:
          'Responde com o processo. Quem já tinha concluído o grupo volta a ter o que ' +
          'responder.',
        body: {
          schema: createQuestionnaireBody,
          example: { title: 'Perfil do futuro bispo' },
        },
      },
    ),
    'PATCH /v1/questionnaires/:questionnaire': change(
      ProcessWithGroups,
      messages.questionnaireUpdated,
      {
        id: 'updateQuestionnaire',
        scope: 'informers:write',
        summary: 'Altera os campos enviados de um questionário',
        description: `${MERGE_PATCH} O que os informantes concluíram continua concluído.`,
        body: {
          schema: updateQuestionnaireBody,
          example: { title: 'Situação da diocese' },
        },
      },
    ),
    'DELETE /v1/questionnaires/:questionnaire': confirm(messages.questionnaireDeleted, {
      id: 'deleteQuestionnaire',
      scope: 'informers:write',
      summary: 'Exclui um questionário',
      description: 'Um questionário que alguém concluiu não pode ser excluído.',
      errors: [errors.questionnaireCompleted],
    }),
  },
} satisfies Resource
