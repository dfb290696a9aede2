import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../scripts/lib/ports.ts'
import { npmRun, startService, temporaryState } from '../../scripts/lib/service-process.ts'

const { stateDir, remove } = temporaryState()
const repo = mkdtempSync(join(tmpdir(), 'history-'))
const empty = mkdtempSync(join(tmpdir(), 'history-'))

/** One git command in the test's own repository, at a moment of its own. */
function git(minute: number, ...args: string[]): void {
  const date = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.org',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  }
  execFileSync('git', ['-C', repo, ...args], { env, stdio: 'ignore' })
}

const commit = (minute: number, message: string) => git(minute, 'commit', '--allow-empty', '-m', message)

describe('npm run changelog:sync', () => {
  let service: Awaited<ReturnType<typeof startService>>
  let token: string

  beforeAll(async () => {
    service = await startService({ STATE_DIR: stateDir })
    const login = await fetch(`${service.baseUrl}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'admin@example.org', password: 'Provisao2026' }),
    })
    token = ((await login.json()) as { data: { access_token: string } }).data.access_token

    git(0, 'init', '-b', 'main')
    commit(1, 'feat: primeira função')
    git(2, 'tag', 'v3.0.0')
    git(3, 'checkout', '-b', 'side')
    commit(4, 'fix(lado): correção\n\nCom corpo.')
    git(5, 'checkout', 'main')
    commit(6, 'Sem convenção')
    git(7, 'merge', '--no-ff', 'side', '-m', "Merge branch 'side'")
    git(8, 'tag', '-a', 'v3.0.1', '-m', 'annotated')
    commit(9, 'docs: depois')
    execFileSync('git', ['init', '--quiet', empty])
  })

  afterAll(async () => {
    await service?.interrupt()
    remove()
    for (const folder of [repo, empty]) rmSync(folder, { recursive: true, force: true })
  })

  const sync = (args: string[] = [service.baseUrl, '--repo', repo], accessToken = token) =>
    npmRun('changelog:sync', args, { ACCESS_TOKEN: accessToken }).ended

  it('imports a history with its tags, once', async () => {
    const first = await sync()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/5 of 5 commits\n4 imported as drafts, 1 skipped/)
    const answer = await fetch(`${service.baseUrl}/changelogs?date_to=2026-01-01&is_published=false`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const { data } = (await answer.json()) as {
      data: { version: string; title: string; description: string }[]
    }
    expect(data.map(({ version, title }) => `${version} ${title}`)).toEqual([
      'v3.0.2 depois',
      'v3.0.1 Sem convenção',
      'v3.0.1 correção',
      'v3.0.0 primeira função',
    ])
    expect(data[2]?.description).toBe('Com corpo.')
    expect((await sync()).stdout).toMatch(/0 imported as drafts, 5 skipped/)
  })

  it.each([
    [
      'a bad token',
      () => sync(undefined, 'x'),
      /^Cannot sync: http.+\/v1\/changelogs\/sync-from-git: 401 Token inválido\n$/,
    ],
    ['no token', () => sync(undefined, ''), /^Cannot sync: Usage: /],
    ['no address', () => sync([]), /^Cannot sync: Usage: /],
    [
      'an unknown option',
      () => sync(['x', '--dir', repo]),
      /^Cannot sync: Unknown option '--dir'.*\nUsage: /,
    ],
    ['no address of one', () => sync(['x', '--repo', repo]), /^Cannot sync: x\/.+: Invalid URL\n$/],
    [
      'another path',
      () => sync([`${service.baseUrl}/v2`, '--repo', repo]),
      /^Cannot sync: http.+\/v1\/v2\/changelogs\/sync-from-git: 404 Recurso não encontrado\.\n$/,
    ],
    [
      'no commits',
      () => sync([service.baseUrl, '--repo', empty]),
      /^Cannot sync: git log in .+: fatal: your current branch .+ does not have any commits yet\n$/,
    ],
    [
      'no repository',
      () => sync([service.baseUrl, '--repo', tmpdir()]),
      /^Cannot sync: git .+ not a git repository/,
    ],
    [
      'nobody listening',
      async () => sync([`http://127.0.0.1:${await freePort()}/v1`, '--repo', repo]),
      /^Cannot sync: http:\/\/127.+\/sync-from-git: connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/,
    ],
  ])('tells what is wrong with %s', async (_, run, line) => {
    const { code, stdout, stderr } = await run()
    expect(stderr).toMatch(line)
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  it('tells that what was sent stays, where something was', async () => {
    const answers = [{ data: { imported: 3, skipped: 1, entries: [] } }, { message: 'Indisponível.' }]
    const server = createServer((_, response) => {
      const answer = answers.shift()
      response.writeHead(answer?.data ? 200 : 503).end(JSON.stringify(answer))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, stdout, stderr } = await sync([`http://127.0.0.1:${port}`, '--repo', repo])
    server.close()
    expect(stdout).toBe('4 of 5 commits\n')
    expect(stderr).toMatch(/: 503 Indisponível\.\nWhat was sent before stays; it is safe to repeat\.\n$/)
    expect(code).toBe(1)
  })

  it('tells how it is used', async () => {
    const { code, stdout } = await sync(['--help'], '')
    expect(stdout).toMatch(/^Usage: ACCESS_TOKEN=… npm run changelog:sync -- BASE_URL/)
    expect(code).toBe(0)
  })

  it('npm run changelog writes the same history into CHANGELOG.md', () => {
    execFileSync(process.execPath, [resolve('scripts/changelog-file.ts')], { cwd: repo, stdio: 'ignore' })
    const file = readFileSync(join(repo, 'CHANGELOG.md'), 'utf8')
    expect(file).toMatch(
      /## v3\.0\.2 \(not released yet\)\n\n### Atualização\n\n- depois\n\n## v3\.0\.1 \(2026-01-01\)\n\n### Correção\n\n- correção\n/,
    )
    expect(file).toMatch(/## v3\.0\.0 \(2026-01-01\)\n\n### Nova Funcionalidade\n\n- primeira função\n$/)
  })
})
