import * as z from 'zod/mini'

const DEFAULT_PER_PAGE = 12
const MAX_PER_PAGE = 100

function wholeNumber(max: number, message: string) {
  const counted = z.pipe(
    z.string(message).check(z.regex(/^\d+$/, message)),
    // past what can be counted exactly, one page is as empty as the other
    z.transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)),
  )
  return z.pipe(counted, z.number().check(z.minimum(1, message), z.maximum(max, message)))
}

/** The parameters that every list takes: `page` from 1, `per_page` 1 to 100. */
export const pageParameters = {
  page: z._default(
    wholeNumber(Number.MAX_SAFE_INTEGER, 'O parâmetro page deve ser um número inteiro a partir de 1.'),
    1,
  ),
  per_page: z._default(
    wholeNumber(MAX_PER_PAGE, `O parâmetro per_page deve ser um número inteiro de 1 a ${MAX_PER_PAGE}.`),
    DEFAULT_PER_PAGE,
  ),
}
