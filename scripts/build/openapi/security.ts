import type { Json } from './json-schema.ts'
import { isScope, type RequiredScope, scopesIncluding } from '#domain/api-tokens.ts'
import type { Operation } from '#openapi/operation.ts'

export const SECURITY_SCHEMES = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'O token de acesso que o login devolve.',
  },
  api_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'O token de API de um programa, com um dos escopos que a operação indica.',
  },
}

/**
 * Returns the ways to authorize an operation: a login's token, or an API token with one of the
 * scopes. A public list that is the same for everyone has none, so that generated clients send no
 * token, which would cost a preflight and the shared cache.
 */
export function securityOf({ access, scope = 'login' }: Operation): Json[] {
  if (access === 'public' || scope === 'any') return []
  const login = { token: [] }
  if (access === 'optional') return [{}, login, { api_token: [] }, ...waysBy(scope)]
  return [login, ...waysBy(scope)]
}

const waysBy = (scope: RequiredScope) =>
  isScope(scope) ? scopesIncluding(scope).map((scope) => ({ api_token: [scope] })) : []

/** Describes which API tokens may use an operation. */
export function scopeSentence({ access, scope = 'login' }: Operation): string {
  if (access === 'public' || !isScope(scope)) return ''
  const [own, ...including] = scopesIncluding(scope).map((name) => `\`${name}\``)
  const others =
    including.length > 0 ? ` (ou de um que o inclui: ${including.join(', ')})` : ''
  return access === 'optional'
    ? `Um token de API com o escopo ${own} vê o que um administrador vê.`
    : `Um token de API precisa do escopo ${own}${others}.`
}
