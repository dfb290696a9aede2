import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { RequiredScope } from '#domain/api-tokens.ts'
import { type Caller, hasExpired } from '#security/caller.ts'

/** An error response other than 422: status, fixed message and optional headers. */
export class ApiError extends HTTPException {
  readonly headers: Record<string, string>
  constructor(
    status: ContentfulStatusCode,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(status, { message })
    this.headers = headers
  }
}

/** A 422 response, with an envelope of its own: messages by field, in order of detection. */
export class ValidationError extends Error {
  readonly errors: FieldErrors
  constructor(errors: FieldErrors) {
    super('validation failed')
    this.errors = errors
  }
}

export type FieldErrors = Record<string, string[]>

/** `WWW-Authenticate` (RFC 6750, section 3): with the error, unless no token was sent. */
const challenge = (description?: string) => ({
  'WWW-Authenticate': description
    ? `Bearer error="invalid_token", error_description="${description}"`
    : 'Bearer',
})

/** `WWW-Authenticate` with the scope that the route requires, if any (RFC 6750, section 3.1). */
const scopeChallenge = (scope: RequiredScope) => {
  const required = scope === 'login' ? '' : `, scope="${scope}"`
  return { 'WWW-Authenticate': `Bearer error="insufficient_scope"${required}` }
}

const RETRY_AFTER_SECONDS = '5'

/**
 * All errors but 422. If several apply, the first in this order counts (docs/rules.md#refusals):
 * route 404, 405, 401, 403, 413, 415, 400, 422, id 404, 412, 409.
 */
export const errors = {
  invalidJson: () => new ApiError(400, 'O corpo da requisição não é um JSON válido.'),
  notJsonObject: () =>
    new ApiError(400, 'O corpo da requisição deve ser um objeto JSON.'),
  missingToken: () => new ApiError(401, 'Token não fornecido', challenge()),
  expiredToken: () =>
    new ApiError(401, 'Token inválido', challenge('The access token expired')),
  invalidToken: () =>
    new ApiError(401, 'Token inválido', challenge('The access token is invalid')),
  invalidCredentials: () => new ApiError(401, 'Credenciais inválidas.', challenge()),
  missingCode: () => new ApiError(401, 'Informe o código do segundo fator.', challenge()),
  secondFactorRequired: () => new ApiError(403, 'Ative o segundo fator.'),
  informersOnly: () => new ApiError(403, 'Acesso restrito a informantes.'),
  administratorsOnly: () => new ApiError(403, 'Acesso restrito a administradores.'),
  insufficientScope: (scope: RequiredScope) =>
    new ApiError(403, 'Este token não permite esta ação.', scopeChallenge(scope)),
  emailNotVerified: () => new ApiError(403, 'Confirme seu email antes de entrar.'),
  groupOrProcessNotFound: () => new ApiError(404, 'Grupo ou processo não encontrado.'),
  entryNotFound: () => new ApiError(404, 'Registro não encontrado.'),
  informerNotFound: () => new ApiError(404, 'Informante não encontrado.'),
  groupNotFound: () => new ApiError(404, 'Grupo não encontrado.'),
  questionnaireNotFound: () => new ApiError(404, 'Questionário não encontrado.'),
  processNotFound: () => new ApiError(404, 'Processo não encontrado.'),
  administratorNotFound: () => new ApiError(404, 'Administrador não encontrado.'),
  apiTokenNotFound: () => new ApiError(404, 'Token não encontrado.'),
  routeNotFound: () => new ApiError(404, 'Recurso não encontrado.'),
  methodNotAllowed: (allowed: string[]) =>
    new ApiError(405, 'Método não permitido.', { Allow: allowed.join(', ') }),
  changedSinceRead: () => new ApiError(412, 'O registro mudou desde que foi lido.'),
  createdRecordDeleted: () =>
    new ApiError(409, 'O registro criado com esta chave foi excluído.'),
  processHasInformers: () => new ApiError(409, 'O processo tem informantes.'),
  groupHasInformers: () => new ApiError(409, 'O grupo tem informantes.'),
  questionnaireCompleted: () => new ApiError(409, 'O questionário já foi concluído.'),
  recordInUse: () => new ApiError(409, 'O registro está em uso: desative-o.'),
  ownAccount: () => new ApiError(409, 'Um administrador não pode excluir a si mesmo.'),
  ownSecondFactor: () =>
    new ApiError(409, 'Desative o próprio segundo fator com a senha e um código.'),
  secondFactorEnabled: () => new ApiError(409, 'O segundo fator já está ativo.'),
  secondFactorDisabled: () => new ApiError(409, 'O segundo fator não está ativo.'),
  payloadTooLarge: () => new ApiError(413, 'O corpo da requisição é grande demais.'),
  unsupportedMediaType: () =>
    new ApiError(415, 'O corpo da requisição deve ser application/json.'),
  tooManyRequests: (seconds: number) =>
    new ApiError(429, 'Muitas tentativas. Tente novamente em instantes.', {
      'Retry-After': String(seconds),
    }),
  internalError: () => new ApiError(500, 'Erro interno do servidor.'),
  repositoryUnavailable: () => new ApiError(502, 'O repositório git não respondeu.'),
  serviceUnavailable: () =>
    new ApiError(503, 'Serviço temporariamente indisponível.', {
      'Retry-After': RETRY_AFTER_SECONDS,
    }),
}

/** Returns the error for a caller whose session ended, or whose token expired, before the write. */
export const endedSession = (caller: Caller): ApiError =>
  hasExpired(caller) ? errors.expiredToken() : errors.invalidToken()
