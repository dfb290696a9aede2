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
import { crud } from '../crud.ts'
import type { Resource } from '../operation.ts'
import { integer, text, timestamps } from '../schemas.ts'

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
  description: text(
    'Sacerdote nomeado cônego, capitular ou honorário, de cabido catedralício ou colegiado.',
  ),
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

const UNIQUE =
  'O nome é único, sem distinção de maiúsculas e acentos. Uma lista tem no máximo 10.000 registros e 4 MB de texto.'

/** What the operations of the three lists have in common. */
const LIST = { access: 'optional', cache: 'always' } as const
const READ = { ...LIST, description: 'Público, como a lista.' } as const
const CREATE = { description: `${UNIQUE} Sem \`active\`, fica ativo.` }
const UPDATE = { description: UNIQUE }
const REMOVE = {
  description: 'Só se ninguém o referencia; senão, desative-o.',
  errors: ['recordInUse' as const],
}

const createDescribed = {
  schema: createDescribedBody,
  example: { name: 'Ecônomo', description: 'Administra os bens da diocese.' },
}
const updateDescribed = { schema: updateDescribedBody, example: { active: false } }

const ofCategories = crud(
  ['Category', 'Categories'],
  ['uma função eclesiástica', 'as funções eclesiásticas'],
  Category,
  'Categoria',
)
const ofDioceses = crud(['Diocese', 'Dioceses'], ['uma diocese', 'as dioceses'], Diocese)
const ofTreatmentPronouns = crud(
  ['TreatmentPronoun', 'TreatmentPronouns'],
  ['um pronome de tratamento', 'os pronomes de tratamento'],
  TreatmentPronoun,
)

export const referenceLists = {
  tag: 'Reference lists',
  description: 'O que um informante referencia: leitura pública, e cuidado de administradores.',
  operations: {
    'GET /v1/categories': ofCategories.list({
      ...LIST,
      description: '`search` procura no nome e na descrição.',
      query: categoriesQuery,
    }),
    'GET /v1/categories/:category': ofCategories.read(READ),
    'POST /v1/categories': ofCategories.create({ ...CREATE, body: createDescribed }),
    'PATCH /v1/categories/:category': ofCategories.update({ ...UPDATE, body: updateDescribed }),
    'DELETE /v1/categories/:category': ofCategories.remove(REMOVE),
    'GET /v1/dioceses': ofDioceses.list({
      ...LIST,
      description: '`search` procura no nome.',
      query: diocesesQuery,
    }),
    'GET /v1/dioceses/:diocese': ofDioceses.read(READ),
    'POST /v1/dioceses': ofDioceses.create({
      ...CREATE,
      body: { schema: createDioceseBody, example: { name: 'Diocese de Vila Serena', state: 'SP' } },
    }),
    'PATCH /v1/dioceses/:diocese': ofDioceses.update({
      ...UPDATE,
      body: { schema: updateDioceseBody, example: { active: false } },
    }),
    'DELETE /v1/dioceses/:diocese': ofDioceses.remove(REMOVE),
    'GET /v1/treatment-pronouns': ofTreatmentPronouns.list({
      ...LIST,
      description: '`search` procura no nome e na descrição.',
      query: treatmentPronounsQuery,
    }),
    'GET /v1/treatment-pronouns/:treatment_pronoun': ofTreatmentPronouns.read(READ),
    'POST /v1/treatment-pronouns': ofTreatmentPronouns.create({ ...CREATE, body: createDescribed }),
    'PATCH /v1/treatment-pronouns/:treatment_pronoun': ofTreatmentPronouns.update({
      ...UPDATE,
      body: updateDescribed,
    }),
    'DELETE /v1/treatment-pronouns/:treatment_pronoun': ofTreatmentPronouns.remove(REMOVE),
  },
} satisfies Resource
