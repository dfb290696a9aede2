import * as z from 'zod/mini'

const DEFAULT_PER_PAGE = 12
const MAX_PER_PAGE = 100

/** A number as a query has it: in digits, which the OpenAPI document calls by what they mean. */
function positiveInt(bounds: { maximum?: number; default: number }, message: string) {
  const counted = z.pipe(
    z.string(message).check(
      z.refine((digits) => /^\d+$/.test(digits), message),
      z.meta({ type: 'integer', minimum: 1, ...bounds }),
    ),
    // past what can be counted exactly, one page is as empty as the other
    z.transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)),
  )
  const inBounds = z.number().check(z.minimum(1, message), z.maximum(bounds.maximum ?? Infinity, message))
  return z._default(z.pipe(counted, inBounds), bounds.default)
}

/** The parameters that every list takes: `page` from 1, `per_page` 1 to 100. */
export const pageParameters = {
  page: positiveInt({ default: 1 }, 'O parâmetro page deve ser um número inteiro a partir de 1.'),
  per_page: positiveInt(
    { maximum: MAX_PER_PAGE, default: DEFAULT_PER_PAGE },
    `O parâmetro per_page deve ser um número inteiro de 1 a ${MAX_PER_PAGE}.`,
  ),
}
