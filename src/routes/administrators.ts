import * as z from 'zod/mini'
import { toPerson } from '../database/users.ts'
import { createAdministratorBody, updateAdministratorBody } from '../domain/informer.ts'
import { errors } from '../http/errors.ts'
import { pageParameters, searchParameter } from '../http/query-parameters.ts'
import { userRoutes } from '../http/user-routes.ts'

export const administratorsQuery = z.object({ search: searchParameter, ...pageParameters })

/** Managing administrators, by each other. One without a password gets a link to set one. */
export const administrators = userRoutes(
  'administrator',
  { query: administratorsQuery, create: createAdministratorBody, update: updateAdministratorBody },
  { existing: toPerson, created: toPerson },
  ({ password }, settings) => password == null || settings.REQUIRE_EMAIL_VERIFICATION,
  { noun: 'Administrador', notFound: errors.administratorNotFound },
)
