import { zValidator } from '@hono/zod-validator'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import {
  getSyncCursor,
  type Import,
  importEntries,
  listKnownCommits,
  readImportState,
  readReleases,
} from '../database/changelog-imports.ts'
import { type ImportInput, planImport } from '../domain/changelog-import.ts'
import { commitHash, version } from '../domain/changelog.ts'
import { parseCommit } from '../domain/commits.ts'
import { crossFieldRule, requiredString } from '../domain/fields.ts'
import { ISO_8601, parseDateTime } from '../domain/timestamps.ts'
import { RELEASE_TYPES } from '../domain/versions.ts'
import { createGitClient, HistoryTooLargeError, RepositoryUnavailableError } from '../git/client.ts'
import { fetchRepositoryHistory } from '../git/repository.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors, ValidationError } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireUser } from '../http/middleware/auth.ts'
import { invalidate } from '../http/middleware/cache.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { fieldErrors } from '../http/middleware/validation.ts'
import { limitImportRate } from '../http/rate-limits.ts'
import { log } from '../log.ts'

/** Commits per request, and tags or parents per commit. */
const MAX_ITEMS = 1000
const MAX_TAGS = 10_000
const MAX_BODY_BYTES = 1024 * 1024
const NO_SOURCE = 'Envie os commits ou configure o repositório git.'
const COMMITS_MISSING = 'Envie as tags e o bump com os commits a que se referem.'
const TOO_MANY_COMMITS = 'Há mais de 10.000 commits novos: importe-os com changelog:sync.'
const TOO_LARGE = 'O histórico é grande demais: importe-o com changelog:sync.'

const DATE_MESSAGE = 'A data do commit deve seguir a ISO 8601.'
const TAGS_MESSAGE = 'As tags devem ser uma lista de textos.'

/** A list whose length is checked before its items. */
const boundedArray = <List extends z.ZodMiniArray>(list: List, max: number, tooMany: string) =>
  z.pipe(
    z.transform((items, context) => {
      if (!Array.isArray(items) || items.length <= max) return items
      context.issues.push({ code: 'custom', message: tooMany, input: items.length })
      return z.NEVER
    }),
    list.check(z.meta({ maxItems: max })),
  ) as unknown as z.ZodMiniType<z.output<List>, z.input<List>> // typed as the list, for typed clients

/** A list of texts with one error for the whole list. */
const texts = (type: string, max: number, tooMany: string) =>
  z.pipe(
    boundedArray(
      z.array(z.unknown(), type).check(
        z.refine((items) => items.every((item) => typeof item === 'string'), type),
        z.meta({ items: { type: 'string' } }),
      ),
      max,
      tooMany,
    ),
    z.transform((items) => items as string[]),
  )

const commit = z.object(
  {
    hash: commitHash,
    message: requiredString('A mensagem do commit é obrigatória.', 'A mensagem do commit deve ser um texto.'),
    date: z.pipe(
      requiredString('A data do commit é obrigatória.', DATE_MESSAGE).check(z.regex(ISO_8601, DATE_MESSAGE)),
      z.transform((text, context) => {
        const date = parseDateTime(text)
        if (!date) context.issues.push({ code: 'custom', message: DATE_MESSAGE, input: text })
        return date ?? z.NEVER
      }),
    ),
    tags: z.nullish(texts(TAGS_MESSAGE, MAX_ITEMS, `Um commit tem no máximo ${MAX_ITEMS} tags.`)),
    version: z.nullish(version),
    parents: z.nullish(
      texts(
        'Os pais devem ser uma lista de textos.',
        MAX_ITEMS,
        `Um commit tem no máximo ${MAX_ITEMS} pais.`,
      ),
    ),
  },
  'Cada commit deve ser um objeto.',
)

/** The body of POST /changelogs/sync-from-git. */
export const syncBody = z
  .object({
    commits: z.nullish(
      boundedArray(
        z.array(commit, 'Os commits devem ser uma lista.'),
        MAX_ITEMS,
        'Envie no máximo 1.000 commits por vez.',
      ),
    ),
    tags: z.nullish(texts(TAGS_MESSAGE, MAX_TAGS, 'Envie no máximo 10.000 tags por vez.')),
    bump: z.nullish(z.enum(RELEASE_TYPES, `O campo bump deve ser um destes: ${RELEASE_TYPES.join(', ')}.`)),
  })
  .check(
    crossFieldRule<{ commits?: unknown; tags?: unknown; bump?: unknown }>(
      ['commits'],
      ({ commits, tags, bump }) => commits != null || (tags ?? bump) == null,
      COMMITS_MISSING,
      'commits',
    ),
  )

