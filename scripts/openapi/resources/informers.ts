import * as z from 'zod'
import { QUESTIONNAIRE_STATUSES } from '../../../src/domain/completion.ts'
import { createInformerBody, updateInformerBody } from '../../../src/domain/informer.ts'
import { informersQuery } from '../../../src/routes/informers.ts'
import type { Resource } from '../operation.ts'
import { nullableText, page, success, text, timestamps, uuid } from '../schemas.ts'
import { person, Role } from './auth.ts'
import { CategoryReference, DioceseReference, TreatmentPronounReference } from './reference-lists.ts'

export const process = {
  id: uuid,
  name: text('Provisão da Diocese de Vila Serena'),
  protocol: text('BR-2026-001'),
}

export const group = {
  id: uuid,
  name: text('Grupo 3'),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/)
    .meta({ examples: ['#7A1F3D'] }),
  description: text('Bispos da província.'),
}

const Process = z.strictObject(process).meta({ id: 'Process' })
const Group = z.strictObject(group).meta({ id: 'Group' })

const GroupReference = z.strictObject({ id: uuid, name: text('Grupo 3') }).meta({ id: 'GroupReference' })

const CoverTexts = z
  .strictObject({ line_1: nullableText('SOB SEGREDO PONTIFÍCIO'), line_2: nullableText(null) })
  .meta({ id: 'CoverTexts' })

const completion = {
  is_concluded: z.boolean(),
  questionnaire_status: z.enum(QUESTIONNAIRE_STATUSES),
}

const pair = { process: Process, group: GroupReference, cover_texts: CoverTexts }

const Cover = z
  .strictObject({
    informer: z.strictObject(person),
    ...pair,
    processes_groups: z.array(z.strictObject({ ...pair, ...completion })),
  })
  .meta({ id: 'Cover' })

const newUser = {
  ...person,
  initials: text('ASS'),
  cpf: nullableText('52998224725'),
  phone: nullableText(null),
  img_url: nullableText(null),
  role: Role,
  ...timestamps,
}

const account = { is_email_verified: z.boolean(), has_password: z.boolean() }

/** What informers and administrators have in common. */
export const userFields = { ...newUser, ...account }

const informer = {
  ...newUser,
  category: CategoryReference.nullable(),
  treatment_pronoun: TreatmentPronounReference.nullable(),
  diocese: DioceseReference.nullable(),
  process: Process.nullable(),
  group: Group.nullable(),
}

const CreatedInformer = z.strictObject(informer).meta({ id: 'CreatedInformer' })

const Informer = z
  .strictObject({
    ...informer,
    ...account,
    processes_groups: z.array(z.strictObject({ process: Process, group: Group, ...completion })),
  })
  .meta({ id: 'Informer' })

export const informers = {
  tag: 'Informers',
  description: 'As pessoas consultadas em segredo.',
  pathParameters: {
    informer: 'O identificador do informante.',
    group: 'O identificador do grupo.',
    questionnaire: 'O identificador do questionário.',
  },
  operations: {
    'GET /v1/cover': {
      id: 'readCover',
      summary: 'Os dados da página inicial do informante',
      description:
        'Só para informantes. `process`, `group` e `cover_texts` são os do primeiro item de `processes_groups`, o mais antigo.',
      access: 'user',
      response: success({ data: Cover }),
      errors: ['informersOnly', 'groupOrProcessNotFound'],
    },
    'GET /v1/informers': {
      id: 'listInformers',
      summary: 'Os informantes',
      description:
        'Por nome. `search` procura no nome completo e no email, ou um CPF inteiro. Os filtros se combinam.',
      access: 'administrator',
      query: {
        schema: informersQuery,
        parameters: {
          process_id: 'Só os informantes deste processo.',
          group_id: 'Só os informantes deste grupo.',
          questionnaire_status: 'Só os que têm um par neste estado, entre os que os outros filtros deixam.',
        },
        invalid: { page: '0', group_id: '3' },
      },
      response: page(Informer),
    },
    'GET /v1/informers/:informer': {
      id: 'readInformer',
      summary: 'Um informante',
      description: '`process` e `group` são os do primeiro item de `processes_groups`, o mais antigo.',
      access: 'administrator',
      response: success({ data: Informer }),
      errors: ['informerNotFound'],
    },
    'POST /v1/informers': {
      id: 'createInformer',
      summary: 'Cria um informante',
      description:
        'Só `first_name` é obrigatório. Um campo opcional é validado sempre que vem; `null` é como não enviado. Com `group_id`, o informante entra no grupo e no processo deste.',
      access: 'administrator',
      body: {
        schema: createInformerBody,
        example: { first_name: 'João', last_name: 'da Silva Santos', cpf: '52998224725' },
        invalid: { cpf: '529.982.247-25', email: 'joao', password: 'curta', img_url: 'foto' },
      },
      response: success({
        data: CreatedInformer,
        message: 'Informante criado com sucesso.',
        email_verification_required: z.boolean(),
      }),
      status: 201,
      takesIdempotencyKey: true,
    },
    'PATCH /v1/informers/:informer': {
      id: 'updateInformer',
      summary: 'Altera os campos enviados de um informante',
      description:
        'Um JSON Merge Patch (RFC 7396): o que não vem fica como está, e `null` esvazia um campo opcional. Um novo email encerra as sessões, e invalida os links e uma senha que veio por um link; onde deve ser confirmado, recebe um link.',
      access: 'administrator',
      body: {
        schema: updateInformerBody,
        example: { last_name: 'da Silva Santos', phone: null },
        invalid: { first_name: null, email: 'joao' },
      },
      response: success({ data: Informer, message: 'Informante atualizado com sucesso.' }),
      errors: ['informerNotFound'],
    },
    'DELETE /v1/informers/:informer': {
      id: 'deleteInformer',
      summary: 'Exclui um informante',
      description: 'E tudo o que há dessa pessoa. Um token dela deixa de valer na hora.',
      access: 'administrator',
      response: success({ message: 'Informante excluído com sucesso.' }),
      errors: ['informerNotFound'],
    },
    'PUT /v1/informers/:informer/groups/:group': {
      id: 'associateGroup',
      summary: 'Associa um informante a um grupo',
      description: 'E assim ao processo do grupo. Repetir nada muda.',
      access: 'administrator',
      response: success({ data: Informer }),
      errors: ['informerNotFound', 'groupNotFound'],
    },
    'DELETE /v1/informers/:informer/groups/:group': {
      id: 'dissociateGroup',
      summary: 'Retira um informante de um grupo',
      description: 'E esquece os questionários que respondeu nele. Repetir nada muda.',
      access: 'administrator',
      response: success({ data: Informer }),
      errors: ['informerNotFound', 'groupNotFound'],
    },
    'PUT /v1/informers/:informer/questionnaires/:questionnaire': {
      id: 'completeQuestionnaire',
      summary: 'Registra que um informante respondeu um questionário',
      description: 'De um grupo seu; o de outro não é encontrado. Repetir nada muda.',
      access: 'administrator',
      response: success({ data: Informer }),
      errors: ['informerNotFound', 'questionnaireNotFound'],
    },
    'DELETE /v1/informers/:informer/questionnaires/:questionnaire': {
      id: 'reopenQuestionnaire',
      summary: 'Desfaz o registro de que um informante respondeu um questionário',
      description: 'De um grupo seu; o de outro não é encontrado. Repetir nada muda.',
      access: 'administrator',
      response: success({ data: Informer }),
      errors: ['informerNotFound', 'questionnaireNotFound'],
    },
  },
} satisfies Resource
