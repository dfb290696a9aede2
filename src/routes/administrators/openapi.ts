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

/** What opens, ends or makes an account. */
const PROOF =
  'a senha atual de quem envia em `current_password` e, onde há um segundo fator, um `code`. ' +
  'Uma senha errada ou um código errado é um 422, e conta como uma tentativa de entrar.'

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
      summary: 'Os administradores',
      description:
        'Por nome. `search` procura no nome completo e no email, ou um CPF inteiro.',
      query: administratorsQuery,
    }),
    'GET /v1/administrators/:administrator': show(Administrator, {
      id: 'readAdministrator',
      scope: 'login',
      summary: 'Um administrador',
      description: 'Um informante não é administrador: 404.',
      hasEntityTag: true,
    }),
    'POST /v1/administrators': {
      id: 'createAdministrator',
      scope: 'login',
      summary: 'Cria um administrador',
      description:
        'Sem `password`, o email recebe um link para se confirmar e definir uma. Uma senha ' +
        'comum, ou que tem uma palavra do nome ou o começo do email do administrador, é um 422. ' +
        `Pede ${PROOF} Só a repetição com a mesma \`Idempotency-Key\` não os pede.`,
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
          'Um JSON Merge Patch (RFC 7396): o que não vem fica como está. Como de um informante, ' +
          'mas o email não pode faltar, e uma senha deve ser como na criação. `password`, e ' +
          `\`email\` ou \`cpf\` diferente do atual, pedem ${PROOF}`,
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
      description: `Um token dele deixa de valer na hora. Ninguém exclui a si mesmo. Pede ${PROOF}`,
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
        'Também as próprias. Todo token emitido até agora deixa de valer; a senha continua a ' +
        'mesma.',
    }),
    'DELETE /v1/administrators/:administrator/second-factor': show(Administrator, {
      id: 'disableAdministratorSecondFactor',
      scope: 'login',
      summary: 'Desativa o segundo fator de um administrador que o perdeu',
      description:
        'Encerra as sessões dele; sem segundo fator, nada muda. O próprio se desativa com a ' +
        `senha e um código, em \`DELETE /v1/auth/second-factor\`. Pede ${PROOF}`,
      body: proof,
      hasEntityTag: true,
      isRateLimited: true,
      errors: [errors.ownSecondFactor],
    }),
  },
} satisfies Resource

export type Administrator = z.output<typeof Administrator>
