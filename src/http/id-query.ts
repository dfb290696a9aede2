import * as z from 'zod/mini'

/** An optional filter by id: a UUID, compared without case. */
export function idParameter(name: string) {
  const message = `O parâmetro ${name} deve ser um UUID.`
  return z.optional(z.string(message).check(z.toLowerCase(), z.regex(z.regexes.guid, message)))
}
