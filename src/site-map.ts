import type { Hono } from 'hono'
import { REFERENCE_TYPES, type ReferenceType } from '#domain/audit.ts'
import type { AppEnv } from '#http/app-env.ts'
import { publicLists } from '#routes/public-paths.ts'

/** Imports the routes of a resource, and adds them to its app. */
type Mount = (app: Hono<AppEnv>) => Promise<unknown>

const pages: Mount = async (app) =>
  app.route('/', (await import('#routes/pages.ts')).pages)

const auth: Mount = async (app) =>
  app
    .route('/v1/auth', (await import('#routes/auth/sessions.ts')).login)
    .route('/v1/auth', (await import('#routes/auth/me.ts')).me)
    .route('/v1/auth', (await import('#routes/auth/password.ts')).password)
    .route('/v1/auth', (await import('#routes/auth/second-factor.ts')).secondFactor)
    .route('/v1/auth', (await import('#routes/auth/email-links.ts')).emailLinks)

const cover: Mount = async (app) =>
  app.route('/v1/cover', (await import('#routes/cover.ts')).cover)

const informers: Mount = async (app) => {
  const { informers } = await import('#routes/informers/handlers.ts')
  const { informerGroups } = await import('#routes/informers/groups.ts')
  const { informerQuestionnaires } = await import('#routes/informers/questionnaires.ts')
  const { informerSessions } = await import('#routes/informers/sessions.ts')
  app
    .route('/v1/informers', informers)
    .route('/v1/informers', informerGroups)
    .route('/v1/informers', informerQuestionnaires)
    .route('/v1/informers', informerSessions)
}

const administrators: Mount = async (app) => {
  const { administrators } = await import('#routes/administrators/handlers.ts')
  app.route('/v1/administrators', administrators)
}

const apiTokens: Mount = async (app) =>
  app.route('/v1/api-tokens', (await import('#routes/api-tokens/handlers.ts')).apiTokens)

const processes: Mount = async (app) =>
  app
    .route('/v1/processes', (await import('#routes/processes/processes.ts')).processes)
    .route('/v1', (await import('#routes/processes/groups.ts')).groups)
    .route('/v1', (await import('#routes/processes/questionnaires.ts')).questionnaires)

const referenceList =
  (type: ReferenceType): Mount =>
  async (app) => {
    const { referenceLists } = await import('#routes/reference-lists/lists.ts')
    const { referenceListRoutes } = await import('#routes/reference-lists/handlers.ts')
    const list = referenceLists[type]
    app.route(list.path, referenceListRoutes(list))
  }

const changelogs: Mount = async (app) => {
  const { changelogs } = await import('#routes/changelogs/handlers.ts')
  const { changelogsSync } = await import('#routes/changelogs/sync.ts')
  app
    .route('/v1/changelogs', changelogs)
    .route('/v1/changelogs/sync-from-git', changelogsSync)
}

const auditEvents: Mount = async (app) => {
  const { auditEvents } = await import('#routes/audit-events/handlers.ts')
  app.route('/v1/audit-events', auditEvents)
}

const health: Mount = async (app) =>
  app.route('/v1/health', (await import('#routes/health.ts')).health)

const documentation: Mount = async (app) =>
  app.route('/v1', (await import('#routes/documentation.ts')).documentation)

/**
 * The resources by the first segment of their paths below /v1; '' has the pages outside it. An
 * isolate often serves a single request, and evaluating all routes takes longer than that.
 */
export const siteMap: ReadonlyMap<string, Mount> = new Map([
  ['', pages],
  ['auth', auth],
  ['cover', cover],
  ['informers', informers],
  ['administrators', administrators],
  ['api-tokens', apiTokens],
  ['processes', processes],
  ['groups', processes],
  ['questionnaires', processes],
  ...REFERENCE_TYPES.map((type) => [publicLists[type], referenceList(type)] as const),
  ['changelogs', changelogs],
  ['audit-events', auditEvents],
  ['health', health],
  ['docs', documentation],
  ['openapi.json', documentation],
])
