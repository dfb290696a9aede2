import type * as z from 'zod/mini'
import { createEntryBody, updateEntryBody } from '../../src/domain/changelog.ts'
import { createInformerBody } from '../../src/domain/informer.ts'
import { errors } from '../../src/http/errors.ts'
import { loginBody } from '../../src/routes/auth.ts'
import { resendBody, verifyBody } from '../../src/routes/auth-email.ts'
import { categoriesQuery } from '../../src/routes/categories.ts'
import { changelogsQuery } from '../../src/routes/changelogs.ts'
import { syncBody } from '../../src/routes/changelogs-sync.ts'
import type { answers } from './answers.ts'

export const TAGS = {
  Auth: 'Entrar, e confirmar o email de quem é convidado.',
  Informers: 'As pessoas consultadas em segredo.',
  Categories: 'As funções eclesiásticas, públicas.',
  Changelogs: 'O que mudou no serviço, importado do git e revisto antes de publicar.',
  Service: 'O estado do próprio serviço.',
} as const

export type Route = {
  id: string
  tag: keyof typeof TAGS
  summary: string
  description?: string
  /** Whether a token must be sent, may be sent, or is nothing to the route. */
  token: 'required' | 'optional' | 'none'
  query?: z.ZodMiniType
  body?: { schema: z.ZodMiniType; example: object; isOptional?: boolean }
  /** A body or a query that is refused, where there is one: its answer is an example. */
  wrong?: object
  /** Where it has drafts, an administrator's answer is not cacheable. */
  success: {
    status: 200 | 201 | 202
    answer: keyof typeof answers
    isCacheable?: boolean
    hasDrafts?: boolean
  }
  /** What may be refused beside what follows from the rest. */
  errors?: (keyof typeof errors)[]
  isRepeatable?: boolean
}

const entry = {
  version: 'v1.2.0',
  date: '2026-01-31',
  title: 'Busca sem acentos',
  description: 'A busca de funções encontra Cônego por conego.',
  category: 'Melhoria',
}

