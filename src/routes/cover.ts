import { Hono } from 'hono/quick'
import { readCover } from '../database/cover.ts'
import { questionnaireStatus } from '../domain/completion.ts'
import { coverTextsOf } from '../domain/cover-texts.ts'
import { fullName } from '../domain/names.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors } from '../http/errors.ts'
import { assertNotRevoked, requireToken } from '../http/middleware/auth.ts'

/** The data of an informer's home page (specification, 2.4 and 4.2). */
export const cover = new Hono<AppEnv>().get('/', requireToken, async (c) => {
  const found = await readCover(c.get('db'), c.get('caller').id)
  assertNotRevoked(c.get('caller'), found?.user ?? null)
  if (found?.user.role !== 'informer') throw errors.informersOnly()

  const { user, memberships } = found
  const processesGroups = memberships.map(({ process, group: { id, name }, ...counts }) => ({
    process,
    group: { id, name },
    cover_texts: coverTextsOf(c.get('settings').COVER_TEXTS, name),
    ...questionnaireStatus(counts),
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
  })
})
