import { env } from 'cloudflare:workers'
import { resetImports, servedCommits, servedRepository } from '../changelog-imports.ts'
import { ENTRY } from '../changelogs.ts'
import { newUser, tokenOfNew, UNLIMITED } from '../helper.ts'
import { newText } from '../resources.ts'
import { byAdministrator, type Routes } from './route.ts'
import { type Scope, SCOPES } from '#domain/api-tokens.ts'

const WRITE_CHANGELOGS: Scope[] = ['changelogs:write']

const newHash = () => crypto.randomUUID().replaceAll('-', '')

/** The id of a new draft of a commit. */
async function newDraft(): Promise<string> {
  const id = crypto.randomUUID()
  const entry = { id, ...ENTRY, git_commit_hash: newHash() }
  await env.DB.prepare(
    `insert into changelogs (${Object.keys(entry)}) values (?, ?, ?, ?, ?, ?, ?)`,
  )
    .bind(...Object.values(entry))
    .run()
  return id
}

export const changelogs: Routes = {
  'GET /v1/changelogs': {
    guard: 'viewer',
    scopes: SCOPES,
    roundTrips: 1,
    request: async () => ({}),
    variants: {
      'of an administrator': { roundTrips: 2, request: byAdministrator() },
    },
  },
  'GET /v1/changelogs/{changelog}': {
    guard: 'viewer',
    scopes: SCOPES,
    roundTrips: 2,
    request: byAdministrator(async () => ({ ids: [await newDraft()] })),
  },
  'POST /v1/changelogs': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    status: 201,
    roundTrips: 3,
    records: ['changelog.created'],
    request: byAdministrator(async () => ({
      body: { ...ENTRY, git_commit_hash: newHash() },
    })),
    variants: {
      'of no commit': {
        roundTrips: 2,
        request: byAdministrator(async () => ({ body: ENTRY })),
      },
    },
  },
  'PUT /v1/changelogs/{changelog}': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 2,
    records: ['changelog.updated'],
    request: byAdministrator(async () => ({
      ids: [await newDraft()],
      body: { title: newText() },
    })),
    variants: {
      'with a commit': {
        roundTrips: 3,
        request: byAdministrator(async () => ({
          ids: [await newDraft()],
          body: { git_commit_hash: newHash() },
        })),
      },
    },
  },
  'DELETE /v1/changelogs/{changelog}': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 2,
    records: ['changelog.deleted'],
    request: byAdministrator(async () => ({ ids: [await newDraft()] })),
  },
  'POST /v1/changelogs/publish': {
    guard: 'admin',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 3,
    records: ['changelog.published'],
    request: byAdministrator(async () => ({ body: { ids: [await newDraft()] } })),
  },
  'POST /v1/changelogs/sync-from-git': {
    guard: 'user',
    scopes: WRITE_CHANGELOGS,
    roundTrips: 3,
    records: ['changelog.imported'],
    request: byAdministrator(async () => {
      const commit = { message: 'feat: um recurso', date: '2026-01-31T12:00:00Z' }
      return { body: { commits: [{ hash: newHash(), ...commit }] } }
    }),
    variants: {
      'of the configured repository, by an informer': {
        roundTrips: 5,
        request: async () => {
          await resetImports()
          const { settings, serve } = servedRepository()
          await serve({ commits: servedCommits(1) })
          const token = await tokenOfNew(await newUser('informer'))
          return { token, env: { ...settings, GIT_IMPORT_LIMIT: UNLIMITED } }
        },
      },
    },
  },
}
