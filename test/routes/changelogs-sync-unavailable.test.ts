import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  hash,
  resetImports,
  servedCommits,
  servedRepository,
  storedEntries,
} from '../changelog-imports.ts'
import type { Scenario } from '../git/server.ts'
import { logged } from '../logs.ts'
import { createGitClient } from '#changelog-import/git-client.ts'
import { readNewHistory } from '#changelog-import/repository.ts'
import { openDatabase } from '#database/client.ts'
import { parseSettings } from '#settings.ts'

beforeEach(resetImports)

describe('POST /v1/changelogs/sync-from-git from the configured repository', () => {
  let repository: ReturnType<typeof servedRepository>
  beforeEach(() => {
    repository = servedRepository()
  })

  const commit = { message: 'feat: x' }
  const noDate = JSON.stringify([{ sha: hash(1), commit, parents: [] }])
  it.each<[string, Partial<Scenario>, string]>([
    ['an error', { response: { status: 500 } }, 'status 500'],
    ['what is not there', { response: { status: 404 } }, 'status 404'],
    ['HTML', { response: { body: '<html>' } }, 'SyntaxError'],
    ['something else', { response: { body: '{}' } }, 'an invalid response'],
    [
      'a comparison as the list',
      { response: { body: '{"commits":[]}' } },
      'an invalid response',
    ],
    [
      'a comparison as a later page of the list',
      { response: { request: 3, body: '{"commits":[],"total_commits":0}' } },
      'an invalid response',
    ],
    [
      'a later page as of no commits',
      { response: { request: 3, status: 409 } },
      'status 409',
    ],
    ['tags as of no commits', { response: { request: 5, status: 409 } }, 'status 409'],
    ['no dates', { response: { body: noDate } }, 'a commit without a date'],
    ['half a page', { behaviour: 'breaks off' }, 'Error'],
    [
      'redirects in circles',
      { response: { status: 302, headers: { Location: '?' } } },
      'TypeError',
    ],
  ])(
    'responds 502 if the server sends %s, and imports nothing',
    async (_, scenario, reason) => {
      await repository.serve({ commits: servedCommits(150), ...scenario })
      const { status, body } = await repository.pull({ GIT_TOKEN: 'a-token' })
      expect([status, body]).toEqual([
        502,
        { success: false, message: 'O repositório git não respondeu.' },
      ])
      expect(await storedEntries()).toEqual([])
      expect(logged('warn')).toMatchObject([
        { event: 'git repository unavailable', reason },
      ])
      expect(JSON.stringify(logged('warn'))).not.toContain('a-token')
    },
  )

  it('responds 502 if there is no server', async () => {
    expect((await repository.pull({ GIT_API_URL: 'http://127.0.0.1:9' })).status).toBe(
      502,
    )
  })

  it.each(['stalls', 'stalls in the body'] as const)(
    'gives up on a server that %s',
    async (behaviour) => {
      await repository.serve({ commits: servedCommits(1), behaviour })
      const settings = parseSettings({ ...env, ...repository.settings })
      const pulling = readNewHistory(
        openDatabase(env.DB),
        settings,
        createGitClient(settings, 100),
      )
      await expect(pulling).rejects.toThrow('TimeoutError')
    },
  )
})
