import * as z from 'zod/mini'

/** A password as it is presented, to be compared: any text that is not empty. The messages name the field by its label. */
export function presentedPassword(label: string) {
  const required = `O campo ${label} é obrigatório.`
  return z
    .string({ error: ({ input }) => (input == null ? required : `O campo ${label} deve ser um texto.`) })
    .check(
      z.refine((password) => password !== '', required),
      z.meta({ minLength: 1 }),
    )
}
