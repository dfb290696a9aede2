import * as z from 'zod'
import { processesQuery } from '../../../src/routes/processes.ts'
import type { Resource } from '../operation.ts'
import { integer, page, text, timestamps, uuid } from '../schemas.ts'
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

export const processes = {
  tag: 'Processes',
  description: 'Os processos de provisão, com seus grupos e questionários.',
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
  },
} satisfies Resource
