import { type Interceptor, interceptQueries } from '../../src/database/client.ts'
import service from '../../src/index.ts'
import handwritten from './handwritten.ts'
import { DISTANCE_MS } from './settings.ts'

/** The service and the hand-written Worker (under `/handwritten`) with a database that is far away. */
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
    far ??= { ...env, DB: faraway(env.DB) }
    const path = new URL(request.url).pathname
    if (!path.startsWith('/handwritten')) return service.fetch(request, far, context)
    return handwritten.fetch(new Request(request.url.replace('/handwritten', ''), request), far)
  },
}

/** One for all requests, as the binding itself is. */
let far: Env | undefined

function faraway(database: D1Database): D1Database {
  const travelling: Interceptor = async (trip) => {
    await new Promise((resolve) => setTimeout(resolve, DISTANCE_MS))
    return trip()
  }
  return {
    ...interceptQueries(database, travelling),
    withSession: (constraint: string) => {
      const session = database.withSession(constraint)
      return { ...interceptQueries(session, travelling), getBookmark: () => session.getBookmark() }
    },
  } as D1Database
}
