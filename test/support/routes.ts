import { type Scope, SCOPES } from '#domain/api-tokens.ts'

/**
 * Who may call a route: `public` reads no token, `optional` checks one, `viewer` shows more to
 * administrators; the others require a user, an informer or an administrator.
 */
export type Guard = 'public' | 'optional' | 'viewer' | 'user' | 'informer' | 'admin'

/** The exact cost of a request, and the actions that it records. */
type Cost = {
  roundTrips: number
  /** Round trips behind the response. */
  behind?: number
  records?: string[]
}

export type Route = Cost & {
  guard: Guard
  /** The scopes of API tokens that open it. */
  scopes?: readonly Scope[]
  /** Whether it is open to administrators without a second factor if one is required. */
  withoutSecondFactor?: true
}

const READ_INFORMERS: Scope[] = ['informers:read', 'informers:write']
const WRITE_INFORMERS: Scope[] = ['informers:write']
const COMPLETE: Scope[] = ['completions:write', 'informers:write']
const READ_PROCESSES: Scope[] = ['completions:write', 'processes:read', ...READ_INFORMERS]
const WRITE_LISTS: Scope[] = ['lists:write']
const WRITE_CHANGELOGS: Scope[] = ['changelogs:write']
const READ_AUDIT: Scope[] = ['audit-events:read']

/** Every route, with what it promises. The tests in `test/every-route` read this table. */
export const routes: Record<string, Route> = {
  'POST /v1/auth/login': {
    guard: 'public',
    withoutSecondFactor: true,
    roundTrips: 1,
    behind: 1,
  },
  'POST /v1/auth/refresh': { guard: 'user', roundTrips: 1 },
  'GET /v1/auth/me': { guard: 'user', withoutSecondFactor: true, roundTrips: 1 },
  'POST /v1/auth/email/verify': {
    guard: 'public',
    roundTrips: 2,
    records: ['email.verified'],
  },
  'POST /v1/auth/email/resend': { guard: 'public', roundTrips: 1 },
  'POST /v1/auth/password/forgot': { guard: 'public', roundTrips: 1 },
  'POST /v1/auth/password/reset': {
    guard: 'public',
    roundTrips: 2,
    behind: 1,
    records: ['email.verified', 'password.reset'],
  },
  'PUT /v1/auth/password': {
    guard: 'user',
    withoutSecondFactor: true,
    roundTrips: 3,
    behind: 1,
    records: ['password.changed'],
  },
  'POST /v1/auth/second-factor': {
    guard: 'admin',
    withoutSecondFactor: true,
    roundTrips: 3,
    behind: 1,
  },
  'PUT /v1/auth/second-factor': {
    guard: 'admin',
    withoutSecondFactor: true,
    roundTrips: 3,
    behind: 1,
    records: ['second_factor.enabled'],
  },
  'DELETE /v1/auth/second-factor': {
    guard: 'admin',
    roundTrips: 3,
    behind: 1,
    records: ['second_factor.disabled'],
  },
  'POST /v1/auth/logout': {
    guard: 'user',
    withoutSecondFactor: true,
    roundTrips: 2,
    records: ['session.ended'],
  },

  'GET /v1/cover': { guard: 'informer', roundTrips: 1 },
  'GET /v1/cover/questionnaires': { guard: 'informer', roundTrips: 1 },

  'GET /v1/informers': {
    guard: 'admin',
    scopes: READ_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['informer.listed'],
  },
  'GET /v1/informers/{informer}': {
    guard: 'admin',
    scopes: READ_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['informer.read'],
  },
  'POST /v1/informers': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['informer.created', 'group.associated'],
  },
  'PATCH /v1/informers/{informer}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    behind: 1,
    records: ['informer.updated'],
  },
  'DELETE /v1/informers/{informer}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['informer.deleted'],
  },
  'DELETE /v1/informers/{informer}/sessions': {
    guard: 'admin',
    roundTrips: 2,
    records: ['session.ended'],
  },
  'PUT /v1/informers/{informer}/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['group.associated'],
  },
  'DELETE /v1/informers/{informer}/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['group.dissociated'],
  },
  'PUT /v1/informers/{informer}/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: COMPLETE,
    roundTrips: 2,
    behind: 1,
    records: ['questionnaire.completed'],
  },
  'DELETE /v1/informers/{informer}/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: COMPLETE,
    roundTrips: 2,
    behind: 1,
    records: ['questionnaire.reopened'],
  },

  'GET /v1/administrators': { guard: 'admin', roundTrips: 2 },
  'GET /v1/administrators/{administrator}': { guard: 'admin', roundTrips: 2 },
  'POST /v1/administrators': {
    guard: 'admin',
    roundTrips: 3,
    records: ['administrator.created'],
  },
  'PATCH /v1/administrators/{administrator}': {
    guard: 'admin',
    roundTrips: 4,
    records: ['administrator.updated'],
  },
  'DELETE /v1/administrators/{administrator}': {
    guard: 'admin',
    roundTrips: 3,
    records: ['administrator.deleted'],
  },
  'DELETE /v1/administrators/{administrator}/sessions': {
    guard: 'admin',
    roundTrips: 2,
    records: ['session.ended'],
  },
  'DELETE /v1/administrators/{administrator}/second-factor': {
    guard: 'admin',
    roundTrips: 2,
    records: ['second_factor.disabled', 'session.ended'],
  },

  'GET /v1/api-tokens': { guard: 'admin', roundTrips: 2 },
  'POST /v1/api-tokens': {
    guard: 'admin',
    roundTrips: 3,
    behind: 1,
    records: ['api_token.created'],
  },
  'GET /v1/api-tokens/{api_token}': { guard: 'admin', roundTrips: 2 },
  'DELETE /v1/api-tokens/{api_token}': {
    guard: 'admin',
    roundTrips: 2,
    records: ['api_token.deleted'],
  },

  'GET /v1/processes': { guard: 'admin', scopes: READ_PROCESSES, roundTrips: 2 },
  'GET /v1/processes/{process}': {
    guard: 'admin',
    scopes: READ_PROCESSES,
    roundTrips: 2,
  },
  'POST /v1/processes': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['process.created'],
  },
  'PATCH /v1/processes/{process}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['process.updated'],
  },
  'DELETE /v1/processes/{process}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['process.deleted'],
  },
  'DELETE /v1/processes/{process}/informers': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['process.emptied', 'group.dissociated'],
  },
  'POST /v1/processes/{process}/groups': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['group.created'],
  },

  'PATCH /v1/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['group.updated'],
  },
  'DELETE /v1/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['group.deleted'],
  },
  'POST /v1/groups/{group}/questionnaires': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['questionnaire.created'],
  },

  'PATCH /v1/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['questionnaire.updated'],
  },
  'DELETE /v1/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['questionnaire.deleted'],
  },

  'GET /v1/categories': { guard: 'optional', scopes: SCOPES, roundTrips: 1 },
  'GET /v1/categories/{category}': { guard: 'optional', scopes: SCOPES, roundTrips: 1 },
  'POST /v1/categories': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: ['category.created'],
  },
  'PATCH /v1/categories/{category}': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: ['category.updated'],
  },
  'DELETE /v1/categories/{category}': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 2,
    records: ['category.deleted'],
  },

  'GET /v1/dioceses': { guard: 'optional', scopes: SCOPES, roundTrips: 1 },
  'GET /v1/dioceses/{diocese}': { guard: 'optional', scopes: SCOPES, roundTrips: 1 },
  'POST /v1/dioceses': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: ['diocese.created'],
  },
  'PATCH /v1/dioceses/{diocese}': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: ['diocese.updated'],
  },
  'DELETE /v1/dioceses/{diocese}': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 2,
    records: ['diocese.deleted'],
  },

  'GET /v1/treatment-pronouns': { guard: 'optional', scopes: SCOPES, roundTrips: 1 },
  'GET /v1/treatment-pronouns/{treatment_pronoun}': {
    guard: 'optional',
    scopes: SCOPES,
    roundTrips: 1,
  },
  'POST /v1/treatment-pronouns': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: ['treatment_pronoun.created'],
  },
  'PATCH /v1/treatment-pronouns/{treatment_pronoun}': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 3,
    records: ['treatment_pronoun.updated'],
  },
  'DELETE /v1/treatment-pronouns/{treatment_pronoun}': {
    guard: 'admin',
    scopes: WRITE_LISTS,
    roundTrips: 2,
    records: ['treatment_pronoun.deleted'],
  },

  'GET /v1/changelogs': { guard: 'viewer', scopes: SCOPES, roundTrips: 1 },
  'GET /v1/changelogs/{changelog}': { guard: 'viewer', scopes: SCOPES, roundTrips: 2 },
  'POST /v1/changelogs': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 3,
    records: ['changelog.created'],
  },
  'PUT /v1/changelogs/{changelog}': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 2,
    records: ['changelog.updated'],
  },
  'DELETE /v1/changelogs/{changelog}': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 2,
    records: ['changelog.deleted'],
  },
  'POST /v1/changelogs/publish': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 3,
    records: ['changelog.published'],
  },
  'POST /v1/changelogs/sync-from-git': {
    guard: 'user',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 3,
    records: ['changelog.imported'],
  },

  'GET /v1/audit-events': { guard: 'admin', scopes: READ_AUDIT, roundTrips: 2 },

  'GET /v1/health': { guard: 'public', roundTrips: 1 },
}

