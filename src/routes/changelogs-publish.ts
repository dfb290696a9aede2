import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import { areEntries, setPublished } from '../database/changelog-publishing.ts'
import { publishBody, UNKNOWN_IDS } from '../domain/changelog.ts'
import type { FieldErrors } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireAdmin } from '../http/middleware/auth.ts'
import { invalidates } from '../http/middleware/cache.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'

/** Publishing drafts, or taking entries back, by version or by ids, by administrators. */
export const changelogsPublish = new Hono<AuthEnv>().post(
  '/',
  invalidates('changelogs'),
  requireAdmin,
  jsonBody(),
  validBody(publishBody, async ({ ids }, c: Context<AuthEnv>): Promise<FieldErrors> => {
    const areKnown = !ids || (await areEntries(c.get('db'), ids))
    return areKnown ? {} : { ids: [UNKNOWN_IDS] }
  }),
  async (c) => {
    const { version, ids, is_published } = c.req.valid('json')
    const isPublished = is_published ?? true
    const selection = version === null ? { ids: ids ?? [] } : { version }
    const entries = await setPublished(c.get('db'), selection, isPublished, actorOf(c))
    const count = entries.length
    return isPublished
      ? c.json({
          success: true,
          data: { published: count, entries },
          message: 'Registros publicados com sucesso.',
        })
      : c.json({
          success: true,
          data: { unpublished: count, entries },
          message: 'Registros retirados com sucesso.',
        })
  },
)
