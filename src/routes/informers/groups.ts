import { type Context, Hono } from 'hono'
import { changedInformer, recordSeen, toInformer } from './informer.ts'
import {
  associateGroup,
  type ChangedInformer,
  dissociateGroup,
} from '#database/users/associations.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, type CallerEnv, requireAdmin } from '#http/guards.ts'
import { setEntityTag } from '#http/request/entity-tags.ts'
import { uuidParam } from '#http/request/paths.ts'
import { errors } from '#http/response/errors.ts'
import { reply } from '#routes/reply.ts'

const ONE = '/:informer/groups/:group'

type Change = `${'PUT' | 'DELETE'} /v1/informers${typeof ONE}`

const idOf = uuidParam('informer')
const groupIdOf = uuidParam('group')

/** Responds with the informer. @throws {ApiError} 404 */
function changedResponse(c: Context<CallerEnv>, changed: ChangedInformer) {
  const informer = changedInformer(changed, errors.groupNotFound)
  setEntityTag(c, informer)
  recordSeen(c, [informer])
  return reply<Change>(c, { data: toInformer(informer) })
}

/** Associating informers with groups, by administrators. */
export const informerGroups = new Hono<AppEnv>()
  .put(ONE, requireAdmin('informers:write'), async (c) => {
    const db = c.get('db')
    const changed = await associateGroup(db, idOf(c), groupIdOf(c), actorOf(c))
    return changedResponse(c, changed)
  })
  .delete(ONE, requireAdmin('informers:write'), async (c) => {
    const db = c.get('db')
    const changed = await dissociateGroup(db, idOf(c), groupIdOf(c), actorOf(c))
    return changedResponse(c, changed)
  })
