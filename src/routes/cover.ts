import { type Context, Hono } from 'hono'
import { getCover } from '#database/users/cover.ts'
import { completionOf } from '#domain/completion.ts'
import { coverTextsOf } from '#domain/cover-texts.ts'
import { fullName } from '#domain/names.ts'
import type { AppEnv } from '#http/app-env.ts'
import {
  assertSecondFactor,
  assertSession,
  type CallerEnv,
  requireToken,
} from '#http/guards.ts'
import { errors } from '#http/response/errors.ts'
import { reply } from '#routes/reply.ts'

/** Reads the cover's data of the caller. One round trip. @throws {ApiError} 401 or 403 */
async function readInformer(c: Context<CallerEnv>) {
  const user = await getCover(c.get('db'), c.get('caller').id)
  assertSession(c.get('caller'), user)
  assertSecondFactor(c.get('settings'), user)
  if (user.role !== 'informer') throw errors.informersOnly()
  return user
}

/** An informer's own data: the home page, and the questionnaires. */
export const cover = new Hono<AppEnv>()
  .get('/', requireToken('login'), async (c) => {
    const informer = await readInformer(c)
    const { COVER_TEXTS } = c.get('settings')
    const processesGroups = informer.pairs.map(({ process, group, questionnaires }) => ({
      process,
      group: { id: group.id, name: group.name },
      cover_texts: coverTextsOf(COVER_TEXTS, group.name),
      ...completionOf(questionnaires),
    }))
    const [first] = processesGroups
    if (!first) throw errors.groupOrProcessNotFound()

    return reply<'GET /v1/cover'>(c, {
      data: {
        informer: {
          id: informer.id,
          first_name: informer.first_name,
          last_name: informer.last_name,
          full_name: fullName(informer),
          email: informer.email,
        },
        process: first.process,
        group: first.group,
        cover_texts: first.cover_texts,
        processes_groups: processesGroups,
      },
    })
  })
  .get('/questionnaires', requireToken('login'), async (c) => {
    const { pairs } = await readInformer(c)

    return reply<'GET /v1/cover/questionnaires'>(c, {
      data: pairs.flatMap(({ process, group, questionnaires }) =>
        questionnaires.map(({ id, title, completed_at }) => ({
          id,
          title,
          process,
          group: { id: group.id, name: group.name },
          completed_at,
        })),
      ),
    })
  })
