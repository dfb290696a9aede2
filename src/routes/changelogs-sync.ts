import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import type { Database } from '../database/client.ts'
import { getSyncCursor } from '../database/imports.ts'
import { commitHash, version } from '../domain/changelog.ts'
import { ISO_8601, parseDateTime, timestamp } from '../domain/timestamps.ts'
import { RepositoryUnavailable, readHistory } from '../git/repository.ts'
import { importCommits, type SentHistory } from '../git/sync.ts'
import { errors, ValidationError } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireUser } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { invalidates } from '../http/middleware/response-cache.ts'
import { validBody } from '../http/middleware/validation.ts'
import { log } from '../log.ts'
import type { Settings } from '../settings.ts'

/** Commits in a call, and tags or parents of a commit. */
const MAX_ITEMS = 1000
const MAX_BODY_BYTES = 1024 * 1024
const NO_SOURCE = 'Envie os commits ou configure o repositório git.'

const MOMENT = 'A data do commit deve seguir a ISO 8601.'

const optional = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema))

/** A list that is counted before its items are looked at. */
const counted = <List extends z.ZodMiniArray>(list: List, tooMany: string) =>
  z.pipe(
    z.transform((items, context) => {
      if (!Array.isArray(items) || items.length <= MAX_ITEMS) return items
      context.issues.push({ code: 'custom', message: tooMany, input: items.length })
      return z.NEVER
    }),
    list.check(z.meta({ maxItems: MAX_ITEMS })),
  )

/** A list of texts, judged as one: its first bad item is enough. */
const texts = (name: string, type: string) =>
  z.pipe(
    counted(
      z.array(z.unknown(), type).check(
        z.refine((items) => items.every((item) => typeof item === 'string'), type),
        z.meta({ items: { type: 'string' } }),
      ),
      `Um commit tem no máximo ${MAX_ITEMS} ${name}.`,
    ),
    z.transform((items) => items as string[]),
  )

const commit = z.object(
  {
    hash: commitHash,
    message: z.string('A mensagem do commit deve ser um texto.'),
    date: z.pipe(
      z.string(MOMENT).check(z.regex(ISO_8601, MOMENT)),
      z.transform((text, context) => {
        const date = parseDateTime(text)
        if (!date) context.issues.push({ code: 'custom', message: MOMENT, input: text })
        return date ?? z.NEVER
      }),
    ),
    tags: optional(texts('tags', 'As tags devem ser uma lista de textos.')),
    version: optional(version),
    parents: optional(texts('pais', 'Os pais devem ser uma lista de textos.')),
  },
  'Cada commit deve ser um objeto.',
)

export const syncBody = z.object({
  commits: optional(
    counted(
      z.array(commit, 'Os commits devem ser uma lista.'),
      `Envie no máximo ${MAX_ITEMS} commits por vez.`,
    ),
  ),
})

/** Anyone who is logged in may have the configured repository imported, but not commits of one's own. */
const commitsFromAdministrators = createMiddleware<AuthEnv>(async (c, next) => {
  const { commits } = await c.req.json<{ commits?: unknown }>()
  if (c.get('caller').role !== 'administrator' && commits != null) throw errors.administratorsOnly()
  await next()
})

/** Importing entries from git: commits that are sent, or else those of the configured repository. */
export const syncFromGit = new Hono<AuthEnv>().post(
  '/',
  invalidates('changelogs'),
  requireUser,
  jsonBody({ maxBytes: MAX_BODY_BYTES, isOptional: true }),
  commitsFromAdministrators,
  validBody(syncBody),
  async (c) => {
    const { commits } = c.req.valid('json')
    const history = commits ? sent(commits) : await pulled(c.get('db'), c.get('settings'))
    const data = await importCommits(c.get('db'), history, actorOf(c))
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

async function pulled(db: Database, settings: Settings, now = new Date()): Promise<SentHistory> {
  const { GIT_REPOSITORY, GIT_API_URL, GIT_BRANCH } = settings
  if (!GIT_REPOSITORY) throw new ValidationError({ commits: [NO_SOURCE] })
  const source = [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
  try {
    const history = await readHistory(settings, await getSyncCursor(db, source))
    // a clock that is wrong must not keep the next import from what is committed until then
    const newest = Math.max(
      ...history.commits.map(({ date }) => date.getTime()).filter((time) => time <= now.getTime()),
    )
    return Number.isFinite(newest)
      ? { ...history, read: { source, head: timestamp(new Date(newest)) } }
      : history
  } catch (error) {
    if (!(error instanceof RepositoryUnavailable)) throw error
    log('warn', { message: `git repository: ${error.message}` })
    throw errors.repositoryUnavailable(error.retryAfter)
  }
}
