import * as z from 'zod/mini'

/** A submitted password, to be verified: any non-empty text. The messages name the field by its label. */
export function submittedPassword(label: string) {
  const required = `O campo ${label} é obrigatório.`
  return z
    .string({ error: ({ input }) => (input == null ? required : `O campo ${label} deve ser um texto.`) })
    .check(
      z.refine((password) => password !== '', required),
      z.meta({ minLength: 1 }),
    )
}
