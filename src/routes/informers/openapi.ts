import * as z from 'zod'
import { createInformerBody, informersQuery, updateInformerBody } from './schemas.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { change, confirm, list, show, type Resource } from '#openapi/operation.ts'
import { userMembers, userStateMembers } from '#openapi/people.ts'
import {
  completedAt,
  completionFields,
  Group,
  Process,
  questionnaireFields,
} from '#openapi/processes.ts'
import { success } from '#openapi/schemas.ts'
import {
  CategoryReference,
  DioceseReference,
  TreatmentPronounReference,
} from '#routes/reference-lists/openapi.ts'

const informerFields = {
  ...userMembers,
  category: CategoryReference.nullable(),
  treatment_pronoun: TreatmentPronounReference.nullable(),
  diocese: DioceseReference.nullable(),
  process: Process.nullable(),
  group: Group.nullable(),
}

const CreatedInformer = z.strictObject(informerFields).meta({ id: 'CreatedInformer' })

const PairQuestionnaire = z
  .strictObject({ ...questionnaireFields, completed_at: completedAt })
  .meta({ id: 'PairQuestionnaire' })

const Informer = z
  .strictObject({
    ...informerFields,
    ...userStateMembers,
    processes_groups: z.array(
      z.strictObject({
        process: Process,
        group: Group,
        ...completionFields,
        questionnaires: z.array(PairQuestionnaire),
      }),
    ),
  })
  .meta({ id: 'Informer' })

/** An API token that may only record completions is not shown the informer. */
const Completion = success({ data: Informer.optional() })

const FIRST_PAIR =
  '`process` e `group` são os do primeiro item de `processes_groups`, o mais antigo.'
const REPEATABLE = 'Repetir não muda nada.'
const OF_OWN_GROUP = `De um grupo seu; o de outro grupo não é encontrado. ${REPEATABLE}`

export const informersApi = {
  tag: 'Informers',
  description: 'As pessoas consultadas sob sigilo.',
  pathParameters: {
    informer: {
      description: 'O identificador do informante.',
      notFound: errors.informerNotFound,
    },
  },
  operations: {
    'GET /v1/informers': list(Informer, {
      id: 'listInformers',
      scope: 'informers:read',
      summary: 'Lista os informantes',
      description:
        'Em ordem de nome. `search` procura no nome completo e no email, ou por um CPF ' +
        'inteiro. Os filtros se combinam; `process_id`, `group_id`, `questionnaire_status` ' +
        'e `is_concluded` valem para um mesmo par de processo e grupo, e ' +
        '`has_process=false` encontra quem não está em nenhum processo.',
      query: informersQuery,
    }),
    'GET /v1/informers/:informer': show(Informer, {
      id: 'readInformer',
      scope: 'informers:read',
      summary: 'Mostra um informante',
      description: FIRST_PAIR,
      hasEntityTag: true,
    }),
    'POST /v1/informers': {
      id: 'createInformer',
      scope: 'informers:write',
      summary: 'Cria um informante',
      description:
        'Só `first_name` é obrigatório. Os campos opcionais enviados são validados; `null` ' +
        'equivale a não enviar. Com `group_id` ou `group_ids`, o informante entra nos ' +
        'grupos e nos processos deles.',
      body: {
        schema: createInformerBody,
        example: { first_name: 'João', last_name: 'da Silva Santos', cpf: '52998224725' },
      },
      hasEntityTag: true,
      response: success({
        data: CreatedInformer,
        message: z.literal(messages.informerCreated),
        email_verification_required: z.boolean(),
      }),
      status: 201,
      takesIdempotencyKey: true,
    },
    'PATCH /v1/informers/:informer': change(Informer, messages.informerUpdated, {
      id: 'updateInformer',
      scope: 'informers:write',
      summary: 'Altera os campos enviados de um informante',
      description:
        'JSON Merge Patch (RFC 7396): os campos ausentes não mudam, e `null` esvazia um ' +
        'campo opcional. Um novo email encerra as sessões e invalida os links e uma senha ' +
        'definida por um link; se precisa ser confirmado, recebe um link. ' +
        '`is_email_verified: true` confirma um endereço que a secretaria conhece, sem ' +
        'mensagem.',
      body: {
        schema: updateInformerBody,
        example: { last_name: 'da Silva Santos', phone: null },
      },
      takesIfMatch: true,
      hasEntityTag: true,
    }),
    'DELETE /v1/informers/:informer': confirm(messages.informerDeleted, {
      id: 'deleteInformer',
      scope: 'informers:write',
      summary: 'Exclui um informante',
      description:
        'Exclui também tudo o que há sobre a pessoa. Os tokens dela perdem a validade na hora.',
      takesIfMatch: true,
    }),
    'DELETE /v1/informers/:informer/sessions': confirm(messages.sessionsEnded, {
      id: 'endInformerSessions',
      scope: 'login',
      summary: 'Encerra as sessões de um informante',
      description:
        'Todos os tokens emitidos até agora perdem a validade; a senha continua a mesma.',
    }),
    'PUT /v1/informers/:informer/groups/:group': show(Informer, {
      id: 'associateGroup',
      scope: 'informers:write',
      summary: 'Associa um informante a um grupo',
      description: `E assim também ao processo do grupo. ${REPEATABLE}`,
      hasEntityTag: true,
    }),
    'DELETE /v1/informers/:informer/groups/:group': show(Informer, {
      id: 'dissociateGroup',
      scope: 'informers:write',
      summary: 'Retira um informante de um grupo',
      description: `Apaga também o registro dos questionários concluídos nele. ${REPEATABLE}`,
      hasEntityTag: true,
    }),
    'PUT /v1/informers/:informer/questionnaires/:questionnaire': {
      id: 'completeQuestionnaire',
      scope: 'completions:write',
      summary: 'Registra que um informante concluiu um questionário',
      description: OF_OWN_GROUP,
      hasEntityTag: true,
      response: Completion,
    },
    'DELETE /v1/informers/:informer/questionnaires/:questionnaire': {
      id: 'reopenQuestionnaire',
      scope: 'completions:write',
      summary: 'Desfaz o registro de que um informante concluiu um questionário',
      description: OF_OWN_GROUP,
      hasEntityTag: true,
      response: Completion,
    },
  },
} satisfies Resource

export type Informer = z.output<typeof Informer>

export type CreatedInformer = z.output<typeof CreatedInformer>
