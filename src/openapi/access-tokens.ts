import * as z from 'zod'
import { personMembers, Role } from './people.ts'
import { integer, text } from './schemas.ts'

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
