import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { type SentCommit, syncBody } from './sync-schemas.ts'
import { isMergeMessage, parseMessage } from '#changelog-import/commit-messages.ts'
import {
  HistoryTooLargeError,
  RepositoryUnavailableError,
} from '#changelog-import/github-client.ts'
import { type History, readNewHistory } from '#changelog-import/history.ts'
import type { Commit } from '#changelog-import/plan.ts'
import { planImport } from '#changelog-import/plan.ts'
import { getImportState, importEntries } from '#database/changelog/imports.ts'
import type { AppEnv } from '#http/app-env.ts'
import { limitImportRate } from '#http/authentication/rate-limits.ts'
import { actorOf, type CallerEnv, requireUser } from '#http/guards.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { type ApiError, errors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { log } from '#log.ts'
import { reply } from '#routes/reply.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** Every user may import the configured repository, but only administrators may send commits. */
const commitsFromAdministrators = createMiddleware<CallerEnv>(async (c, next) => {
  const { commits } = await c.req.json<{ commits?: unknown }>()
  const { role } = c.get('caller')
  if (role !== 'administrator' && commits != null) throw errors.administratorsOnly()
  await next()
})

/** Importing entries from git: of the commits in the body, or else of the configured repository. */
export const changelogsSync = new Hono<AppEnv>().post(
  '/',
  requireUser('changelogs:write'),
  jsonBody({ maxBytes: MAX_BODY_BYTES, isOptional: true }),
  commitsFromAdministrators,
  validBody(syncBody),
  async (c) => {
    const { commits: sent } = c.req.valid('json')
    const db = c.get('db')
    const { commits, tags, pulled } = sent
      ? { commits: sent.map(toCommit), tags: [], pulled: null }
      : await readConfiguredRepository(c)
    const hashes = commits.map(({ hash }) => hash)
    const state = await getImportState(db, hashes)
    const entries = planImport(commits, tags, state)

    const newHashes = hashes.filter((hash) => !state.known.has(hash)) // including merges
    const imported = { entries, hashes: newHashes, pulled }
    const drafts = await importEntries(db, imported, actorOf(c))
    const seesDrafts = c.get('caller').role === 'administrator'

    return reply<'POST /v1/changelogs/sync-from-git'>(c, {
      data: {
        imported: drafts.length,
        skipped: hashes.length - drafts.length,
        entries: seesDrafts ? drafts : [],
      },
      message: messages.entriesImported,
    })
  },
)

const toCommit = ({ message, version, ...commit }: SentCommit): Commit => ({
  ...commit,
  change: isMergeMessage(message) ? null : parseMessage(message),
  version: version ?? null,
})

/**
 * Reads the history of the configured repository since the last import.
 * @throws {ApiError} 429 or 502
 * @throws {ValidationError} without a repository, or if one import cannot hold it
 */
async function readConfiguredRepository(c: Context<CallerEnv>): Promise<History> {
  const { db, settings, requestId, caller } = c.var
  if (!settings.GIT_REPOSITORY) {
    throw invalidCommits('Envie os commits ou configure o repositório git.')
  }
  await limitImportRate(c, caller.apiToken?.id ?? caller.id)
  try {
    return await readNewHistory(db, settings)
  } catch (error) {
    if (error instanceof HistoryTooLargeError) throw tooLarge(error)
    if (error instanceof RepositoryUnavailableError) throw unavailable(error, requestId)
    throw error
  }
}

function tooLarge({ limit }: HistoryTooLargeError): ValidationError {
  if (limit === 'commits') {
    return invalidCommits(
      'Há mais de 10.000 commits novos: importe-os com changelog:sync.',
    )
  }
  return invalidCommits('O histórico é grande demais: importe-o com changelog:sync.')
}

function unavailable(error: RepositoryUnavailableError, requestId: string): ApiError {
  log('warn', {
    event: 'git repository unavailable',
    request_id: requestId,
    reason: error.message,
  })
  return errors.repositoryUnavailable()
}

function invalidCommits(message: string): ValidationError {
  return new ValidationError({ commits: [message] })
}
