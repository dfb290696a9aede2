import * as z from 'zod'
import {
  categories,
  dioceses,
  type ReferenceList,
  referenceLists,
  treatmentPronouns,
} from './lists.ts'
import { errors } from '#http/response/errors.ts'
import {
  change,
  confirm,
  create,
  list,
  show,
  type Operation,
  type Resource,
} from '#openapi/operation.ts'
import { integer, text, timestamps } from '#openapi/schemas.ts'

/** The schemas of a row within an informer, and of a row in its list. */
function schemasOf<Fields extends z.ZodRawShape>(id: string, fields: Fields) {
  const shown = { ...fields, active: z.boolean().meta({ examples: [true] }) }
  return {
    Reference: z.strictObject(shown).meta({ id: `${id}Reference` }),
    Item: z.strictObject({ ...shown, ...timestamps }).meta({ id }),
  }
}

const Category = schemasOf('Category', {
  id: integer(47),
  name: text('Cônego'),
  description: text(
    'Sacerdote nomeado cônego, capitular ou honorário, de cabido catedralício ou colegiado.',
  ),
})
export const CategoryReference = Category.Reference

const Diocese = schemasOf('Diocese', {
  id: integer(2),
  name: text('Diocese de Rio Branco'),
  state: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .meta({ examples: ['AC'] }),
})
export const DioceseReference = Diocese.Reference

const TreatmentPronoun = schemasOf('TreatmentPronoun', {
  id: integer(1),
  name: text('Dom'),
  description: text('Bispos e abades.'),
})
export const TreatmentPronounReference = TreatmentPronoun.Reference

const ORDER =
  'Primeiro vêm os nomes que começam com o texto, depois os que têm uma palavra que começa ' +
  'com ele, os que o contêm e os outros.'

type Texts = {
  /** In operation ids: `readCategory`, `listCategories`. */
  singular: string
  plural: string
  /** In summaries: `uma diocese`, `as dioceses`. */
  one: string
  all: string
  search: string
  /** Where its name is unique. */
  uniqueIn: string
  /** A body that creates a row in addition to the demo data. */
  example: object
}

/** The operations that every list has. */
function operationsOf(
  { path, type, query, createBody, updateBody, messages }: ReferenceList,
  Item: z.ZodType,
  { singular, plural, one, all, search, uniqueIn, example }: Texts,
): Record<string, Operation> {
  const unique = `O nome é único ${uniqueIn}, sem distinção de maiúsculas e acentos.`
  const everyone = { access: 'optional', scope: 'any', cache: 'always' } as const
  return {
    [`GET ${path}`]: list(Item, {
      ...everyone,
      id: `list${plural}`,
      summary: `Lista ${all}`,
      description: `${search} ${ORDER}`,
      query,
    }),
    [`GET ${path}/:${type}`]: show(Item, {
      ...everyone,
      id: `read${singular}`,
      summary: `Mostra ${one}`,
      description: 'Público, como a lista.',
    }),
    [`POST ${path}`]: create(Item, messages.created, {
      id: `create${singular}`,
      scope: 'lists:write',
      summary: `Cria ${one}`,
      description: `${unique} Sem \`active\`, o registro fica ativo.`,
      body: { schema: createBody, example },
    }),
    [`PATCH ${path}/:${type}`]: change(Item, messages.updated, {
      id: `update${singular}`,
      scope: 'lists:write',
      summary: `Altera os campos enviados de ${one}`,
      description: unique,
      body: { schema: updateBody, example: { active: false } },
    }),
    [`DELETE ${path}/:${type}`]: confirm(messages.deleted, {
      id: `delete${singular}`,
      scope: 'lists:write',
      summary: `Exclui ${one}`,
      description: 'Um registro em uso não pode ser excluído: desative-o.',
      errors: [errors.recordInUse],
    }),
  }
}

const describedExample = {
  name: 'Ecônomo',
  description: 'Administra os bens da diocese.',
}

const pathParameters = referenceLists.map(({ type, notFound }) => [
  type,
  { description: 'O número do registro na lista.', notFound, isInteger: true },
])

export const referenceListsApi = {
  tag: 'Reference lists',
  description:
    'As listas usadas no cadastro de informantes: todos leem, e administradores alteram.',
  pathParameters: Object.fromEntries(pathParameters),
  operations: {
    ...operationsOf(categories, Category.Item, {
      singular: 'Category',
      plural: 'Categories',
      one: 'uma função eclesiástica',
      all: 'as funções eclesiásticas',
      search: '`search` procura no nome e na descrição.',
      uniqueIn: 'na lista',
      example: describedExample,
    }),
    ...operationsOf(dioceses, Diocese.Item, {
      singular: 'Diocese',
      plural: 'Dioceses',
      one: 'uma diocese',
      all: 'as dioceses',
      search: '`search` procura no nome.',
      uniqueIn: 'no estado',
      example: { name: 'Diocese de Vila Serena', state: 'SP' },
    }),
    ...operationsOf(treatmentPronouns, TreatmentPronoun.Item, {
      singular: 'TreatmentPronoun',
      plural: 'TreatmentPronouns',
      one: 'um pronome de tratamento',
      all: 'os pronomes de tratamento',
      search: '`search` procura no nome e na descrição.',
      uniqueIn: 'na lista',
      example: describedExample,
    }),
  },
} satisfies Resource
