import * as z from 'zod/mini'
import { patchOf } from '#http/request/fields.ts'
import {
  email,
  firstName,
  isEmailVerified,
  personFields,
} from '#http/request/person-fields.ts'
import { pageParameters, searchParameter } from '#http/request/query-parameters.ts'

/** The body of POST /administrators: an email is required. */
export const createAdministratorBody = z.object({
  first_name: firstName,
  ...personFields,
  email,
})

/** Checked only if it is needed (own-account.ts); otherwise any value is accepted. */
const unchecked = z.optional(z.unknown()).check(
  z.meta({
    type: 'string',
    description:
      'A senha atual de quem altera a própria senha, o próprio email ou o próprio CPF.',
  }),
)

/** The body of PATCH /administrators/{administrator} (JSON Merge Patch, RFC 7396). */
export const updateAdministratorBody = patchOf(
  {
    first_name: z.optional(firstName),
    ...personFields,
    email: z.optional(email),
    is_email_verified: isEmailVerified,
  },
  { current_password: unchecked },
)

/** The query of GET /administrators. */
export const administratorsQuery = z.object({
  search: searchParameter,
  ...pageParameters(),
})
