import * as z from 'zod'
import type { Resource } from '#openapi/operation.ts'
import { success, text } from '#openapi/schemas.ts'

export const serviceApi = {
  tag: 'Service',
  description: 'O estado do próprio serviço.',
  pathParameters: {},
  operations: {
    'GET /v1/health': {
      id: 'readHealth',
      summary: 'Diz se o serviço e o banco de dados respondem',
      description:
        'Se o banco de dados não responde, 503. `version` é a versão do serviço, e ' +
        '`deployment`, o identificador da sua publicação na Cloudflare.',
      access: 'public',
      response: success({
        data: z.strictObject({
          status: z.literal('ok'),
          version: text('5.0.0'),
          deployment: text('ba7b0f3b-a671-4e68-a006-15e4e2d686d4'),
        }),
      }),
    },
  },
} satisfies Resource
