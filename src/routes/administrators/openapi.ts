import * as z from 'zod'
import {
  administratorsQuery,
  createAdministratorBody,
  updateAdministratorBody,
} from './schemas.ts'
import { proofBody } from '#http/authentication/proof.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { change, confirm, list, show, type Resource } from '#openapi/operation.ts'
import { userMembers, userStateMembers } from '#openapi/people.ts'
import { success } from '#openapi/schemas.ts'

const PROOF =
  'a sua senha atual em `current_password` e, se o seu segundo fator está ativo, um ' +
  '`code`. Uma senha errada ou um código errado resulta em 422 e conta como tentativa de login.'

const proof = { schema: proofBody, example: { current_password: 'Provisao2026' } }

const Administrator = z
  .strictObject({ ...userMembers, ...userStateMembers, has_second_factor: z.boolean() })
  .meta({ id: 'Administrator' })

export const administratorsApi = {
  tag: 'Administrators',
  description: 'Quem cuida do serviço.',
  pathParameters: {
    administrator: {
      description: 'O identificador do administrador.',
      notFound: errors.administratorNotFound,
    },
  },
  operations: {
    'GET /v1/administrators': list(Administrator, {
      id: 'listAdministrators',
      scope: 'login',
      summary: 'Lista os administradores',
      description:
        'Em ordem de nome. `search` procura no nome completo e no email, ou por um CPF inteiro.',
      query: administratorsQuery,
    }),
    'GET /v1/administrators/:administrator': show(Administrator, {
      id: 'readAdministrator',
      scope: 'login',
      summary: 'Mostra um administrador',
      description: 'Um informante não é encontrado aqui.',
      hasEntityTag: true,
    }),
    'POST /v1/administrators': {
      id: 'createAdministrator',
      scope: 'login',
      summary: 'Cria um administrador',
      description:
        'Sem `password`, a pessoa recebe um link para confirmar o email e definir a senha. Uma ' +
        'senha comum, ou que contém uma palavra do nome ou o começo do email da pessoa, resulta ' +
        `em 422. Envie ${PROOF} Uma repetição com a mesma \`Idempotency-Key\` os dispensa.`,
      body: {
        schema: createAdministratorBody,
        example: {
          ...proof.example,
          first_name: 'Rita',
          last_name: 'Prado',
          email: 'rita@example.org',
        },
      },
      hasEntityTag: true,
      isRateLimited: true,
      response: success({
        data: Administrator,
        message: z.literal(messages.administratorCreated),
        email_verification_required: z.boolean(),
      }),
      status: 201,
      takesIdempotencyKey: true,
    },
    'PATCH /v1/administrators/:administrator': change(
      Administrator,
      messages.administratorUpdated,
      {
        id: 'updateAdministrator',
        scope: 'login',
        summary: 'Altera os campos enviados de um administrador',
        description:
          'JSON Merge Patch (RFC 7396): os campos ausentes não mudam. Valem as regras de um ' +
          'informante, mas o email é obrigatório, e a senha segue as regras da criação. Com ' +
          `\`password\`, ou com outro \`email\` ou \`cpf\`, envie ${PROOF}`,
        body: {
          schema: updateAdministratorBody,
          example: { last_name: 'Prado', phone: null },
        },
        takesIfMatch: true,
        hasEntityTag: true,
        isRateLimited: true,
      },
    ),
    'DELETE /v1/administrators/:administrator': confirm(messages.administratorDeleted, {
      id: 'deleteAdministrator',
      scope: 'login',
      summary: 'Exclui um administrador',
      description:
        'Os tokens dele perdem a validade na hora. Ninguém pode excluir a si mesmo. ' +
        `Envie ${PROOF}`,
      body: proof,
      takesIfMatch: true,
      isRateLimited: true,
      errors: [errors.ownAccount],
    }),
    'DELETE /v1/administrators/:administrator/sessions': confirm(messages.sessionsEnded, {
      id: 'endAdministratorSessions',
      scope: 'login',
      summary: 'Encerra as sessões de um administrador',
      description:
        'Também as próprias. Todos os tokens emitidos até agora perdem a validade; a senha ' +
        'continua a mesma.',
    }),
    'DELETE /v1/administrators/:administrator/second-factor': show(Administrator, {
      id: 'disableAdministratorSecondFactor',
      scope: 'login',
      summary: 'Desativa o segundo fator de um administrador que o perdeu',
      description:
        'Encerra as sessões dele; sem segundo fator, nada muda. Desative o próprio com a senha ' +
        `e um código, em \`DELETE /v1/auth/second-factor\`. Envie ${PROOF}`,
      body: proof,
      hasEntityTag: true,
      isRateLimited: true,
      errors: [errors.ownSecondFactor],
    }),
  },
} satisfies Resource

export type Administrator = z.output<typeof Administrator>
