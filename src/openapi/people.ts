import * as z from 'zod'
import { integer, nullableText, text, timestamps, uuid } from './schemas.ts'

const Role = z
  .strictObject({
    id: integer(1),
    name: z.enum(['Informante', 'Administrador']),
    slug: z.enum(['informer', 'administrator']),
    description: text('Pessoa consultada em segredo sobre a provisão de uma sede.'),
  })
  .meta({ id: 'Role' })

/** Members of every person in responses. */
export const personMembers = {
  id: uuid,
  first_name: text('Ana'),
  last_name: nullableText('da Silva Souza'),
  full_name: text('Ana da Silva Souza'),
  email: nullableText('ana@example.org'),
}

/** Members of a new informer or administrator in responses. */
export const userMembers = {
  ...personMembers,
  initials: text('ASS'),
  cpf: nullableText('52998224725'),
  phone: nullableText(null),
  img_url: nullableText(null),
  role: Role,
  ...timestamps,
}

export type UserMembers = z.infer<z.ZodObject<typeof userMembers>>

/** Further members of an existing informer or administrator. */
export const userStateMembers = {
  is_email_verified: z.boolean(),
  has_password: z.boolean(),
}

/** A user as a login shows them. */
export const User = z.strictObject({ ...personMembers, role: Role }).meta({ id: 'User' })

export type User = z.output<typeof User>

export const AccessToken = z
  .strictObject({
    access_token: text('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5NmIwMjBkMiJ9.c2lnbmF0dXJl'),
    token_type: z.literal('Bearer'),
    expires_in: integer(3600).meta({ description: 'A validade em segundos.' }),
    user: User,
  })
  .meta({ id: 'AccessToken' })

export type AccessToken = z.output<typeof AccessToken>
