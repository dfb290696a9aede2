import * as z from 'zod/mini'

const BOOLEANS = { true: true, '1': true, false: false, '0': false } as const

/** A boolean as a query spells it. The OpenAPI document shows its meaning, a boolean. */
export function booleanParameter<const Spelling extends keyof typeof BOOLEANS>(
  spellings: Spelling[],
  message: string,
) {
  return z.pipe(
    z.enum(spellings, message).check(z.meta({ type: 'boolean', enum: undefined })),
    z.transform((spelling) => BOOLEANS[spelling] as boolean),
  )
}
