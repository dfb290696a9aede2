/** Response headers, with descriptions and examples. */
export const RESPONSE_HEADERS: Record<string, { description: string; example: string }> = {
  'X-Request-Id': {
    description: 'O identificador do pedido, como está no registro do serviço.',
    example: '3f6303d7-ba33-429f-968e-be417f712126',
  },
  ETag: { description: 'Para If-None-Match.', example: '"kX9v4mJ8z1"' },
  'Cache-Control': {
    description: 'Quem pode guardar a resposta, e por quanto tempo; senão `no-store`.',
    example: 'public, max-age=60',
  },
  'WWW-Authenticate': { description: 'RFC 6750.', example: 'Bearer' },
  Allow: { description: 'Os métodos do caminho.', example: 'GET, HEAD' },
  'Retry-After': { description: 'Em quantos segundos tentar de novo.', example: '5' },
}

/** Request headers other than the token. */
export const REQUEST_HEADERS = {
  'If-None-Match': 'O ETag de uma resposta guardada.',
  'Idempotency-Key': 'Repetida com o mesmo corpo em uma semana, a resposta é o que já foi criado; com outro, um 422.',
} as const