/** Every route, by method and path as the app's own table writes them. */
export const routes: Record<string, Route> = {
  'POST /v1/auth/login': {
    id: 'login',
    tag: 'Auth',
    summary: 'Entra com email ou CPF e recebe um token de acesso',
    description: 'Envie `email` ou `cpf`, e `password`.',
    token: 'none',
    body: { schema: loginBody, example: { email: 'ana@example.org', password: 'Provisao2026' } },
    wrong: { cpf: 52998224725 },
    success: { status: 200, answer: 'login' },
    errors: ['invalidCredentials', 'emailNotVerified', 'tooManyRequests'],
  },
  'POST /v1/auth/email/verify': {
    id: 'verifyEmail',
    tag: 'Auth',
    summary: 'Confirma um email com o token da mensagem; sem senha ainda, define uma',
    description:
      'Envie só o `token`: um 422 em `password` diz que ainda não há senha, e que o mesmo token deve vir com uma. Um token desconhecido, usado ou vencido é um 422 em `token`: `O link de confirmação é inválido ou expirou.`',
    token: 'none',
    body: { schema: verifyBody, example: { token: 'o-token-do-link', password: 'Provisao2026' } },
    wrong: { token: '', password: 'curta' },
    success: { status: 200, answer: 'emailVerified' },
  },
  'POST /v1/auth/email/resend': {
    id: 'resendEmail',
    tag: 'Auth',
    summary: 'Envia de novo a mensagem de confirmação',
    token: 'none',
    body: { schema: resendBody, example: { email: 'ana@example.org' } },
    wrong: { email: 'ana' },
    success: { status: 202, answer: 'emailResent' },
    errors: ['tooManyRequests'],
  },
  'GET /v1/cover': {
    id: 'readCover',
    tag: 'Informers',
    summary: 'Os dados da página inicial do informante',
    token: 'required',
    success: { status: 200, answer: 'cover' },
    errors: ['informersOnly', 'groupOrProcessNotFound'],
  },
  'POST /v1/informers': {
    id: 'createInformer',
    tag: 'Informers',
    summary: 'Cria um informante',
    token: 'required',
    body: {
      schema: createInformerBody,
      example: { first_name: 'João', last_name: 'da Silva Santos', cpf: '52998224725' },
    },
    wrong: { cpf: '529.982.247-25', email: 'joao', password: 'curta', img_url: 'foto' },
    success: { status: 201, answer: 'informerCreated' },
    errors: ['administratorsOnly'],
    isRepeatable: true,
  },
  'GET /v1/categories': {
    id: 'listCategories',
    tag: 'Categories',
    summary: 'As funções eclesiásticas',
    token: 'optional',
    query: categoriesQuery,
    wrong: { per_page: '101', active: 'sim' },
    success: { status: 200, answer: 'categories', isCacheable: true },
  },
  'GET /v1/changelogs': {
    id: 'listChangelogs',
    tag: 'Changelogs',
    summary: 'As atualizações publicadas; a um administrador, também os rascunhos',
    token: 'optional',
    query: changelogsQuery,
    wrong: { page: '0', version: '1.2', date_from: '2026-02-30' },
    success: { status: 200, answer: 'entries', isCacheable: true, hasDrafts: true },
    errors: ['administratorsOnly'],
  },
  'GET /v1/changelogs/:id': {
    id: 'readChangelog',
    tag: 'Changelogs',
    summary: 'Uma atualização',
    token: 'optional',
    success: { status: 200, answer: 'entry', isCacheable: true, hasDrafts: true },
    errors: ['entryNotFound'],
  },
  'POST /v1/changelogs': {
    id: 'createChangelog',
    tag: 'Changelogs',
    summary: 'Cria um registro',
    token: 'required',
    body: { schema: createEntryBody, example: entry },
    wrong: { ...entry, version: '1.2', title: '', category: 'Outra' },
    success: { status: 201, answer: 'entryCreated' },
    errors: ['administratorsOnly'],
    isRepeatable: true,
  },
  'PUT /v1/changelogs/:changelog': {
    id: 'updateChangelog',
    tag: 'Changelogs',
    summary: 'Altera os campos enviados de um registro; publicar é um deles',
    token: 'required',
    body: { schema: updateEntryBody, example: { is_published: true } },
    wrong: { date: '31/01/2026' },
    success: { status: 200, answer: 'entryUpdated' },
    errors: ['administratorsOnly', 'entryNotFound'],
  },
  'DELETE /v1/changelogs/:changelog': {
    id: 'deleteChangelog',
    tag: 'Changelogs',
    summary: 'Exclui um registro',
    token: 'required',
    success: { status: 200, answer: 'entryDeleted' },
    errors: ['administratorsOnly', 'entryNotFound'],
  },
  'POST /v1/changelogs/sync-from-git': {
    id: 'syncFromGit',
    tag: 'Changelogs',
    summary: 'Importa rascunhos dos commits enviados, ou do repositório configurado',
    token: 'required',
    body: {
      schema: syncBody,
      example: {
        commits: [{ hash: 'ba7b0f3ba671', message: 'feat: busca sem acentos', date: '2026-01-31T12:00:00Z' }],
      },
      isOptional: true,
    },
    wrong: { commits: [{ hash: 'xyz', message: 'feat: um', date: 'ontem' }] },
    success: { status: 200, answer: 'synced' },
    errors: ['administratorsOnly', 'repositoryUnavailable'],
  },
  'GET /v1/health': {
    id: 'readHealth',
    tag: 'Service',
    summary: 'Se o serviço e seu banco de dados respondem',
    token: 'none',
    success: { status: 200, answer: 'health' },
  },
}

/** Every refusal that a route may answer with. */
export function errorsOf({ token, body, errors: own = [] }: Route) {
  const names: (keyof typeof errors)[] = [
    ...(token === 'none' ? [] : (['missingToken', 'invalidToken'] as const)),
    ...own,
    'methodNotAllowed',
    ...(body ? (['payloadTooLarge', 'unsupportedMediaType', 'invalidJson', 'notJsonObject'] as const) : []),
    'internalError',
    'serviceUnavailable',
  ]
  const errorOf = (name: keyof typeof errors) =>
    (errors[name] as (detail: never) => { status: number; message: string })([] as never)
  return Map.groupBy(names.map(errorOf), ({ status }) => status)
}
