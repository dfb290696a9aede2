import * as z from 'zod'
import {
  createGroupBody,
  createProcessBody,
  createQuestionnaireBody,
  updateGroupBody,
  updateProcessBody,
  updateQuestionnaireBody,
} from '../../../src/domain/process.ts'
import { processesQuery } from '../../../src/routes/processes.ts'
import type { Resource } from '../operation.ts'
import { integer, page, success, text, timestamps, uuid } from '../schemas.ts'
import { group, process } from './informers.ts'

const Questionnaire = z
  .strictObject({ id: uuid, title: text('Situação da diocese') })
  .meta({ id: 'Questionnaire' })

const ProcessGroup = z
  .strictObject({ ...group, informers: integer(7), questionnaires: z.array(Questionnaire) })
  .meta({ id: 'ProcessGroup' })

const ProcessWithGroups = z
  .strictObject({ ...process, ...timestamps, groups: z.array(ProcessGroup) })
  .meta({ id: 'ProcessWithGroups' })

const example = {
  name: 'Grupo 3',
  color: '#7A1F3D',
  description: 'Bispos da província.',
  questionnaires: ['Situação da diocese'],
}

/** The response with the whole process. */
const changed = (message: string) => success({ data: ProcessWithGroups, message })

export const processes = {
  tag: 'Processes',
  description: 'Os processos de provisão, com seus grupos e questionários.',
  pathParameters: {
    process: 'O identificador do processo.',
    group: 'O identificador do grupo.',
    questionnaire: 'O identificador do questionário.',
  },
  operations: {
    'GET /v1/processes': {
      id: 'listProcesses',
      summary: 'Os processos',
      description:
        'Por protocolo. `search` procura no nome e no protocolo; `informers` conta os informantes do grupo.',
      access: 'administrator',
      query: { schema: processesQuery, invalid: { page: '0' } },
      response: page(ProcessWithGroups),
    },
    'GET /v1/processes/:process': {
      id: 'readProcess',
      summary: 'Um processo',
      description: 'Com seus grupos e questionários.',
      access: 'administrator',
      response: success({ data: ProcessWithGroups }),
      errors: ['processNotFound'],
    },
    'POST /v1/processes': {
      id: 'createProcess',
      summary: 'Cria um processo',
      description:
        'Com os grupos enviados, ou com cópias dos grupos e questionários do processo `groups_of`. O erro de um grupo vem no campo do seu lugar, como `groups.0.color` ou `groups.0.questionnaires.1`.',
      access: 'administrator',
      body: {
        schema: createProcessBody,
        example: {
          name: 'Provisão da Diocese de Vila Serena',
          protocol: 'BR-2026-003',
          groups: [example],
        },
        invalid: { name: '', groups: 'Grupo 3', groups_of: '3' },
      },
      response: changed('Processo criado com sucesso.'),
      status: 201,
      takesIdempotencyKey: true,
    },
    'PATCH /v1/processes/:process': {
      id: 'updateProcess',
      summary: 'Altera os campos enviados de um processo',
      description: 'Um JSON Merge Patch (RFC 7396): o que não vem fica como está.',
      access: 'administrator',
      body: {
        schema: updateProcessBody,
        example: { protocol: 'BR-2026-004' },
        invalid: { name: null, protocol: '' },
      },
      response: changed('Processo atualizado com sucesso.'),
      errors: ['processNotFound'],
    },
    'DELETE /v1/processes/:process': {
      id: 'deleteProcess',
      summary: 'Exclui um processo sem informantes',
      description: 'Com seus grupos e questionários.',
      access: 'administrator',
      response: success({ message: 'Processo excluído com sucesso.' }),
      errors: ['processNotFound', 'processHasInformers'],
    },
    'POST /v1/processes/:process/groups': {
      id: 'createGroup',
      summary: 'Cria um grupo de um processo',
      description: 'Com os questionários enviados. O erro de um título vem em `questionnaires.0`.',
      access: 'administrator',
      body: {
        schema: createGroupBody,
        example: { ...example, name: 'Grupo 7' },
        invalid: { name: 'Grupo 7', color: 'azul' },
      },
      response: changed('Grupo criado com sucesso.'),
      status: 201,
      takesIdempotencyKey: true,
      errors: ['processNotFound'],
    },
    'PATCH /v1/groups/:group': {
      id: 'updateGroup',
      summary: 'Altera os campos enviados de um grupo',
      description: 'Um JSON Merge Patch (RFC 7396): o que não vem fica como está.',
      access: 'administrator',
      body: { schema: updateGroupBody, example: { color: '#0D47A1' }, invalid: { color: 'azul' } },
      response: changed('Grupo atualizado com sucesso.'),
      errors: ['groupNotFound'],
    },
    'DELETE /v1/groups/:group': {
      id: 'deleteGroup',
      summary: 'Exclui um grupo sem informantes',
      description: 'Com seus questionários.',
      access: 'administrator',
      response: success({ message: 'Grupo excluído com sucesso.' }),
      errors: ['groupNotFound', 'groupHasInformers'],
    },
    'POST /v1/groups/:group/questionnaires': {
      id: 'createQuestionnaire',
      summary: 'Cria um questionário de um grupo',
      description: 'Quem já concluiu o grupo volta a ter o que responder.',
      access: 'administrator',
      body: {
        schema: createQuestionnaireBody,
        example: { title: 'Situação da diocese' },
        invalid: { title: '' },
      },
      response: changed('Questionário criado com sucesso.'),
      status: 201,
      takesIdempotencyKey: true,
      errors: ['groupNotFound'],
    },
    'PATCH /v1/questionnaires/:questionnaire': {
      id: 'updateQuestionnaire',
      summary: 'Altera o título de um questionário',
      description: 'O que os informantes concluíram fica como está.',
      access: 'administrator',
      body: {
        schema: updateQuestionnaireBody,
        example: { title: 'Situação da diocese' },
        invalid: { title: null },
      },
      response: changed('Questionário atualizado com sucesso.'),
      errors: ['questionnaireNotFound'],
    },
    'DELETE /v1/questionnaires/:questionnaire': {
      id: 'deleteQuestionnaire',
      summary: 'Exclui um questionário que ninguém concluiu',
      description: 'Um que alguém concluiu fica: um 409.',
      access: 'administrator',
      response: success({ message: 'Questionário excluído com sucesso.' }),
      errors: ['questionnaireNotFound', 'questionnaireCompleted'],
    },
  },
} satisfies Resource
