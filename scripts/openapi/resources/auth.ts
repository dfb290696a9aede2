import * as z from 'zod'
import { emailBody, resetBody, verifyBody } from '../../../src/routes/auth-links.ts'
import { changeBody, loginBody } from '../../../src/routes/auth.ts'
import type { Resource } from '../operation.ts'
import { integer, nullableText, success, text, uuid } from '../schemas.ts'

export const Role = z
  .strictObject({
    id: integer(1),
    name: z.enum(['Informante', 'Administrador']),
    slug: z.enum(['informer', 'administrator']),
    description: text('Pessoa consultada em segredo sobre a provisão de uma sede.'),
  })
  .meta({ id: 'Role' })

/** A person in the responses of login and cover. */
export const person = {
  id: uuid,
  first_name: text('Ana'),
  last_name: nullableText('da Silva Souza'),
  full_name: text('Ana da Silva Souza'),
  email: nullableText('ana@example.org'),
}

const User = z.strictObject({ ...person, role: Role }).meta({ id: 'User' })

const Session = z
  .strictObject({
    access_token: text('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5NmIwMjBkMiJ9.c2lnbmF0dXJl'),
    token_type: z.literal('Bearer'),
    expires_in: integer(3600).meta({ description: 'Em segundos.' }),
    user: User,
  })
  .meta({ id: 'Session' })

export const auth = {
  tag: 'Auth',
  description: 'Entrar e sair, a senha, e confirmar o email de quem é convidado.',
  operations: {
    'POST /v1/auth/login': {
      id: 'login',
      summary: 'Entra com email ou CPF e recebe um token de acesso',
      description:
        'Envie `email` ou `cpf`, e `password`. O token vai no cabeçalho `Authorization: Bearer` dos outros pedidos.',
      access: 'public',
      body: { schema: loginBody, example: { email: 'ana@example.org', password: 'Provisao2026' } },
      response: success({ data: Session }),
      errors: ['tooManyRequests', 'invalidCredentials', 'emailNotVerified'],
    },
    'POST /v1/auth/email/verify': {
      id: 'verifyEmail',
      summary: 'Confirma um email com o token da mensagem; sem senha ainda, define uma',
      description:
        'Envie só o `token`: um 422 em `password` diz que ainda não há senha, e que o mesmo token deve vir com uma. Um token desconhecido, usado ou vencido é um 422 em `token`: `O link de confirmação é inválido ou expirou.`',
      access: 'public',
      body: { schema: verifyBody, example: { token: 'o-token-do-link', password: 'Provisao2026' } },
      response: success({ message: 'Email confirmado com sucesso.' }),
      errors: ['tooManyRequests'],
    },
    'POST /v1/auth/email/resend': {
      id: 'resendEmail',
      summary: 'Envia de novo a mensagem de confirmação',
      description: 'A resposta é a mesma para todo email, para não revelar quem está cadastrado.',
      access: 'public',
      body: { schema: emailBody, example: { email: 'ana@example.org' } },
      response: success({
        message: 'Se houver um cadastro à espera de confirmação, um novo email será enviado.',
      }),
      status: 202,
      errors: ['tooManyRequests'],
    },
    'POST /v1/auth/password/forgot': {
      id: 'forgotPassword',
      summary: 'Envia uma mensagem para redefinir a senha',
      description: 'A resposta é a mesma para todo email, para não revelar quem está cadastrado.',
      access: 'public',
      body: { schema: emailBody, example: { email: 'ana@example.org' } },
      response: success({
        message: 'Se houver um cadastro com este email, uma mensagem com instruções será enviada.',
      }),
      status: 202,
      errors: ['tooManyRequests'],
    },
    'POST /v1/auth/password/reset': {
      id: 'resetPassword',
      summary: 'Define uma nova senha com o token da mensagem',
      description:
        'Encerra todas as sessões, e o email conta como confirmado. Um token desconhecido, usado ou vencido é um 422 em `token`: `O link de redefinição é inválido ou expirou.`',
      access: 'public',
      body: { schema: resetBody, example: { token: 'o-token-do-link', password: 'Provisao2027' } },
      response: success({ message: 'Senha alterada com sucesso.' }),
      errors: ['tooManyRequests'],
    },
    'PUT /v1/auth/password': {
      id: 'changePassword',
      summary: 'Troca a própria senha e recebe um novo token',
      description:
        'Encerra todas as outras sessões. Uma senha atual errada é um 422 em `current_password`, e conta como uma tentativa de entrar.',
      access: 'user',
      body: {
        schema: changeBody,
        example: { current_password: 'Provisao2026', password: 'Provisao2027' },
      },
      response: success({ data: Session, message: 'Senha alterada com sucesso.' }),
      errors: ['tooManyRequests'],
    },
    'POST /v1/auth/logout': {
      id: 'logout',
      summary: 'Encerra a sessão em todos os dispositivos',
      description: 'Todo token emitido até agora deixa de valer; um emitido depois vale.',
      access: 'user',
      response: success({ message: 'Sessão encerrada em todos os dispositivos.' }),
    },
  },
} satisfies Resource
