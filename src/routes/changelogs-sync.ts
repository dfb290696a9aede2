import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import type { Database } from '../database/connection.ts'
import { newestImport } from '../database/imports.ts'
import { commitHash, version } from '../domain/changelog.ts'
import { parseMoment } from '../domain/timestamps.ts'
import { RepositoryUnavailable, readHistory } from '../git/repository.ts'
import { importCommits, type SentHistory } from '../git/sync.ts'
import { jsonBody } from '../http/bodies.ts'
import { authenticated, type CallerEnv } from '../http/guards.ts'
import { forgets } from '../http/public-pages.ts'
import { InvalidData, refusals } from '../http/refusals.ts'
import { validBody } from '../http/validation.ts'
import type { Settings } from '../settings.ts'

const MAX_COMMITS = 1000
const MAX_BODY_BYTES = 1024 * 1024
const NO_SOURCE = 'Envie os commits ou configure o repositório git.'

const MOMENT = 'A data do commit deve seguir a ISO 8601.'

const optional = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema))

const commit = z.object({
  hash: commitHash,
  message: z.string('A mensagem do commit deve ser um texto.'),
  date: z.pipe(
    z.string(MOMENT),
    z.transform((text, context) => {
      const date = parseMoment(text)
      if (!date) context.issues.push({ code: 'custom', message: MOMENT, input: text })
      return date ?? z.NEVER
    }),
  ),
  tags: optional(z.array(z.string('Uma tag deve ser um texto.'), 'As tags devem ser uma lista.')),
  version: optional(version),
  parents: optional(z.array(z.string('Um pai deve ser um texto.'), 'Os pais devem ser uma lista.')),
})

const syncBody = z.object({
  commits: optional(
    z
      .array(commit, 'Os commits devem ser uma lista.')
      .check(
        z.refine(
          (commits) => commits.length <= MAX_COMMITS,
          `Envie no máximo ${MAX_COMMITS} commits por vez.`,
        ),
      ),
  ),
})

/** Anyone who is logged in may have the configured repository imported, but not commits of one's own. */
const commitsFromAdministrators = createMiddleware<CallerEnv>(async (c, next) => {
  const { commits } = await c.req.json<{ commits?: unknown }>()
  if (c.var.caller.role !== 'administrator' && commits != null) throw refusals.administratorsOnly()
  await next()
})

/** Importing entries from git: commits that are sent, or else those of the configured repository. */
export const syncFromGit = new Hono<CallerEnv>().post(
  '/',
  forgets('changelogs'),
  authenticated,
  jsonBody({ maxBytes: MAX_BODY_BYTES, isOptional: true }),
  commitsFromAdministrators,
  validBody(syncBody),
  async (c) => {
    const { commits } = c.req.valid('json')
    const history = commits ? sent(commits) : await pulled(c.var.db, c.var.settings)
    const data = await importCommits(c.var.db, history)
    return c.json({ success: true, data, message: 'Sincronização concluída.' })
  },
)

function sent(commits: z.infer<typeof commit>[]): SentHistory {
  const complete = commits.map((commit) => ({
    ...commit,
    tags: commit.tags ?? [],
    parents: commit.parents ?? [],
  }))
  return { commits: complete, tags: complete.flatMap(({ tags }) => tags) }
}

async function pulled(db: Database, settings: Settings): Promise<SentHistory> {
  if (!settings.GIT_REPOSITORY) throw new InvalidData({ commits: [NO_SOURCE] })
  try {
    return await readHistory(settings, await newestImport(db))
  } catch (error) {
    if (!(error instanceof RepositoryUnavailable)) throw error
    console.warn(JSON.stringify({ level: 'warn', message: `git repository: ${error.message}` }))
    throw refusals.repository(error.retryAfter)
  }
}
