import * as z from 'zod'
import { QUESTIONNAIRE_STATUSES } from '../../../src/domain/completion.ts'
import { createInformerBody, updateInformerBody } from '../../../src/domain/informer.ts'
import { informersQuery } from '../../../src/routes/informers.ts'
import { crud } from '../crud.ts'
import type { Resource } from '../operation.ts'
import { nullableText, success, text, timestamps, uuid } from '../schemas.ts'
import { person, Role } from './auth.ts'
import {
  CategoryReference,
  DioceseReference,
  TreatmentPronounReference,
} from './reference-lists.ts'

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

const GroupReference = z
  .strictObject({ id: uuid, name: text('Grupo 3') })
  .meta({ id: 'GroupReference' })

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

const FIRST_PAIR =
  '`process` e `group` são os do primeiro item de `processes_groups`, o mais antigo.'
const OWN_GROUP = 'De um grupo seu; o de outro não é encontrado.'

const { list, read, create, update, remove } = crud(
  ['Informer', 'Informers'],
  ['um informante', 'os informantes'],
  Informer,
)

/** What is changed of an informer by a path alone, as often as wanted. */
const change = (id: string, summary: string, description: string) => ({
  id,
  summary,
  description: `${description} Repetir nada muda.`,
  response: success({ data: Informer }),
})

export const informers = {
  tag: 'Informers',
  description: 'As pessoas consultadas em segredo.',
  operations: {
    'GET /v1/cover': {
      id: 'readCover',
      summary: 'Os dados da página inicial do informante',
      description: `Só para informantes. ${FIRST_PAIR}`,
      access: 'user',
      response: success({ data: Cover }),
      errors: ['informersOnly', 'groupOrProcessNotFound'],
    },
    'GET /v1/informers': list({
      description:
        'Por nome. `search` procura no nome completo e no email, ou um CPF inteiro. Os filtros se combinam.',
      query: informersQuery,
    }),
    'GET /v1/informers/:informer': read({ description: FIRST_PAIR }),
    'POST /v1/informers': create({
      description:
        'Só `first_name` é obrigatório. Um campo opcional é validado sempre que vem; `null` é como não enviado. Com `group_id`, o informante entra no grupo e no processo deste.',
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
    }),
    'PATCH /v1/informers/:informer': update({
      description:
        '`null` esvazia um campo opcional. Um novo email encerra as sessões, e invalida os links e uma senha que veio por um link; onde deve ser confirmado, recebe um link.',
      body: { schema: updateInformerBody, example: { last_name: 'da Silva Santos', phone: null } },
    }),
    'DELETE /v1/informers/:informer': remove({
      description: 'E tudo o que há dessa pessoa. Um token dela deixa de valer na hora.',
    }),
    'PUT /v1/informers/:informer/groups/:group': change(
      'associateGroup',
      'Associa um informante a um grupo',
      'E assim ao processo do grupo.',
    ),
    'DELETE /v1/informers/:informer/groups/:group': change(
      'dissociateGroup',
      'Retira um informante de um grupo',
      'E esquece os questionários que respondeu nele.',
    ),
    'PUT /v1/informers/:informer/questionnaires/:questionnaire': change(
      'completeQuestionnaire',
      'Registra que um informante respondeu um questionário',
      OWN_GROUP,
    ),
    'DELETE /v1/informers/:informer/questionnaires/:questionnaire': change(
      'reopenQuestionnaire',
      'Desfaz o registro de que um informante respondeu um questionário',
      OWN_GROUP,
    ),
  },
} satisfies Resource
