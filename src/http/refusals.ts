import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Every answer below 200 or above 299 but 422: a status, a fixed text and perhaps headers (contract, section 1). */
export class Refusal extends HTTPException {
  readonly headers: Record<string, string>
  constructor(status: ContentfulStatusCode, message: string, headers: Record<string, string> = {}) {
    super(status, { message })
    this.headers = headers
  }
}

/** The answer 422: the texts by field, in the order in which they were found. */
export class InvalidData extends Error {
  readonly errors: FieldErrors
  constructor(errors: FieldErrors) {
    super('invalid data')
    this.errors = errors
  }
}

export type FieldErrors = Record<string, string[]>

/** `WWW-Authenticate` of RFC 6750, section 3: bare where no token was given, else with the error. */
const challenge = (description?: string) => ({
  'WWW-Authenticate': description
    ? `Bearer error="invalid_token", error_description="${description}"`
    : 'Bearer',
})

const RETRY_AFTER_SECONDS = '5'

export const refusals = {
  bodyNotJson: () => new Refusal(400, 'O corpo da requisição não é um JSON válido.'),
  bodyNotObject: () => new Refusal(400, 'O corpo da requisição deve ser um objeto JSON.'),
  tokenMissing: () => new Refusal(401, 'Token não fornecido', challenge()),
  tokenExpired: () => new Refusal(401, 'Token inválido', challenge('The access token expired')),
  tokenInvalid: () => new Refusal(401, 'Token inválido', challenge('The access token is invalid')),
  credentials: () => new Refusal(401, 'Credenciais inválidas.', challenge()),
  informersOnly: () => new Refusal(403, 'Acesso restrito a informantes.'),
  administratorsOnly: () => new Refusal(403, 'Acesso restrito a administradores.'),
  emailUnverified: () => new Refusal(403, 'Confirme seu email antes de entrar.'),
  noGroup: () => new Refusal(404, 'Grupo ou processo não encontrado.'),
  noEntry: () => new Refusal(404, 'Registro não encontrado.'),
  noRoute: () => new Refusal(404, 'Recurso não encontrado.'),
  method: (allowed: string[]) => new Refusal(405, 'Método não permitido.', { Allow: allowed.join(', ') }),
  bodyTooLarge: () => new Refusal(413, 'O corpo da requisição é grande demais.'),
  bodyType: () => new Refusal(415, 'O corpo da requisição deve ser application/json.'),
  tooMany: (seconds: number) =>
    new Refusal(429, 'Muitas tentativas. Tente novamente em instantes.', { 'Retry-After': String(seconds) }),
  fault: () => new Refusal(500, 'Erro interno do servidor.'),
  repository: (retryAfter: string | null) =>
    new Refusal(
      502,
      'O repositório git não respondeu.',
      retryAfter === null ? {} : { 'Retry-After': retryAfter },
    ),
  unavailable: () =>
    new Refusal(503, 'Serviço temporariamente indisponível.', { 'Retry-After': RETRY_AFTER_SECONDS }),
}

/** Writes a refusal in the one envelope of failures. */
export function refuse(c: Context, refusal: Refusal): Response {
  return c.json({ success: false, message: refusal.message }, refusal.status, refusal.headers)
}

/** Writes the answer 422, which has a shape of its own (specification, section 7). */
export function refuseInvalid(c: Context, errors: FieldErrors): Response {
  return c.json({ message: 'Os dados fornecidos são inválidos.', errors }, 422)
}
