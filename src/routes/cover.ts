import { Hono } from 'hono'
import { getCover } from '../database/cover.ts'
import { completionOf } from '../domain/completion.ts'
import { coverTextsOf } from '../domain/cover-texts.ts'
import { fullName } from '../domain/names.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors } from '../http/errors.ts'
import {
  assertSecondFactor,
  assertSession,
  requireToken,
} from '../http/middleware/auth.ts'
import type { CoverResponses } from './cover.openapi.ts'

/** The data of an informer's home page (specification, 2.4 and 4.2). */
export const cover = new Hono<AppEnv>().get('/', requireToken, async (c) => {
  const user = await getCover(c.get('db'), c.get('caller').id)
  assertSession(c.get('caller'), user)
  assertSecondFactor(c.get('settings'), user)
  if (user.role !== 'informer') throw errors.informersOnly()

  const { COVER_TEXTS } = c.get('settings')
  const processesGroups = user.pairs.map(({ process, group, questionnaires }) => ({
    process,
    group: { id: group.id, name: group.name },
    cover_texts: coverTextsOf(COVER_TEXTS, group.name),
    ...completionOf(questionnaires),
  }))
  const [first] = processesGroups
  if (!first) throw errors.groupOrProcessNotFound()

  return c.json({
    success: true,
    data: {
      informer: {
        id: user.id,
        first_name: user.first_name,
        last_name: user.last_name,
        full_name: fullName(user),
        email: user.email,
      },
      process: first.process,
      group: first.group,
      cover_texts: first.cover_texts,
      processes_groups: processesGroups,
    },
  } satisfies CoverResponses['GET /v1/cover'])
})
