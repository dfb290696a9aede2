import { createApp } from './app.ts'
import { administrators } from '#routes/administrators/handlers.ts'
import { apiTokens } from '#routes/api-tokens/handlers.ts'
import { auditEvents } from '#routes/audit-events/handlers.ts'
import { changelogs } from '#routes/changelogs/handlers.ts'
import { changelogsSync } from '#routes/changelogs/sync.ts'
import { documentation } from '#routes/documentation.ts'
import { informerGroups } from '#routes/informers/groups.ts'
import { informers } from '#routes/informers/handlers.ts'
import { informerQuestionnaires } from '#routes/informers/questionnaires.ts'
import { informerSessions } from '#routes/informers/sessions.ts'
import { groups } from '#routes/processes/groups.ts'
import { processes } from '#routes/processes/processes.ts'
import { questionnaires } from '#routes/processes/questionnaires.ts'

/** What administrators look after, and what few requests ask for. */
export const administrationApp = createApp()
  .route('/v1/informers', informers)
  .route('/v1/informers', informerGroups)
  .route('/v1/informers', informerQuestionnaires)
  .route('/v1/informers', informerSessions)
  .route('/v1/administrators', administrators)
  .route('/v1/api-tokens', apiTokens)
  .route('/v1/processes', processes)
  .route('/v1', groups)
  .route('/v1', questionnaires)
  .route('/v1/changelogs', changelogs)
  .route('/v1/changelogs/sync-from-git', changelogsSync)
  .route('/v1/audit-events', auditEvents)
  .route('/v1', documentation)
