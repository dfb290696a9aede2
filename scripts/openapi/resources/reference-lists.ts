import * as z from 'zod'
import {
  createDescribedBody,
  createDioceseBody,
  updateDescribedBody,
  updateDioceseBody,
} from '../../../src/domain/reference.ts'
import { categoriesQuery } from '../../../src/routes/categories.ts'
import { diocesesQuery } from '../../../src/routes/dioceses.ts'
import { treatmentPronounsQuery } from '../../../src/routes/treatment-pronouns.ts'
import type { Operation, Resource } from '../operation.ts'
import { integer, page, success, text, timestamps } from '../schemas.ts'

/** A reference as embedded in an informer, and the item of its list. */
function referenceSchemas(name: string, fields: Record<string, z.ZodType>) {
  const reference = z.strictObject({ ...fields, active: z.boolean().meta({ examples: [true] }) })
  return [
    reference.meta({ id: `${name}Reference` }),
    reference.extend(timestamps).meta({ id: name }),
  ] as const
}

export const [CategoryReference, Category] = referenceSchemas('Category', {
  id: integer(47),
  name: text('Cônego'),
  description: text('Sacerdote nomeado cônego, capitular ou honorário, de cabido catedralício ou colegiado.'),
})

export const [TreatmentPronounReference, TreatmentPronoun] = referenceSchemas('TreatmentPronoun', {
  id: integer(1),
  name: text('Dom'),
  description: text('Bispos e abades.'),
})

export const [DioceseReference, Diocese] = referenceSchemas('Diocese', {
  id: integer(2),
  name: text('Diocese de Rio Branco'),
  state: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .meta({ examples: ['AC'] }),
})

const TAKEN =
  'O nome é único, sem distinção de maiúsculas e acentos. Uma lista tem no máximo 10.000 registros e 4 MB de texto.'

/** What the operations on one row of a list have in common. */
const reading = (Row: z.ZodType, summary: string) =>
  ({
    summary,
    description: 'Público, como a lista.',
    access: 'optional',
    response: success({ data: Row }),
    cache: 'always',
  }) satisfies Partial<Operation>

const creating = (Row: z.ZodType, summary: string, message: string) =>
  ({
    summary,
    description: `${TAKEN} Sem \`active\`, fica ativo.`,
    access: 'administrator',
    response: success({ data: Row, message }),
    status: 201,
    takesIdempotencyKey: true,
  }) satisfies Partial<Operation>

const updating = (Row: z.ZodType, summary: string, message: string) =>
  ({
    summary,
    description: `Um JSON Merge Patch (RFC 7396): o que não vem fica como está. ${TAKEN}`,
    access: 'administrator',
    response: success({ data: Row, message }),
  }) satisfies Partial<Operation>

const deleting = (summary: string, message: string) =>
  ({
    summary,
    description: 'Só se ninguém o referencia; senão, desative-o.',
    access: 'administrator',
    response: success({ message }),
  }) satisfies Partial<Operation>

const described = {
  create: {
    schema: createDescribedBody,
    example: { name: 'Ecônomo', description: 'Administra os bens da diocese.' },
    invalid: { name: '', active: 'sim' },
  },
  update: { schema: updateDescribedBody, example: { active: false }, invalid: { description: '' } },
}

