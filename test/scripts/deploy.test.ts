import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  DATABASE_ID,
  FILLED,
  SAMPLE,
  STAGED,
  STAGING_ID,
} from './filled-configuration.ts'
import { runInProcess } from './in-process.ts'
import { runSql } from './local-database.ts'

const REAL = resolve('node_modules/.bin')

// A separate project and home folder, so that no test can reach an account.
const home = mkdtempSync(join(tmpdir(), 'deploy-'))
const project = join(home, 'project')
const stubs = join(home, 'bin')
const calls = join(home, 'calls')
const folder = process.cwd()

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
  return execFileSync('git', ['-C', project, ...identity, ...args], {
    encoding: 'utf8',
  }).trim()
}

/** Without an account. */
const ENV = {
  HOME: home,
  XDG_CONFIG_HOME: home,
  CLOUDFLARE_API_TOKEN: '',
  CLOUDFLARE_API_KEY: '',
  CI: 'true',
}

/** Deploys with a wrangler that only notes its arguments. */
async function deploy(args: string[] = [], env: Record<string, string> = {}) {
  writeFileSync(calls, '')
  const PATH = `${stubs}:${process.env.PATH}`
  const { code, stdout, stderr } = await runInProcess('deploy', args, {
    env: { ...ENV, PATH, INIT_CWD: project, WRANGLER_LOG: 'error', CALLS: calls, ...env },
  })
  return {
    code,
    stdout,
    calls: readFileSync(calls, 'utf8').trimEnd().split('\n'),
    stderr,
  }
}

const configure = (text: string) => writeFileSync(join(project, 'wrangler.toml'), text)

