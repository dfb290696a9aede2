import * as z from 'zod'
import { apiTokensQuery, createApiTokenBody } from './schemas.ts'
import { SCOPES } from '#domain/api-tokens.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { confirm, create, list, show, type Resource } from '#openapi/operation.ts'
import { text, timestamp, uuid } from '#openapi/schemas.ts'

const day = (example: string) => z.iso.date().meta({ examples: [example] })

const apiTokenFields = {
  id: uuid,
  name: text('Questionários'),
  scopes: z.array(z.enum(SCOPES)),
  created_by: z.strictObject({ id: uuid, full_name: text('Rita Prado') }),
  created_at: timestamp,
  expires_on: day('2026-12-31').meta({ description: 'O último dia de validade (UTC).' }),
  last_used_on: day('2026-01-31')
    .nullable()
    .meta({ description: 'O dia do último uso (UTC); `null` se nunca foi usado.' }),
}

const ApiToken = z.strictObject(apiTokenFields).meta({ id: 'ApiToken' })

const CreatedApiToken = z
  .strictObject({
    ...apiTokenFields,
    token: text('ips_0Vf4nS2aJqk1m8yCwXr7LhZt3bEoPiUg5dNvKxQeYsA').meta({
      description: 'Só aparece aqui.',
    }),
  })
  .meta({ id: 'CreatedApiToken' })

export const apiTokensApi = {
  tag: 'API tokens',
  description: 'Os tokens com que programas acessam o serviço.',
  pathParameters: {
    api_token: {
      description: 'O identificador do token, não o próprio token.',
      notFound: errors.apiTokenNotFound,
    },
  },
  operations: {
    'GET /v1/api-tokens': list(ApiToken, {
      id: 'listApiTokens',
      scope: 'login',
      summary: 'Lista os tokens de API de todos os administradores',
      description: 'Os mais novos primeiro. Um token vencido ainda aparece por 30 dias.',
      query: apiTokensQuery,
    }),
    'POST /v1/api-tokens': create(CreatedApiToken, messages.apiTokenCreated, {
      id: 'createApiToken',
      scope: 'login',
      summary: 'Cria um token de API para um programa',
      description:
        'O `token` só aparece nesta resposta. Envie a senha atual e, se o segundo fator ' +
        'está ativo, um `code`. Quem cria o token recebe um aviso por email. Se perder o ' +
        'token, exclua-o e crie outro.',
      body: {
        schema: createApiTokenBody,
        example: {
          current_password: 'Provisao2026',
          name: 'Questionários',
          scopes: ['completions:write'],
          expires_on: '2026-12-31',
        },
      },
      isRateLimited: true,
      takesIdempotencyKey: false,
    }),
    'GET /v1/api-tokens/:api_token': show(ApiToken, {
      id: 'readApiToken',
      scope: 'login',
      summary: 'Mostra um token de API',
      description: 'Sem o próprio token, que não fica guardado.',
    }),
    'DELETE /v1/api-tokens/:api_token': confirm(messages.apiTokenDeleted, {
      id: 'deleteApiToken',
      scope: 'login',
      summary: 'Exclui um token de API',
      description: 'O token perde a validade na hora.',
    }),
  },
} satisfies Resource

export type ApiToken = z.output<typeof ApiToken>
