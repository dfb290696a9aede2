import { env } from 'cloudflare:workers'
import { inject } from 'vitest'
import type { ReceivedRequest, Scenario } from './git/server.ts'
import { administratorToken, callJson, UNLIMITED } from './helper.ts'

export const SYNC_PATH = '/changelogs/sync-from-git'
export const hash = (number: number) => number.toString(16).padStart(40, '0')

export type SentCommit = {
  hash: string
  message: string
  date: string
  version?: string | null
}

/** A commit of a history in which every commit is an hour after the one before. */
export const sent = (
  number: number,
  message: string,
  more: Partial<SentCommit> = {},
): SentCommit => ({
  hash: hash(number),
  message,
  date: new Date(Date.UTC(2026, 0, 1, number)).toISOString(),
  ...more,
})

/** Sends commits as an administrator. */
export const push = async (commits: unknown, more = {}, options = {}) =>
  callJson(SYNC_PATH, {
    token: await administratorToken(),
    body: { commits, ...more },
    ...options,
  })

export type Entry = {
  id: string
  git_commit_hash: string
  version: string
  title: string
  date: string
  category: string
}
type StoredEntry = Entry & { description: string; is_published: number }

/** The versions of an import, by the number that a commit's hash was made of. */
export const imported = ({ body }: Awaited<ReturnType<typeof callJson>>) =>
  Object.fromEntries(
    body.data.entries.map(({ git_commit_hash, version }: Entry) => [
      Number.parseInt(git_commit_hash, 16),
      version,
    ]),
  )

/** The stored imported entries, without generated values. */
export async function storedEntries() {
  const { results } = await env.DB.prepare(
    `select git_commit_hash, version, date, title, description, category, is_published from changelogs
     where git_commit_hash is not null order by git_commit_hash`,
  ).all<StoredEntry>()
  return results
}

/** Deletes all imports. */
export async function resetImports(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare('delete from changelogs where git_commit_hash is not null'),
    env.DB.prepare('delete from imported_commits'),
    env.DB.prepare('delete from sync_cursors'),
  ])
}

/** A new repository on the git server of the tests, with functions to import it. */
export function servedRepository() {
  const server = `${inject('gitServer')}/${crypto.randomUUID()}`
  const settings = { GIT_API_URL: server, GIT_REPOSITORY: 'office/service' }
  return {
    settings,
    serve: (scenario: Scenario) =>
      fetch(server, { method: 'PUT', body: JSON.stringify(scenario) }),
    requests: async () => (await (await fetch(server)).json()) as ReceivedRequest[],
    pull: async (more: object = {}) =>
      callJson(SYNC_PATH, {
        method: 'POST',
        token: await administratorToken(),
        env: { ...settings, GIT_IMPORT_LIMIT: UNLIMITED, ...more },
      }),
  }
}

/** A history of fixes, each an hour after the one before. */
export const servedCommits = (count: number) =>
  Array.from({ length: count }, (_, number) => {
    const { hash: sha, message, date } = sent(number, `fix: ${number}`)
    return { sha, message, date }
  })