/** Requests of a route in another way, by their names in `requests.ts`, if they cost another amount. */
const VARIANTS: Record<string, Cost> = {
  'POST /v1/informers with an Idempotency-Key': {
    roundTrips: 3,
    records: ['informer.created'],
  },
  'POST /v1/auth/login of an administrator': {
    roundTrips: 1,
    behind: 1,
    records: ['session.started'],
  },
  'POST /v1/auth/login with a code': {
    roundTrips: 2,
    behind: 1,
    records: ['session.started'],
  },
  'PATCH /v1/administrators/{administrator} of oneself': {
    roundTrips: 5,
    behind: 1,
    records: ['password.changed'],
  },
  'POST /v1/processes with the groups of another': {
    roundTrips: 4,
    records: ['process.created'],
  },
  'GET /v1/changelogs of an administrator': { roundTrips: 2 },
  'POST /v1/changelogs with an Idempotency-Key': {
    roundTrips: 2,
    records: ['changelog.created'],
  },
}

/** The name of the route of a request: without its variant. */
export const routeOf = (request: string) => request.split(' ').slice(0, 2).join(' ')

/** The cost of a request. */
export const costOf = (request: string) => VARIANTS[request] ?? routes[routeOf(request)]

/** A route with its method and its path below `/v1`, with an id for each parameter. */
export function pathOf(route: string, id: string) {
  const [method = '', path = ''] = route.split(' /v1')
  return { method, path: path.replaceAll(/\{\w+\}/g, id) }
}
