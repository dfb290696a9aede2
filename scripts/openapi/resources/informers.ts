import * as z from 'zod'
import { createInformerBody } from '../../../src/domain/informer.ts'
import type { Resource } from '../operation.ts'
import { nullableText, success, text, timestamps, uuid } from '../schemas.ts'
import { person, Role } from './auth.ts'
import { CategoryReference, DioceseReference, TreatmentPronounReference } from './reference-lists.ts'

const Process = z
  .strictObject({ id: uuid, name: text('Provisão da Diocese de Vila Serena'), protocol: text('BR-2026-001') })
  .meta({ id: 'Process' })

const Group = z
  .strictObject({
    id: uuid,
    name: text('Grupo 3'),
    color: z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/)
      .meta({ examples: ['#7A1F3D'] }),
    description: text('Bispos da província.'),
  })
  .meta({ id: 'Group' })

const GroupReference = z.strictObject({ id: uuid, name: text('Grupo 3') }).meta({ id: 'GroupReference' })

const CoverTexts = z
  .strictObject({ line_1: nullableText('SOB SEGREDO PONTIFÍCIO'), line_2: nullableText(null) })
  .meta({ id: 'CoverTexts' })

const completion = {
  is_concluded: z.boolean(),
  questionnaire_status: z.enum(['Pendente', 'Em andamento', 'Concluído']),
}

const pair = { process: Process, group: GroupReference, cover_texts: CoverTexts }

const Cover = z
  .strictObject({
    informer: z.strictObject(person),
    ...pair,
    processes_groups: z.array(z.strictObject({ ...pair, ...completion })),
  })
  .meta({ id: 'Cover' })

const Informer = z
  .strictObject({
    ...person,
    initials: text('ASS'),
    cpf: nullableText('52998224725'),
    phone: nullableText(null),
    img_url: nullableText(null),
    role: Role,
    category: CategoryReference.nullable(),
    treatment_pronoun: TreatmentPronounReference.nullable(),
    diocese: DioceseReference.nullable(),
    process: Process.nullable(),
    group: Group.nullable(),
    ...timestamps,
  })
  .meta({ id: 'Informer' })

export const informers = {
  tag: 'Informers',
  description: 'As pessoas consultadas em segredo.',
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
        data: Informer,
        message: 'Informante criado com sucesso.',
        email_verification_required: z.boolean(),
      }),
      status: 201,
      takesIdempotencyKey: true,
    },
  },
} satisfies Resource
