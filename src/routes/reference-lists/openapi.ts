import * as z from 'zod'
import { errors } from '../../http/errors.ts'
import { messages } from '../../http/messages.ts'
import type { Resource } from '../../openapi/operation.ts'
import { integer, page, success, text, timestamps } from '../../openapi/schemas.ts'
import {
  createDescribedBody,
  createDioceseBody,
  describedListQuery,
  diocesesQuery,
  updateDescribedBody,
  updateDioceseBody,
} from './schemas.ts'

const active = z.boolean().meta({ examples: [true] })

// A reference as an informer shows it, and the item of its list.

const categoryFields = {
  id: integer(47),
  name: text('Cônego'),
  description: text(
    'Sacerdote nomeado cônego, capitular ou honorário, de cabido catedralício ou colegiado.',
  ),
  active,
}

export const CategoryReference = z
  .strictObject(categoryFields)
  .meta({ id: 'CategoryReference' })

const Category = z
  .strictObject({ ...categoryFields, ...timestamps })
  .meta({ id: 'Category' })

const treatmentPronounFields = {
  id: integer(1),
  name: text('Dom'),
  description: text('Bispos e abades.'),
  active,
}

export const TreatmentPronounReference = z
  .strictObject(treatmentPronounFields)
  .meta({ id: 'TreatmentPronounReference' })

const TreatmentPronoun = z
  .strictObject({ ...treatmentPronounFields, ...timestamps })
  .meta({ id: 'TreatmentPronoun' })

const dioceseFields = {
  id: integer(2),
  name: text('Diocese de Rio Branco'),
  state: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .meta({ examples: ['AC'] }),
  active,
}

export const DioceseReference = z
  .strictObject(dioceseFields)
  .meta({ id: 'DioceseReference' })

const Diocese = z
  .strictObject({ ...dioceseFields, ...timestamps })
  .meta({ id: 'Diocese' })

const READ = 'Público, como a lista.'
const UPDATE =
  'O nome é único, sem distinção de maiúsculas e acentos. Uma lista tem no máximo 10.000 ' +
  'registros e 4 MB de texto.'
const CREATE = `${UPDATE} Sem \`active\`, fica ativo.`
const DELETE = 'Só se ninguém o referencia; senão, desative-o.'

const describedExample = {
  name: 'Ecônomo',
  description: 'Administra os bens da diocese.',
}

export const referenceListsApi = {
  tag: 'Reference lists',
  description:
    'As listas a que um informante se refere: todos leem, os administradores alteram.',
  pathParameters: {
    category: {
      description: 'O número da função.',
      notFound: errors.categoryNotFound,
      isInteger: true,
    },
    diocese: {
      description: 'O número da diocese.',
      notFound: errors.dioceseNotFound,
      isInteger: true,
    },
    treatment_pronoun: {
      description: 'O número do pronome de tratamento.',
      notFound: errors.treatmentPronounNotFound,
      isInteger: true,
    },
  },
  operations: {
    'GET /v1/categories': {
      id: 'listCategories',
      summary: 'As funções eclesiásticas',
      description: '`search` procura no nome e na descrição.',
      access: 'optional',
      cache: 'always',
      query: describedListQuery,
      response: page(Category),
    },
    'GET /v1/categories/:category': {
      id: 'readCategory',
      summary: 'Uma função eclesiástica',
      description: READ,
      access: 'optional',
      cache: 'always',
      response: success({ data: Category }),
    },
    'POST /v1/categories': {
      id: 'createCategory',
      summary: 'Cria uma função eclesiástica',
      description: CREATE,
      body: { schema: createDescribedBody, example: describedExample },
      response: success({ data: Category, message: z.literal(messages.categoryCreated) }),
      status: 201,
    },
    'PATCH /v1/categories/:category': {
      id: 'updateCategory',
      summary: 'Altera os campos enviados de uma função eclesiástica',
      description: UPDATE,
      body: { schema: updateDescribedBody, example: { active: false } },
      response: success({ data: Category, message: z.literal(messages.categoryUpdated) }),
    },
    'DELETE /v1/categories/:category': {
      id: 'deleteCategory',
      summary: 'Exclui uma função eclesiástica',
      description: DELETE,
      response: success({ message: z.literal(messages.categoryDeleted) }),
      errors: [errors.recordInUse],
    },
    'GET /v1/dioceses': {
      id: 'listDioceses',
      summary: 'As dioceses',
      description: '`search` procura no nome.',
      access: 'optional',
      cache: 'always',
      query: diocesesQuery,
      response: page(Diocese),
    },
    'GET /v1/dioceses/:diocese': {
      id: 'readDiocese',
      summary: 'Uma diocese',
      description: READ,
      access: 'optional',
      cache: 'always',
      response: success({ data: Diocese }),
    },
    'POST /v1/dioceses': {
      id: 'createDiocese',
      summary: 'Cria uma diocese',
      description: CREATE,
      body: {
        schema: createDioceseBody,
        example: { name: 'Diocese de Vila Serena', state: 'SP' },
      },
      response: success({ data: Diocese, message: z.literal(messages.dioceseCreated) }),
      status: 201,
    },
    'PATCH /v1/dioceses/:diocese': {
      id: 'updateDiocese',
      summary: 'Altera os campos enviados de uma diocese',
      description: UPDATE,
      body: { schema: updateDioceseBody, example: { active: false } },
      response: success({ data: Diocese, message: z.literal(messages.dioceseUpdated) }),
    },
    'DELETE /v1/dioceses/:diocese': {
      id: 'deleteDiocese',
      summary: 'Exclui uma diocese',
      description: DELETE,
      response: success({ message: z.literal(messages.dioceseDeleted) }),
      errors: [errors.recordInUse],
    },
    'GET /v1/treatment-pronouns': {
      id: 'listTreatmentPronouns',
      summary: 'Os pronomes de tratamento',
      description: '`search` procura no nome e na descrição.',
      access: 'optional',
      cache: 'always',
      query: describedListQuery,
      response: page(TreatmentPronoun),
    },
    'GET /v1/treatment-pronouns/:treatment_pronoun': {
      id: 'readTreatmentPronoun',
      summary: 'Um pronome de tratamento',
      description: READ,
      access: 'optional',
      cache: 'always',
      response: success({ data: TreatmentPronoun }),
    },
    'POST /v1/treatment-pronouns': {
      id: 'createTreatmentPronoun',
      summary: 'Cria um pronome de tratamento',
      description: CREATE,
      body: { schema: createDescribedBody, example: describedExample },
      response: success({
        data: TreatmentPronoun,
        message: z.literal(messages.treatmentPronounCreated),
      }),
      status: 201,
    },
    'PATCH /v1/treatment-pronouns/:treatment_pronoun': {
      id: 'updateTreatmentPronoun',
      summary: 'Altera os campos enviados de um pronome de tratamento',
      description: UPDATE,
      body: { schema: updateDescribedBody, example: { active: false } },
      response: success({
        data: TreatmentPronoun,
        message: z.literal(messages.treatmentPronounUpdated),
      }),
    },
    'DELETE /v1/treatment-pronouns/:treatment_pronoun': {
      id: 'deleteTreatmentPronoun',
      summary: 'Exclui um pronome de tratamento',
      description: DELETE,
      response: success({ message: z.literal(messages.treatmentPronounDeleted) }),
      errors: [errors.recordInUse],
    },
  },
} satisfies Resource

export type Category = z.output<typeof Category>
export type Diocese = z.output<typeof Diocese>
export type TreatmentPronoun = z.output<typeof TreatmentPronoun>
