import * as z from 'zod'
import { integer, nullableText, text, timestamps, uuid } from './schemas.ts'

export const Role = z
  .strictObject({
    id: integer(1),
    name: z.enum(['Informante', 'Administrador']),
    slug: z.enum(['informer', 'administrator']),
    description: text('Pessoa consultada em segredo sobre a provisão de uma sede.'),
  })
  .meta({ id: 'Role' })

/** What responses show of every person. */
export const personFields = {
  id: uuid,
  first_name: text('Ana'),
  last_name: nullableText('da Silva Souza'),
  full_name: text('Ana da Silva Souza'),
  email: nullableText('ana@example.org'),
}

/** What responses show of a new informer or administrator. */
export const userFields = {
  ...personFields,
  initials: text('ASS'),
  cpf: nullableText('52998224725'),
  phone: nullableText(null),
  img_url: nullableText(null),
  role: Role,
  ...timestamps,
}

/** And besides, of one who exists already. */
export const userStateFields = {
  is_email_verified: z.boolean(),
  has_password: z.boolean(),
}