export const referenceLists = {
  tag: 'Reference lists',
  description: 'O que um informante referencia: leitura pública, e cuidado de administradores.',
  hasIntegerIds: true,
  pathParameters: {
    category: 'O número da função.',
    diocese: 'O número da diocese.',
    treatment_pronoun: 'O número do pronome de tratamento.',
  },
  operations: {
    'GET /v1/categories': {
      id: 'listCategories',
      summary: 'As funções eclesiásticas',
      description: '`search` procura no nome e na descrição.',
      access: 'optional',
      query: { schema: categoriesQuery, invalid: { per_page: '101', active: 'sim' } },
      response: page(Category),
      cache: 'always',
    },
    'GET /v1/categories/:category': {
      id: 'readCategory',
      ...reading(Category, 'Uma função eclesiástica'),
      errors: ['categoryNotFound'],
    },
    'POST /v1/categories': {
      id: 'createCategory',
      ...creating(Category, 'Cria uma função eclesiástica', 'Categoria criada com sucesso.'),
      body: described.create,
    },
    'PATCH /v1/categories/:category': {
      id: 'updateCategory',
      ...updating(
        Category,
        'Altera os campos enviados de uma função eclesiástica',
        'Categoria atualizada com sucesso.',
      ),
      body: described.update,
      errors: ['categoryNotFound'],
    },
    'DELETE /v1/categories/:category': {
      id: 'deleteCategory',
      ...deleting('Exclui uma função eclesiástica', 'Categoria excluída com sucesso.'),
      errors: ['categoryNotFound', 'recordInUse'],
    },
    'GET /v1/dioceses': {
      id: 'listDioceses',
      summary: 'As dioceses',
      description: '`search` procura no nome.',
      access: 'optional',
      query: {
        schema: diocesesQuery,
        parameters: { state: 'Só as deste estado, pela sigla.' },
        invalid: { state: 'ac', search: 'a'.repeat(101) },
      },
      response: page(Diocese),
      cache: 'always',
    },
    'GET /v1/dioceses/:diocese': {
      id: 'readDiocese',
      ...reading(Diocese, 'Uma diocese'),
      errors: ['dioceseNotFound'],
    },
    'POST /v1/dioceses': {
      id: 'createDiocese',
      ...creating(Diocese, 'Cria uma diocese', 'Diocese criada com sucesso.'),
      body: {
        schema: createDioceseBody,
        example: { name: 'Diocese de Vila Serena', state: 'SP' },
        invalid: { state: 'sp' },
      },
    },
    'PATCH /v1/dioceses/:diocese': {
      id: 'updateDiocese',
      ...updating(Diocese, 'Altera os campos enviados de uma diocese', 'Diocese atualizada com sucesso.'),
      body: { schema: updateDioceseBody, example: { active: false }, invalid: { active: null } },
      errors: ['dioceseNotFound'],
    },
    'DELETE /v1/dioceses/:diocese': {
      id: 'deleteDiocese',
      ...deleting('Exclui uma diocese', 'Diocese excluída com sucesso.'),
      errors: ['dioceseNotFound', 'recordInUse'],
    },
    'GET /v1/treatment-pronouns': {
      id: 'listTreatmentPronouns',
      summary: 'Os pronomes de tratamento',
      description: '`search` procura no nome e na descrição.',
      access: 'optional',
      query: { schema: treatmentPronounsQuery, invalid: { page: '', active: '1' } },
      response: page(TreatmentPronoun),
      cache: 'always',
    },
    'GET /v1/treatment-pronouns/:treatment_pronoun': {
      id: 'readTreatmentPronoun',
      ...reading(TreatmentPronoun, 'Um pronome de tratamento'),
      errors: ['treatmentPronounNotFound'],
    },
    'POST /v1/treatment-pronouns': {
      id: 'createTreatmentPronoun',
      ...creating(
        TreatmentPronoun,
        'Cria um pronome de tratamento',
        'Pronome de tratamento criado com sucesso.',
      ),
      body: described.create,
    },
    'PATCH /v1/treatment-pronouns/:treatment_pronoun': {
      id: 'updateTreatmentPronoun',
      ...updating(
        TreatmentPronoun,
        'Altera os campos enviados de um pronome de tratamento',
        'Pronome de tratamento atualizado com sucesso.',
      ),
      body: described.update,
      errors: ['treatmentPronounNotFound'],
    },
    'DELETE /v1/treatment-pronouns/:treatment_pronoun': {
      id: 'deleteTreatmentPronoun',
      ...deleting('Exclui um pronome de tratamento', 'Pronome de tratamento excluído com sucesso.'),
      errors: ['treatmentPronounNotFound', 'recordInUse'],
    },
  },
} satisfies Resource
