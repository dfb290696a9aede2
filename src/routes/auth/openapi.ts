import * as z from 'zod'
import {
  changePasswordBody,
  disableSecondFactorBody,
  emailBody,
  enableSecondFactorBody,
  loginBody,
  newSecondFactorBody,
  resetPasswordBody,
  verifyEmailBody,
} from './schemas.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { change, confirm, show, type Resource } from '#openapi/operation.ts'
import { AccessToken, User } from '#openapi/people.ts'
import { success, text } from '#openapi/schemas.ts'

const GUESSABLE =
  'Uma senha comum, ou que contém uma palavra do próprio nome ou o começo do próprio ' +
  'email, resulta em 422 em `password`.'

const SAME_RESPONSE =
  'A resposta é a mesma para qualquer email, para não revelar quem está cadastrado.'

const OwnUser = z
  .strictObject({ ...User.shape, has_second_factor: z.optional(z.boolean()) })
  .meta({ id: 'OwnUser' })

export const authApi = {
  tag: 'Auth',
  description: 'Login, logout, senha, segundo fator e confirmação de email.',
  pathParameters: {},
  operations: {
    'POST /v1/auth/login': show(AccessToken, {
      id: 'login',
      summary: 'Entra com email ou CPF e recebe um token de acesso',
      description:
        'Envie `password` e `email` ou `cpf` e, se o segundo fator está ativo, o `code` do ' +
        'aplicativo autenticador: sem ele, a resposta é um 401 que o pede. Envie o token ' +
        'no cabeçalho `Authorization: Bearer` das outras requisições.',
      access: 'public',
      body: {
        schema: loginBody,
        example: { email: 'ana@example.org', password: 'Provisao2026' },
      },
      isRateLimited: true,
      errors: [errors.invalidCredentials, errors.missingCode, errors.emailNotVerified],
    }),
    'POST /v1/auth/refresh': show(AccessToken, {
      id: 'refreshToken',
      scope: 'login',
      summary: 'Troca um token ainda válido por um novo da mesma sessão',
      description:
        'Sem corpo. O token anterior continua válido até expirar. A sessão pode ser ' +
        'renovada até doze horas (`SESSION_TTL_SECONDS`) depois que a senha foi informada; ' +
        'depois disso, a resposta é 401. `expires_in` é a validade do novo token.',
      access: 'user',
    }),
    'GET /v1/auth/me': show(OwnUser, {
      id: 'readOwnUser',
      scope: 'login',
      summary: 'Mostra o dono do token',
      description:
        'Os mesmos campos de `user` no login; `has_second_factor` só vem para ' +
        'administradores.',
      access: 'user',
    }),
    'POST /v1/auth/email/verify': confirm(messages.emailVerified, {
      id: 'verifyEmail',
      summary: 'Confirma um email com o token da mensagem; define a senha, se não há uma',
      description: [
        'Envie só o `token`. Se a resposta é um 422 em `password`, ainda não há senha: ' +
          'envie o mesmo token com uma. Um token desconhecido, usado ou vencido resulta em ' +
          '422 em `token`: `O link de confirmação é inválido ou expirou.`',
        GUESSABLE,
      ].join(' '),
      access: 'public',
      body: {
        schema: verifyEmailBody,
        example: { token: 'o-token-do-link', password: 'Provisao2026' },
      },
      isRateLimited: true,
    }),
    'POST /v1/auth/email/resend': confirm(messages.verificationRequested, {
      id: 'resendEmail',
      summary: 'Reenvia a mensagem de confirmação',
      description: SAME_RESPONSE,
      access: 'public',
      body: { schema: emailBody, example: { email: 'ana@example.org' } },
      isRateLimited: true,
      status: 202,
    }),
    'POST /v1/auth/password/forgot': confirm(messages.passwordResetRequested, {
      id: 'forgotPassword',
      summary: 'Envia uma mensagem para redefinir a senha',
      description: SAME_RESPONSE,
      access: 'public',
      body: { schema: emailBody, example: { email: 'ana@example.org' } },
      isRateLimited: true,
      status: 202,
    }),
    'POST /v1/auth/password/reset': confirm(messages.passwordChanged, {
      id: 'resetPassword',
      summary: 'Define uma nova senha com o token da mensagem',
      description: [
        'Encerra todas as sessões e confirma o email. Um token desconhecido, usado ou ' +
          'vencido resulta em 422 em `token`: `O link de redefinição é inválido ou expirou.`',
        GUESSABLE,
      ].join(' '),
      access: 'public',
      body: {
        schema: resetPasswordBody,
        example: { token: 'o-token-do-link', password: 'Provisao2027' },
      },
      isRateLimited: true,
    }),
    'PUT /v1/auth/password': change(AccessToken, messages.passwordChanged, {
      id: 'changePassword',
      scope: 'login',
      summary: 'Troca a própria senha e recebe um novo token',
      description: [
        'Encerra todas as outras sessões. Uma senha atual errada resulta em 422 em ' +
          '`current_password` e conta como tentativa de login.',
        GUESSABLE,
      ].join(' '),
      access: 'user',
      body: {
        schema: changePasswordBody,
        example: { current_password: 'Provisao2026', password: 'Provisao2027' },
      },
      isRateLimited: true,
    }),
    'POST /v1/auth/second-factor': {
      id: 'requestSecondFactor',
      scope: 'login',
      summary: 'Gera o segredo de um segundo fator',
      description:
        'Cadastre `secret`, ou um código QR de `otpauth_uri`, no aplicativo autenticador, ' +
        'e ative o segundo fator com o primeiro código. Até lá nada muda; uma nova ' +
        'requisição substitui o segredo. Uma senha errada conta como tentativa de login.',
      body: {
        schema: newSecondFactorBody,
        example: { current_password: 'Provisao2026' },
      },
      isRateLimited: true,
      response: success({
        data: z.strictObject({
          secret: text('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
          otpauth_uri: text(
            'otpauth://totp/Chancelaria:admin%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Chancelaria',
          ),
        }),
      }),
      errors: [errors.secondFactorEnabled],
    },
    'PUT /v1/auth/second-factor': change(AccessToken, messages.secondFactorEnabled, {
      id: 'enableSecondFactor',
      scope: 'login',
      summary: 'Ativa o segundo fator com o primeiro código e recebe um novo token',
      description:
        'Encerra todas as sessões. Um código errado resulta em 422 em `code` e conta como ' +
        'tentativa de login.',
      body: { schema: enableSecondFactorBody, example: { code: '123456' } },
      isRateLimited: true,
    }),
    'DELETE /v1/auth/second-factor': change(AccessToken, messages.secondFactorDisabled, {
      id: 'disableSecondFactor',
      scope: 'login',
      summary: 'Desativa o próprio segundo fator e recebe um novo token',
      description:
        'Informe a senha e um código, que vale uma única vez. Encerra todas as sessões. ' +
        'Uma senha errada ou um código errado resulta em 422 e conta como tentativa de ' +
        'login.',
      body: {
        schema: disableSecondFactorBody,
        example: { current_password: 'Provisao2026', code: '123456' },
      },
      isRateLimited: true,
      errors: [errors.secondFactorDisabled],
    }),
    'POST /v1/auth/logout': confirm(messages.loggedOut, {
      id: 'logout',
      scope: 'login',
      summary: 'Encerra a sessão em todos os dispositivos',
      description: 'Todos os tokens emitidos até agora perdem a validade.',
      access: 'user',
    }),
  },
} satisfies Resource
