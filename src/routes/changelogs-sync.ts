import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Hono } from 'hono/quick'
import * as z from 'zod/mini'
import { type Import, importEntries, readImportState } from '../database/changelog-imports.ts'
import { type ImportInput, planImport } from '../domain/changelog-import.ts'
import { commitHash, version } from '../domain/changelog.ts'
import { parseCommit } from '../domain/commits.ts'
import { crossFieldRule, requiredString } from '../domain/fields.ts'
import { ISO_8601, parseDateTime } from '../domain/timestamps.ts'
import { RELEASE_TYPES } from '../domain/versions.ts'
import { RepositoryUnavailableError } from '../git/client.ts'
import { readNewHistory } from '../git/repository.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors, ValidationError } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireUser } from '../http/middleware/auth.ts'
import { jsonBody, validBody } from '../http/middleware/validation.ts'
import { limitImportRate } from '../http/rate-limits.ts'
import { log } from '../log.ts'

const MAX_COMMITS = 1000
const MAX_TAGS = 10_000
const MAX_BODY_BYTES = 1024 * 1024
const DATE_MESSAGE = 'A data do commit deve seguir a ISO 8601.'
const TAGS_MESSAGE = 'As tags devem ser uma lista de textos.'

/** A list of texts as sent, with one error for the whole list. */
const texts = (message: string) =>
  z
    .custom<string[]>(
      (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
      message,
    )
    .check(z.meta({ type: 'array', items: { type: 'string' } }))

const commit = z.object(
  {
    hash: commitHash,
    message: requiredString(
      'A mensagem do commit é obrigatória.',
      'A mensagem do commit deve ser um texto.',
    ),
    date: z.pipe(
      requiredString('A data do commit é obrigatória.', DATE_MESSAGE).check(
        z.regex(ISO_8601, DATE_MESSAGE),
        z.refine((text) => parseDateTime(text) !== null, DATE_MESSAGE),
      ),
      z.transform((text) => parseDateTime(text) as Date),
    ),
    tags: z.nullish(texts(TAGS_MESSAGE)),
    version: z.nullish(version),
    parents: z.nullish(texts('Os pais devem ser uma lista de textos.')),
  },
  'Cada commit deve ser um objeto.',
)

const commits = z
  .array(commit, 'Os commits devem ser uma lista.')
  .check(z.meta({ maxItems: MAX_COMMITS }))

/** The errors of a commit, with its position and hash. */
function errorsOf(item: { hash?: unknown } | null, index: number): string[] {
  const { data: hash } = commitHash.safeParse(item?.hash)
  const name = `Commit ${index + 1}${hash ? ` (${hash})` : ''}`
  return commit.safeParse(item).error?.issues.map(({ message }) => `${name}: ${message}`) ?? []
}

/** Checks the number of commits before each of them. */
const checkCommits = z.transform((items: z.input<typeof commits>, { issues }) => {
  if (!Array.isArray(items)) return items
  const tooMany = items.length > MAX_COMMITS && ['Envie no máximo 1.000 commits por vez.']
  for (const message of tooMany || items.flatMap(errorsOf))
    issues.push({ code: 'custom', message, input: items })
  return items
})

/** The body of POST /changelogs/sync-from-git. */
export const syncBody = z
  .object({
    commits: z.nullish(z.pipe(checkCommits, commits)),
    tags: z.nullish(
      texts(TAGS_MESSAGE).check(
        z.maxLength(MAX_TAGS, 'Envie no máximo 10.000 tags por vez.'),
        z.meta({ maxItems: MAX_TAGS }),
      ),
    ),
    bump: z.nullish(
      z.enum(RELEASE_TYPES, `O campo bump deve ser um destes: ${RELEASE_TYPES.join(', ')}.`),
    ),
  })
  .check(
    crossFieldRule<{ commits?: unknown; tags?: unknown; bump?: unknown }>(
      ['commits'],
      ({ commits, tags, bump }) => commits != null || (tags ?? bump) == null,
      'Envie as tags e o bump com os commits a que se referem.',
      'commits',
    ),
  )

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
  validBody(syncBody),
  async (c) => {
    const body = c.req.valid('json')
    const db = c.get('db')
    const { pulled, ...input } = body.commits
      ? fromBody(body, body.commits)
      : await fromRepository(c)
    const hashes = input.commits.map(({ hash }) => hash)
    const state = await readImportState(db, hashes)
    const entries = planImport(input, state)
    const added = hashes.filter((hash) => !state.known.has(hash))
    const drafts = await importEntries(
      db,
      { entries, hashes: pulled ? hashes : added, pulled },
      actorOf(c),
    )
    const data = {
      imported: drafts.length,
      skipped: hashes.length - drafts.length,
      entries: drafts,
    }
    return c.json({ success: true, data, message: 'Sincronização concluída.' })
  },
)

type Input = ImportInput & Pick<Import, 'pulled'>

function fromBody({ tags, bump }: z.infer<typeof syncBody>, sent: z.infer<typeof commits>): Input {
  const areParentsKnown = sent.some(({ parents }) => parents?.length)
  const parentsOf = ({ parents }: (typeof sent)[0]) =>
    parents?.map((hash) => hash.toLowerCase()) ?? null
  return {
    commits: sent.map(({ version, ...commit }) => ({
      ...parseCommit({ ...commit, parents: areParentsKnown ? parentsOf(commit) : null }),
      version,
    })),
    tags: sent.flatMap(({ hash, tags }) => tags?.map((name) => ({ name, hash })) ?? []),
    otherTags: tags,
    bump,
    pulled: null,
  }
}

/** @throws {ApiError} 422, 429 or 502 */
async function fromRepository(c: Context<AuthEnv>): Promise<Input> {
  const { db, settings, requestId, caller } = c.var
  if (!settings.GIT_REPOSITORY)
    throw new ValidationError({ commits: ['Envie os commits ou configure o repositório git.'] })
  await limitImportRate(c, caller.id)
  try {
    return await readNewHistory(db, settings)
  } catch (error) {
    if (!(error instanceof RepositoryUnavailableError)) throw error
    log('warn', {
      event: 'git repository unavailable',
      request_id: requestId,
      reason: error.message,
    })
    throw errors.repositoryUnavailable(error.retryAfter)
  }
}
