import * as z from 'zod/mini'
import { crossField } from '../domain/fields.ts'
import { isDate } from '../domain/timestamps.ts'

const day = (name: string) => {
  const message = `O parâmetro ${name} deve ser uma data real na forma AAAA-MM-DD.`
  return z.optional(z.string(message).check(z.refine(isDate, message), z.meta({ format: 'date' })))
}

/** The parameters `date_from` and `date_to` of a list: days, both inclusive. */
export const dateRangeParameters = { date_from: day('date_from'), date_to: day('date_to') }

/** The check of a query that has both. */
export const dateRangeInOrder = crossField<{ date_from?: string | undefined; date_to?: string | undefined }>(
  ['date_from', 'date_to'],
  ({ date_from, date_to }) => !date_from || !date_to || date_from <= date_to,
  'A data final deve ser igual ou posterior à data inicial.',
  'date_to',
)
