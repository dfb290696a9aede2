import * as z from 'zod'
import { createAdministratorBody, updateAdministratorBody } from '../../../src/domain/informer.ts'
import { administratorsQuery } from '../../../src/routes/administrators.ts'
import type { Resource } from '../operation.ts'
import { page, success } from '../schemas.ts'
import { userFields } from './informers.ts'

const Administrator = z.strictObject(userFields).meta({ id: 'Administrator' })

export const administrators = {
  tag: 'Administrators',
  description: 'Quem cuida do serviço.',
  pathParameters: { administrator: 'O identificador do administrador.' },
  operations: {
    'GET /v1/administrators': {
      id: 'listAdministrators',
      summary: 'Os administradores',
      description: 'Por nome. `search` procura no nome completo e no email, ou um CPF inteiro.',
      access: 'administrator',
      query: { schema: administratorsQuery, invalid: { page: '0' } },
      response: page(Administrator),
    },
    'GET /v1/administrators/:administrator': {
      id: 'readAdministrator',
      summary: 'Um administrador',
      description: 'Um informante não é administrador: 404.',
      access: 'administrator',
      response: success({ data: Administrator }),
      errors: ['administratorNotFound'],
    },
    'POST /v1/administrators': {
      id: 'createAdministrator',
      summary: 'Cria um administrador',
      description: 'Sem `password`, o email recebe um link para se confirmar e definir uma.',
      access: 'administrator',
      body: {
        schema: createAdministratorBody,
        example: { first_name: 'Rita', last_name: 'Prado', email: 'rita@example.org' },
        invalid: { first_name: '', cpf: '529.982.247-25' },
      },
      response: success({
        data: Administrator,
        message: 'Administrador criado com sucesso.',
        email_verification_required: z.boolean(),
      }),
      status: 201,
      takesIdempotencyKey: true,
    },
    'PATCH /v1/administrators/:administrator': {
      id: 'updateAdministrator',
      summary: 'Altera os campos enviados de um administrador',
      description: 'Como de um informante, mas o email não pode faltar.',
      access: 'administrator',
      body: {
        schema: updateAdministratorBody,
        example: { last_name: 'Prado', phone: null },
        invalid: { first_name: null, email: null },
      },
      response: success({ data: Administrator, message: 'Administrador atualizado com sucesso.' }),
      errors: ['administratorNotFound'],
    },
    'DELETE /v1/administrators/:administrator': {
      id: 'deleteAdministrator',
      summary: 'Exclui um administrador',
      description: 'Um token dele deixa de valer na hora. Ninguém exclui a si mesmo.',
      access: 'administrator',
      response: success({ message: 'Administrador excluído com sucesso.' }),
      errors: ['administratorNotFound', 'ownAccount'],
    },
  },
} satisfies Resource