/** Like `validBody`, but the errors of a commit name its position and hash. */
const validSyncBody = zValidator('json', syncBody, (result) => {
  if (result.success) return
  const { commits } = result.data
  const indexOf = ({ path: [field, index] }: z.core.$ZodIssue) =>
    field === 'commits' && typeof index === 'number' ? index : -1
  const issues = result.error.issues
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .map((issue) => {
      const index = indexOf(issue)
      if (index < 0) return issue
      const { success, data: hash } = commitHash.safeParse(commits?.[index]?.hash)
      return { ...issue, message: `Commit ${index + 1}${success ? ` (${hash})` : ''}: ${issue.message}` }
    })
  throw new ValidationError(fieldErrors(new $ZodError(issues)))
})

/** Every user may import the configured repository, but only administrators may send commits. */
const commitsFromAdministrators = createMiddleware<AuthEnv>(async (c, next) => {
  const { commits } = await c.req.json<{ commits?: unknown }>()
  if (c.get('caller').role !== 'administrator' && commits != null) throw errors.administratorsOnly()
  await next()
})

/** Importing entries from git: from the commits in the body, or else from the configured repository. */
export const changelogsSync = new Hono<AppEnv>().post(
  '/',
  requireUser,
  jsonBody({ maxBytes: MAX_BODY_BYTES, isOptional: true }),
  commitsFromAdministrators,
  validSyncBody,
  async (c) => {
    const { commits, ...release } = c.req.valid('json')
    const db = c.get('db')
    const { pulled, ...input } = commits ? fromBody(commits, release) : await fromRepository(c)
    const hashes = input.commits.map(({ hash }) => hash)
    const { entries, added } = planImport(input, await readImportState(db, hashes))
    const drafts = await importEntries(db, { entries, hashes: pulled ? hashes : added, pulled }, actorOf(c))
    if (drafts.length > 0) invalidate(c, 'changelogs')
    const data = { imported: drafts.length, skipped: hashes.length - drafts.length, entries: drafts }
    return c.json({ success: true, data, message: 'Sincronização concluída.' })
  },
)

type Body = z.infer<typeof syncBody>

type Input = ImportInput & Pick<Import, 'pulled'>

function fromBody(commits: NonNullable<Body['commits']>, { tags, bump }: Omit<Body, 'commits'>): Input {
  const areParentsKnown = commits.some(({ parents }) => parents?.length)
  const complete = commits.map(({ version, ...commit }) => ({
    ...parseCommit({
      ...commit,
      tags: commit.tags ?? [],
      parents: (areParentsKnown && commit.parents?.map((hash) => hash.toLowerCase())) || null,
    }),
    version,
  }))
  const allTags = [...complete.flatMap(({ tags }) => tags), ...(tags ?? [])]
  return { commits: complete, tags: allTags, bump, pulled: null }
}

/** @throws {ApiError} 429 or 502 */
async function fromRepository(c: Context<AuthEnv>): Promise<Input> {
  const { db, settings, requestId, caller } = c.var
  const { GIT_REPOSITORY, GIT_API_URL, GIT_BRANCH } = settings
  if (!GIT_REPOSITORY) throw new ValidationError({ commits: [NO_SOURCE] })
  await limitImportRate(c, caller.id)
  const source = [GIT_API_URL, GIT_REPOSITORY, GIT_BRANCH ?? ''].join(' ')
  const base = await getSyncCursor(db, source)
  try {
    const history = await fetchRepositoryHistory(createGitClient(settings), GIT_BRANCH, base, {
      listKnown: (hashes) => listKnownCommits(db, hashes),
      readReleases: (tagged, added) => readReleases(db, tagged, added),
    })
    if (!history) return { commits: [], tags: [], pulled: null }
    const { head, newOffBranch } = history
    return { ...history, pulled: { cursor: { source, head }, offBranch: newOffBranch } }
  } catch (error) {
    if (error instanceof HistoryTooLargeError)
      throw new ValidationError({ commits: [error.limit === 'commits' ? TOO_MANY_COMMITS : TOO_LARGE] })
    if (!(error instanceof RepositoryUnavailableError)) throw error
    log('warn', { event: 'git repository unavailable', request_id: requestId, reason: error.message })
    throw errors.repositoryUnavailable(error.retryAfter)
  }
}
