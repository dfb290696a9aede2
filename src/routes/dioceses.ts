import * as z from 'zod/mini'
import { dioceses as table } from '../database/schema.ts'
import { referenceList, referenceListQuery } from '../http/reference-list.ts'

const STATE_MESSAGE = 'O parâmetro state deve ser a sigla de um estado.'

export const diocesesQuery = referenceListQuery({
  state: z.optional(z.string(STATE_MESSAGE).check(z.regex(/^[A-Z]{2}$/, STATE_MESSAGE))),
})

/** The dioceses, public (contract, section 9). */
export const dioceses = referenceList({
  tag: 'dioceses',
  table,
  searched: ['name'],
  query: diocesesQuery,
})