describe('npm run deploy', () => {
  let commit: string

  beforeAll(() => {
    for (const folder of [project, join(project, 'migrations'), stubs]) mkdirSync(folder)
    writeFileSync(join(project, 'migrations', '0000_initial.sql'), '')
    const script = `#!/bin/sh
[ "$WRANGLER_LOG" = log ] || echo 'prints no result' >> "$CALLS"
case "$1 $2" in
  'd1 execute')
    echo $1 $2 $3 $4 $8 >> "$CALLS"
    if [ "$LOCAL" ]; then "$LOCAL" "$1" "$2" "$3" --local "$5" "$6" "$7"
    elif [ "$FAILS" = 'd1 execute' ]; then echo '{"error":{"text":"no access"}}'; exit 1
    else echo '[{"results":[]}]'; fi ;;
  *) echo "$@" >> "$CALLS"; [ "$*" != "$FAILS" ] ;;
esac
`
    writeFileSync(join(stubs, 'wrangler'), script)
    chmodSync(join(stubs, 'wrangler'), 0o755)
    git('init', '--quiet')
    configure(FILLED)
    git('add', '.')
    git('commit', '--quiet', '-m', 'chore: a database')
    commit = git('rev-parse', '--short', 'HEAD')
  })
  beforeEach(() => {
    git('checkout', '--quiet', '.')
    process.chdir(project)
  })
  afterEach(() => process.chdir(folder))
  afterAll(() => {
    rmSync(home, { recursive: true, force: true })
  })

  it.each([
    ['none', [], '', DATABASE_ID],
    ['staging', [], '', DATABASE_ID],
    ['staging', ['--env='], '', DATABASE_ID],
    ['none', ['--env', 'staging'], 'staging', STAGING_ID],
  ])(
    'where CLOUDFLARE_ENV is %s, looks at the environment of %j, and uploads that',
    async (CLOUDFLARE_ENV, args, env, id) => {
      configure(STAGED)
      expect(await deploy(args, { CLOUDFLARE_ENV })).toMatchObject({
        code: 0,
        calls: [
          `d1 time-travel info DB --env=${env}`,
          `d1 execute DB --remote --env=${env}`,
          `d1 migrations apply DB --remote --env=${env}`,
          `deploy --tag ${commit}-dirty --env=${env}`,
        ],
        stderr: '',
      })
      const rehearsal = await deploy(['--dry-run', ...args], { CLOUDFLARE_ENV })
      expect(rehearsal).toMatchObject({
        code: 0,
        calls: [`deploy --dry-run --env=${env}`],
        stderr: '',
      })
      const name = ['informer-provisioning-service', env].filter(Boolean).join('-')
      expect(rehearsal.stdout).toMatch(/^Nothing is uploaded\./)
      expect(rehearsal.stdout).toContain(`database ${id}, and upload ${name}:\n`)
    },
  )

  it('tags the version with its commit, and without a repository not at all', async () => {
    expect((await deploy()).calls.at(-1)).toBe(`deploy --tag ${commit} --env=`)
    expect((await deploy([], { GIT_DIR: home })).calls.at(-1)).toBe('deploy --env=')
  })

  it('exits with 1 with --dry-run where it would refuse, and says why', async () => {
    configure(SAMPLE)
    const { code, calls, stderr } = await deploy(['--dry-run'])
    expect([code, calls]).toEqual([1, ['deploy --dry-run --env=']])
    expect(stderr).toMatch(
      /^(npm run deploy would refuse this: wrangler\.toml: .+\n){3}$/,
    )
  })

  it('lists the groups that have cover texts', async () => {
    const groups = /^Groups with cover texts \(COVER_TEXTS\): (.+)$/m
    const listed = async () => groups.exec((await deploy()).stdout)?.[1]
    expect(await listed()).toBe('Grupo 1, Grupo 2, Grupo 3, Grupo 4, Grupo 5, Grupo 6')
    configure(FILLED.replace(/^"Grupo .+\n/gm, ''))
    expect(await listed()).toBe('none')
  })

  it('names the step that fails, and runs nothing after it', async () => {
    const step = 'd1 migrations apply DB --remote --env='
    const { code, calls, stderr } = await deploy([], { FAILS: step })
    expect(stderr).toMatch(`Cannot deploy: wrangler ${step} failed. Not`)
    const before = ['d1 time-travel info DB --env=', 'd1 execute DB --remote --env=']
    expect([code, calls]).toEqual([1, [...before, step]])
  })

  it('leaves a database alone that knows migrations which the checkout does not have', async () => {
    const LOCAL = join(REAL, 'wrangler') // its local database in the place of the deployed one
    const inNew = await deploy([], { LOCAL })
    expect(inNew).toMatchObject({ code: 0, stderr: '' })

    const names = "('0000_initial.sql'), ('0001_later.sql'), ('0002_latest.sql')"
    const state = join(project, '.wrangler', 'state')
    runSql(state, `insert into d1_migrations (name) values ${names}`)

    const { code, calls, stderr } = await deploy([], { LOCAL })
    expect(stderr).toBe(
      'Cannot deploy: the database is of a later version than this checkout: it has 0001_later.sql, ' +
        '0002_latest.sql. Deploy a checkout that has this too; npm run wrangler -- rollback brings ' +
        'back earlier code.\n',
    )
    expect([code, calls.at(-1)]).toEqual([1, 'd1 execute DB --remote --env='])
  })

  it('refuses an environment that wrangler.toml does not have, for which wrangler takes production', async () => {
    configure(STAGED)
    expect(await deploy(['--env', 'stagin'])).toMatchObject({
      code: 1,
      calls: [''],
      stderr:
        'Cannot deploy: wrangler.toml has no environment "stagin". See docs/deploying.md.\n',
    })
  })

  it('explains how to log in', () => {
    const PATH = `${REAL}:${process.env.PATH}`
    const options = { encoding: 'utf8', env: { ...process.env, ...ENV, PATH } } as const
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'scripts/commands/deploy.ts')],
      options,
    )
    expect(stderr).toContain('CLOUDFLARE_API_TOKEN') // printed by wrangler
    expect(stderr).toMatch(
      /\nCannot deploy: .+ failed\. Not logged in\? npm run wrangler -- login\n$/,
    )
    expect(status).toBe(1)
  })
})
