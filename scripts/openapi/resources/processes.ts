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
import { crud } from '../crud.ts'
import type { Resource } from '../operation.ts'
import { integer, text, timestamps, uuid } from '../schemas.ts'
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

const ofProcesses = crud(
  ['Process', 'Processes'],
  ['um processo', 'os processos'],
  ProcessWithGroups,
)
const ofGroups = crud(['Group', 'Groups'], ['um grupo', 'os grupos'], ProcessWithGroups)
const ofQuestionnaires = crud(
  ['Questionnaire', 'Questionnaires'],
  ['um questionário', 'os questionários'],
  ProcessWithGroups,
)

export const processes = {
  tag: 'Processes',
  description: 'Os processos de provisão, com seus grupos e questionários.',
  operations: {
    'GET /v1/processes': ofProcesses.list({
      description:
        'Por protocolo. `search` procura no nome e no protocolo; `informers` conta os informantes do grupo.',
      query: processesQuery,
    }),
    'GET /v1/processes/:process': ofProcesses.read({
      description: 'Com seus grupos e questionários.',
    }),
    'POST /v1/processes': ofProcesses.create({
      description:
        'Com os grupos enviados, ou com cópias dos grupos e questionários do processo `groups_of`. O erro de um grupo vem no campo do seu lugar, como `groups.0.color` ou `groups.0.questionnaires.1`.',
      body: {
        schema: createProcessBody,
        example: {
          name: 'Provisão da Diocese de Vila Serena',
          protocol: 'BR-2026-003',
          groups: [example],
        },
      },
    }),
    'PATCH /v1/processes/:process': ofProcesses.update({
      body: { schema: updateProcessBody, example: { protocol: 'BR-2026-004' } },
    }),
    'DELETE /v1/processes/:process': ofProcesses.remove({
      description: 'Com seus grupos e questionários, se não tem informantes.',
      errors: ['processHasInformers'],
    }),
    'POST /v1/processes/:process/groups': ofGroups.create({
      description: 'Com os questionários enviados. O erro de um título vem em `questionnaires.0`.',
      body: { schema: createGroupBody, example: { ...example, name: 'Grupo 7' } },
    }),
    'PATCH /v1/groups/:group': ofGroups.update({
      body: { schema: updateGroupBody, example: { color: '#0D47A1' } },
    }),
    'DELETE /v1/groups/:group': ofGroups.remove({
      description: 'Com seus questionários, se não tem informantes.',
      errors: ['groupHasInformers'],
    }),
    'POST /v1/groups/:group/questionnaires': ofQuestionnaires.create({
      description: 'Quem já concluiu o grupo volta a ter o que responder.',
      body: { schema: createQuestionnaireBody, example: { title: 'Perfil do futuro bispo' } },
    }),
    'PATCH /v1/questionnaires/:questionnaire': ofQuestionnaires.update({
      description: 'O que os informantes concluíram fica como está.',
      body: { schema: updateQuestionnaireBody, example: { title: 'Situação da diocese' } },
    }),
    'DELETE /v1/questionnaires/:questionnaire': ofQuestionnaires.remove({
      description: 'Um que alguém concluiu fica: um 409.',
      errors: ['questionnaireCompleted'],
    }),
  },
} satisfies Resource
