import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Hono } from 'hono/quick'
import { importEntries, readImportState } from '../database/changelog-imports.ts'
import { planImport } from '../domain/changelog-import.ts'
import { parseCommit } from '../domain/commits.ts'
import { HistoryTooLargeError, RepositoryUnavailableError } from '../git/errors.ts'
import { type NewHistory, readNewHistory } from '../git/repository.ts'
import type { AppEnv } from '../http/app-env.ts'
import { type ApiError, errors, ValidationError } from '../http/errors.ts'
import { type AuthEnv, actorOf, requireUser } from '../http/middleware/auth.ts'
import { jsonBody, validBody } from '../http/middleware/validation.ts'
import { limitImportRate } from '../http/rate-limits.ts'
import { log } from '../log.ts'
import { type SentCommit, type SyncBody, syncBody } from './changelogs-sync-body.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** Every user may import the configured repository, but only administrators may send commits. */
const commitsFromAdministrators = createMiddleware<AuthEnv>(async (c, next) => {
  const { commits } = await c.req.json<{ commits?: unknown }>()
  const { role } = c.get('caller')
  if (role !== 'administrator' && commits != null) throw errors.administratorsOnly()
  await next()
})

/** Importing entries from git: of the commits in the body, or else of the configured repository. */
export const changelogsSync = new Hono<AppEnv>().post(
  '/',
  requireUser,
  jsonBody({ maxBytes: MAX_BODY_BYTES, isOptional: true }),
  commitsFromAdministrators,
  validBody(syncBody),
  async (c) => {
    const body = c.req.valid('json')
    const db = c.get('db')
    const history = body.commits ? toHistory(body, body.commits) : await readConfiguredRepository(c)
    const hashes = history.commits.map(({ hash }) => hash)
    const state = await readImportState(db, hashes)
    const entries = planImport(history, state)

    const { pulled } = history
    const added = hashes.filter((hash) => !state.known.has(hash))
    const imported = { entries, hashes: pulled ? hashes : added, pulled }
    const drafts = await importEntries(db, imported, actorOf(c))
    const data = {
      imported: drafts.length,
      skipped: hashes.length - drafts.length,
      entries: drafts,
    }
    return c.json({ success: true, data, message: 'Sincronização concluída.' })
  },
)

/** The history that a body tells. Where no commit names a parent, parents are unknown. */
function toHistory({ tags, bump }: SyncBody, sent: SentCommit[]): NewHistory {
  const areParentsKnown = sent.some(({ parents }) => parents?.length)
  const commits: NewHistory['commits'] = []
  const tagsOfCommits: NewHistory['tags'] = []
  for (const { hash, message, date, version, ...commit } of sent) {
    const parents = areParentsKnown ? (commit.parents ?? null) : null
    commits.push({ ...parseCommit({ hash, message, date, parents }), version })
    for (const name of commit.tags ?? []) {
      tagsOfCommits.push({ name, hash })
    }
  }
  return {
    commits,
    tags: tagsOfCommits,
    otherTags: tags,
    bump,
    pulled: null,
  }
}

/**
 * The history of the configured repository since the last import.
 * @throws {ApiError} 429 or 502
 * @throws {ValidationError} without a repository, or if there is too much for one import
 */
async function readConfiguredRepository(c: Context<AuthEnv>): Promise<NewHistory> {
  const { db, settings, requestId, caller } = c.var
  if (!settings.GIT_REPOSITORY) {
    throw invalidCommits('Envie os commits ou configure o repositório git.')
  }
  await limitImportRate(c, caller.id)
  try {
    return await readNewHistory(db, settings)
  } catch (error) {
    if (error instanceof HistoryTooLargeError) throw tooLarge(error)
    if (error instanceof RepositoryUnavailableError) throw unavailable(error, requestId)
    throw error
  }
}

function tooLarge({ limit }: HistoryTooLargeError): ValidationError {
  return limit === 'commits'
    ? invalidCommits('Há mais de 10.000 commits novos: importe-os com changelog:sync.')
    : invalidCommits('O histórico é grande demais: importe-o com changelog:sync.')
}

function unavailable(error: RepositoryUnavailableError, requestId: string): ApiError {
  log('warn', {
    event: 'git repository unavailable',
    request_id: requestId,
    reason: error.message,
  })
  return errors.repositoryUnavailable(error.retryAfter)
}

function invalidCommits(message: string): ValidationError {
  return new ValidationError({ commits: [message] })
}
