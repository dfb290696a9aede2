import service from '../../src/index.ts'

/** The service, each of whose requests is the first of an isolate: what an isolate remembers belongs to its binding. */
export default {
  fetch(request: Request, env: Env, context: ExecutionContext) {
    forgetful ??= { ...env }
    forgetful.DB = { withSession: (constraint) => env.DB.withSession(constraint) } as D1Database
    return service.fetch(request, forgetful, context)
  },
}

/** One object for all requests, because settings are parsed once per object. */
let forgetful: Env | undefined
