import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { createGitClient } from '../../src/git/client.ts'
import { readNewHistory } from '../../src/git/repository.ts'
import { parseSettings } from '../../src/settings.ts'
import { resetImports, servedCommits, servedRepository, storedEntries } from '../changelog-imports.ts'
import { logged } from '../logs.ts'

beforeEach(resetImports)

describe('POST /v1/changelogs/sync-from-git from the configured repository', () => {
  let repository: ReturnType<typeof servedRepository>
  beforeEach(() => {
    repository = servedRepository()
  })

  it.each([
    ['fails', 'status 500'],
    ['is not there', 'status 404'],
    ['serves HTML', 'SyntaxError'],
    ['sends an unexpected response', 'an invalid response'],
    ['sends no dates', 'a commit without a date'],
    ['breaks off on page 2', 'Error'],
    ['moves in circles', 'too many redirects'],
    ['sends too much', 'more than 10485760 bytes'],
  ] as const)('responds 502 if the server %s, imports nothing and logs %s', async (behaviour, reason) => {
    await repository.serve({ commits: servedCommits(150), behaviour })
    const { status, body, headers } = await repository.pull({ GIT_TOKEN: 'a-token' })
    expect([status, body]).toEqual([502, { success: false, message: 'O repositório git não respondeu.' }])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(await storedEntries()).toEqual([])
    expect(logged('warn')).toMatchObject([{ event: 'git repository unavailable', reason }])
    expect(JSON.stringify(logged('warn'))).not.toContain('a-token')
  })

  it.each([
    ['limits', 120],
    ['limits until a reset', 90],
    ['limits until the end of time', null],
    ['limits until a past reset', null],
    ['fails with requests left', null],
  ] as const)('passes on Retry-After if the server %s', async (behaviour, seconds) => {
    await repository.serve({ commits: [], behaviour })
    const { status, headers } = await repository.pull()
    expect(status).toBe(502)
    if (seconds === null) expect(headers.has('Retry-After')).toBe(false)
    else expect(Math.abs(Number(headers.get('Retry-After')) - seconds)).toBeLessThanOrEqual(2)
  })

  it('responds 502 if there is no server', async () => {
    expect((await repository.pull({ GIT_API_URL: 'http://127.0.0.1:9' })).status).toBe(502)
  })

  it.each(['stalls', 'stalls in the body'] as const)('gives up on a server that %s', async (behaviour) => {
    await repository.serve({ commits: servedCommits(1), behaviour })
    const settings = parseSettings({ ...env, ...repository.settings })
    const pulling = readNewHistory(openDatabase(env.DB), settings, createGitClient(settings, 100))
    await expect(pulling).rejects.toThrow('TimeoutError')
  })
})
