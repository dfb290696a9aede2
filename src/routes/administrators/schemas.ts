import * as z from 'zod/mini'
import { optionalProofFields } from '#http/authentication/proof.ts'
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
  ...optionalProofFields, // a repetition by its key is asked for none
})

/** The body of PATCH /administrators/{administrator} (JSON Merge Patch, RFC 7396). */
export const updateAdministratorBody = patchOf(
  {
    first_name: z.optional(firstName),
    ...personFields,
    email: z.optional(email),
    is_email_verified: isEmailVerified,
  },
  optionalProofFields,
)

/** The query of GET /administrators. */
export const administratorsQuery = z.object({
  search: searchParameter,
  ...pageParameters(),
})
