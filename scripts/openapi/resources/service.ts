import * as z from 'zod'
import type { Resource } from '../operation.ts'
import { success, text } from '../schemas.ts'

export const service = {
  tag: 'Service',
  description: 'O estado do próprio serviço.',
  operations: {
    'GET /v1/health': {
      id: 'readHealth',
      summary: 'Se o serviço e seu banco de dados respondem',
      description: '503 onde o banco de dados não responde. `version` é a versão publicada.',
      access: 'public',
      response: success({
        data: z.strictObject({
          status: z.literal('ok'),
          version: text('ba7b0f3b-a671-4e68-a006-15e4e2d686d4'),
        }),
      }),
    },
  },
} satisfies Resource
