import { Hono } from 'hono'
import { endSessions } from '#database/accounts/sessions.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, requireAdmin } from '#http/guards.ts'
import { uuidParam } from '#http/request/paths.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'

const idOf = uuidParam('informer')

/** Ending the sessions of an informer, by administrators. */
export const informerSessions = new Hono<AppEnv>().delete(
  '/:informer/sessions',
  requireAdmin('login'),
  async (c) => {
    const isFound = await endSessions(c.get('db'), 'informer', idOf(c), actorOf(c))
    if (!isFound) throw errors.informerNotFound()

    return reply<'DELETE /v1/informers/:informer/sessions'>(c, {
      message: messages.sessionsEnded,
    })
  },
)
