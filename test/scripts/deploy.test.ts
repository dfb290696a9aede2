import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const PLACEHOLDER = '00000000-0000-0000-0000-000000000000'
const CONFIGURATION = readFileSync('wrangler.toml', 'utf8')
const REAL = resolve('node_modules/.bin')

// A project and a home of its own, so that no test can reach an account.
const home = mkdtempSync(join(tmpdir(), 'deploy-'))
const project = join(home, 'project')
const pretended = join(home, 'bin')

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
  return execFileSync('git', ['-C', project, ...identity, ...args], { encoding: 'utf8' }).trim()
}

/** Deploys with a wrangler that only says how it was called, or with the real one. */
function deploy(args: string[], bin = pretended) {
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    CLOUDFLARE_API_TOKEN: '',
    CLOUDFLARE_API_KEY: '',
    CI: 'true',
  }
  const script = resolve('scripts/deploy.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
  })
  return { code: status, calls: stdout.split('\n').filter((line) => line.startsWith('called')), stderr }
}

const configure = (databaseId: string) =>
  writeFileSync(join(project, 'wrangler.toml'), CONFIGURATION.replaceAll(PLACEHOLDER, databaseId))

describe('npm run deploy', () => {
  let commit: string

  beforeAll(() => {
    for (const folder of [project, pretended]) mkdirSync(folder)
    writeFileSync(join(pretended, 'wrangler'), '#!/bin/sh\necho called "$@"\n')
    chmodSync(join(pretended, 'wrangler'), 0o755)
    git('init', '--quiet')
    configure('b2a3c1d4-0000-4000-8000-000000000001')
    git('add', '.')
    git('commit', '--quiet', '-m', 'chore: a database')
    commit = git('rev-parse', '--short', 'HEAD')
  })
  beforeEach(() => void git('checkout', '--quiet', '.'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  it('marks the version with its commit, after the migrations', () => {
    expect(deploy([])).toEqual({
      code: 0,
      calls: [
        'called d1 time-travel info DB --env production',
        'called d1 migrations apply DB --remote --env production',
        `called deploy --tag ${commit} --env production`,
      ],
      stderr: '',
    })
  })

  it('says of a changed tree that it is not the commit', () => {
    writeFileSync(join(project, 'wrangler.toml'), `${readFileSync(join(project, 'wrangler.toml'))}\n`)
    expect(deploy([]).calls.at(-1)).toBe(`called deploy --tag ${commit}-dirty --env production`)
  })

  it.each([['--tag=mine'], ['--dry-run'], ['--help']])('leaves what %s asks for to wrangler', (option) => {
    const calls = deploy([option]).calls
    expect(calls.at(-1)).toMatch(new RegExp(`^called deploy .*${option} --env production$`))
    expect(calls).toHaveLength(option === '--tag=mine' ? 3 : 1)
    expect(calls.join().match(/--tag/g)).toHaveLength(1)
  })

  it('refuses before anything is done while there is no database, but for a dry run', () => {
    configure(PLACEHOLDER)
    const { code, calls, stderr } = deploy([])
    expect(stderr).toMatch(/^Cannot deploy: .+ has no database_id yet\.\n.+"Deploying to Cloudflare".+\n$/)
    expect([code, calls]).toEqual([1, []])
    expect(deploy(['--dry-run']).code).toBe(0)
  })

  it('tells how to log in where nobody is', () => {
    const { code, stderr } = deploy([], REAL)
    expect(stderr).toContain('CLOUDFLARE_API_TOKEN') // as wrangler says it
    expect(stderr).toMatch(/\nNobody is logged in to Cloudflare: npm run wrangler -- login\n$/)
    expect(code).toBe(1)
  })
})
