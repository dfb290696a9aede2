import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import { areEntries, publishEntries } from '../database/changelog-publishing.ts'
import { publishBody, UNKNOWN_IDS } from '../domain/changelog.ts'
import type { AppEnv } from '../http/app-env.ts'
import { type FieldErrors, ValidationError } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { invalidates } from '../http/middleware/response-cache.ts'
import { validBody } from '../http/middleware/validation.ts'

/** Checks that the ids exist even if the version is invalid, so one 422 reports everything. */
async function unknownIds({ ids }: Record<string, unknown>, c: Context<AuthEnv>): Promise<FieldErrors> {
  const { data } = publishBody.shape.ids.safeParse(ids)
  return data && !(await areEntries(c.get('db'), data)) ? { ids: [UNKNOWN_IDS] } : {}
}

/** Publishing drafts by version or by ids, by administrators (contract, section 9). */
export const changelogsPublish = new Hono<AppEnv>().post(
  '/',
  invalidates('changelogs'),
  requireAdmin,
  jsonBody(),
  validBody(publishBody, unknownIds),
  async (c) => {
    const { version, ids } = c.req.valid('json')
    const selection = version === null ? { ids: ids ?? [] } : { version }
    const { entries, areKnown } = await publishEntries(c.get('db'), selection, actorOf(c))
    if (!areKnown) throw new ValidationError({ ids: [UNKNOWN_IDS] })
    const data = { published: entries.length, entries }
    return c.json({ success: true, data, message: 'Registros publicados com sucesso.' })
  },
)
