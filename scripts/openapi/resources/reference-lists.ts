import * as z from 'zod'
import { categoriesQuery } from '../../../src/routes/categories.ts'
import { diocesesQuery } from '../../../src/routes/dioceses.ts'
import { treatmentPronounsQuery } from '../../../src/routes/treatment-pronouns.ts'
import type { Resource } from '../operation.ts'
import { integer, page, text, timestamps } from '../schemas.ts'

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

export const referenceLists = {
  tag: 'Reference lists',
  description: 'O que um informante referencia, público.',
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
    'GET /v1/treatment-pronouns': {
      id: 'listTreatmentPronouns',
      summary: 'Os pronomes de tratamento',
      description: '`search` procura no nome e na descrição.',
      access: 'optional',
      query: { schema: treatmentPronounsQuery, invalid: { page: '', active: '1' } },
      response: page(TreatmentPronoun),
      cache: 'always',
    },
  },
} satisfies Resource
