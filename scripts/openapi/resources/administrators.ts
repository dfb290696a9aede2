import * as z from 'zod'
import { createAdministratorBody, updateAdministratorBody } from '../../../src/domain/informer.ts'
import { administratorsQuery } from '../../../src/routes/administrators.ts'
import { crud } from '../crud.ts'
import type { Resource } from '../operation.ts'
import { success } from '../schemas.ts'
import { userFields } from './informers.ts'

const Administrator = z.strictObject(userFields).meta({ id: 'Administrator' })

const { list, read, create, update, remove } = crud(
  ['Administrator', 'Administrators'],
  ['um administrador', 'os administradores'],
  Administrator,
)

export const administrators = {
  tag: 'Administrators',
  description: 'Quem cuida do serviço.',
  operations: {
    'GET /v1/administrators': list({
      description: 'Por nome. `search` procura no nome completo e no email, ou um CPF inteiro.',
      query: administratorsQuery,
    }),
    'GET /v1/administrators/:administrator': read({
      description: 'Um informante não é administrador: 404.',
    }),
    'POST /v1/administrators': create({
      description: 'Sem `password`, o email recebe um link para se confirmar e definir uma.',
      body: {
        schema: createAdministratorBody,
        example: { first_name: 'Rita', last_name: 'Prado', email: 'rita@example.org' },
      },
      response: success({
        data: Administrator,
        message: 'Administrador criado com sucesso.',
        email_verification_required: z.boolean(),
      }),
    }),
    'PATCH /v1/administrators/:administrator': update({
      description: 'Como de um informante, mas o email não pode faltar.',
      body: { schema: updateAdministratorBody, example: { last_name: 'Prado', phone: null } },
    }),
    'DELETE /v1/administrators/:administrator': remove({
      description: 'Um token dele deixa de valer na hora. Ninguém exclui a si mesmo.',
      errors: ['ownAccount'],
    }),
  },
} satisfies Resource
