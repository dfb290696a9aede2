import { createApp } from './app.ts'
import { health } from '#routes/health.ts'
import { pages } from '#routes/pages.ts'
import { referenceListRoutes } from '#routes/reference-lists/handlers.ts'
import { referenceLists } from '#routes/reference-lists/lists.ts'

/** What most requests ask for: the lists, which administrators also write here, and pages. */
export const publicApp = createApp()

publicApp.route('/', pages)
for (const list of referenceLists) publicApp.route(list.path, referenceListRoutes(list))
publicApp.route('/v1/health', health)
