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
import { runInProcess } from './in-process.ts'
import { runSql } from './local-database.ts'

const ID = 'b2a3c1d4-0000-4000-8000-000000000001'
const EXAMPLE = readFileSync('wrangler.toml', 'utf8')
const CONFIGURED = EXAMPLE.replace('00000000-0000-0000-0000-000000000000', ID).replaceAll(
  'example.org',
  'diocese.br',
)
/** With a staging environment that has ids of its own, as docs/deploying.md says. */
const STAGED = CONFIGURED.concat(
  CONFIGURED.slice(CONFIGURED.indexOf('[version_metadata]'))
    .replace(/^\[+/gm, '$&env.staging.')
    .replace(ID, ID.replace('1', '2'))
    .replace(/"100(\d)"/g, '"200$1"'),
)
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
    echo $1 $2 $3 $4 $8 $9 >> "$CALLS"
    if [ "$LOCAL" ]; then "$LOCAL" "$1" "$2" "$3" --local "$5" "$6" "$7"
    elif [ "$FAILS" = 'd1 execute' ]; then echo '{"error":{"text":"no access"}}'; exit 1
    else echo '[{"results":[]}]'; fi ;;
  *) echo "$@" >> "$CALLS"; [ "$*" != "$FAILS" ] ;;
esac
`
    writeFileSync(join(stubs, 'wrangler'), script)
    chmodSync(join(stubs, 'wrangler'), 0o755)
    git('init', '--quiet')
    configure(CONFIGURED)
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

  it('tags the version with its commit, after the migrations', async () => {
    expect(await deploy()).toMatchObject({
      code: 0,
      calls: [
        'd1 time-travel info DB',
        'd1 execute DB --remote',
        'd1 migrations apply DB --remote',
        `deploy --tag ${commit}`,
      ],
      stderr: '',
    })
  })

  it('tags a changed tree as dirty, and a version without a repository not at all', async () => {
    configure(`${CONFIGURED}\n`)
    expect((await deploy()).calls.at(-1)).toBe(`deploy --tag ${commit}-dirty`)
    expect((await deploy([], { GIT_DIR: home })).calls.at(-1)).toBe('deploy')
  })

  it('builds and uploads nothing with --dry-run, and says what it would upload and what is missing', async () => {
    configure(EXAMPLE)
    const { code, calls, stdout } = await deploy(['--dry-run'])
    expect([code, calls]).toEqual([0, ['deploy --dry-run']])
    expect(stdout).toMatch(
      /^Nothing is uploaded\. .+ upload informer-provisioning-service:\n/,
    )
    expect(stdout).toMatch(
      /\nnpm run deploy would refuse this: wrangler\.toml has no database_id yet\. /,
    )
  })

  it('lists the groups that have cover texts', async () => {
    const groups = /^Groups with cover texts \(COVER_TEXTS\): (.+)$/m
    const listed = async (...args: string[]) =>
      groups.exec((await deploy(args)).stdout)?.[1]
    const all = 'Grupo 1, Grupo 2, Grupo 3, Grupo 4, Grupo 5, Grupo 6'
    expect(await listed()).toBe(all)
    configure(CONFIGURED.replace(/^"Grupo 3".+\n/m, ''))
    expect(await listed('--dry-run')).toBe(all.replace('Grupo 3, ', ''))
    configure(CONFIGURED.replace(/^"Grupo .+\n/gm, ''))
    expect(await listed()).toBe('none')
  })

  it('changes nothing and reports every setting that is missing or invalid, on a line each', async () => {
    configure(
      EXAMPLE.replace('"Chancelaria <nao-responda@example.org>"', '""')
        .replace(
          'EMAIL_VERIFICATION_URL = ""',
          'EMAIL_VERIFICATION_URL = "http://painel.diocese.br"',
        )
        .replace('CORS_ORIGINS = ""', 'CORS_ORIGINS = "painel.diocese.br"')
        .replace('JWT_TTL_SECONDS = "3600"', 'JWT_TTL_SECONDS = "an hour"'),
    )
    const { code, calls, stderr } = await deploy()
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^Cannot deploy: wrangler\.toml has no database_id yet\. ./),
      'setting JWT_TTL_SECONDS: must be a whole number of seconds, 1 to 31536000',
      expect.stringMatching(/^setting CORS_ORIGINS: "painel.diocese.br" is no origin, /),
      'setting EMAIL_FROM: missing; set your own, or remove [[send_email]]',
      'setting PUBLIC_URL: has an example host; set your own, or remove [[send_email]]',
      'setting EMAIL_VERIFICATION_URL: must begin with https:',
      '',
    ])
    expect([code, calls]).toEqual([1, ['']])
  })

  const withPages = (reset: string) =>
    CONFIGURED.replace('"https://api.diocese.br"', '""')
      .replace(
        'EMAIL_VERIFICATION_URL = ""',
        'EMAIL_VERIFICATION_URL = "https://a.br/#/a"',
      )
      .replace('PASSWORD_RESET_URL = ""', `PASSWORD_RESET_URL = "${reset}"`)
  const withLogin = (url: string) =>
    CONFIGURED.replace('LOGIN_URL = ""', `LOGIN_URL = "${url}"`)
  const withoutEmails = (toml: string) => toml.replace(/\[\[send_email\]\]\nname.+\n/, '')
  const examples = CONFIGURED.replaceAll('diocese.br', 'example.org')

  it.each([
    [
      'PUBLIC_URL if both pages of emailed links are others',
      withPages('https://a.br/#/b'),
    ],
    ['settings of emails if none are sent', withoutEmails(examples)],
  ])('needs no %s', async (_, toml) => {
    configure(toml)
    expect(await deploy()).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    ['PUBLIC_URL: missing; set your own, or remove [[send_email]]', withPages('')],
    ['LOGIN_URL: must begin with https:', withLogin('http://painel.diocese.br')],
    [
      'LOGIN_URL: must begin with https:',
      withoutEmails(withLogin('http://painel.diocese.br')),
    ],
    [
      'LOGIN_URL: has an example host; set your own',
      withoutEmails(withLogin('https://painel.example.org')),
    ],
  ])('names the setting %s', async (problem, toml) => {
    configure(toml)
    const stderr = `Cannot deploy: setting ${problem}\n`
    expect(await deploy()).toMatchObject({ code: 1, stderr })
  })

  it('names the step that fails, and runs nothing after it', async () => {
    const step = 'd1 migrations apply DB --remote'
    const { code, calls, stderr } = await deploy([], { FAILS: step })
    expect(stderr).toMatch(`Cannot deploy: wrangler ${step} failed. Not`)
    const before = ['d1 time-travel info DB', 'd1 execute DB --remote']
    expect([code, calls]).toEqual([1, [...before, step]])
  })

  it('shows why the migrations of the database cannot be listed', async () => {
    const { code, stderr } = await deploy([], { FAILS: 'd1 execute' })
    expect(stderr).toBe(
      '{"error":{"text":"no access"}}\n' +
        'Cannot deploy: wrangler d1 execute DB --remote --json --command failed. ' +
        'Not logged in? npm run wrangler -- login\n',
    )
    expect(code).toBe(1)
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
    expect([code, calls.at(-1)]).toEqual([1, 'd1 execute DB --remote'])
  })

  it('deploys an environment of wrangler.toml with --env', async () => {
    configure(STAGED)
    const { code, calls, stderr } = await deploy(['--env', 'staging'])
    expect([code, stderr]).toEqual([0, ''])
    expect(calls).toEqual([
      'd1 time-travel info DB --env staging',
      'd1 execute DB --remote --env staging',
      'd1 migrations apply DB --remote --env staging',
      `deploy --tag ${commit}-dirty --env staging`,
    ])
    const rehearsal = await deploy(['--dry-run', '--env', 'staging'])
    expect(rehearsal.stdout).toContain('upload informer-provisioning-service-staging:')
    expect(rehearsal.calls).toEqual(['deploy --dry-run --env staging'])
  })

  it('checks the settings of an environment, and that it has bindings of its own', async () => {
    configure(
      STAGED.replace(ID.replace('1', '2'), ID)
        .replace('"2003"', '"1003"')
        .replace(/\[env\.staging\.version_metadata\]\n.+\n/, '')
        .replace(/(env\.staging\.vars\]\n[^[]*CORS_ORIGINS = )""/, '$1"a.example"'),
    )
    const { code, calls, stderr } = await deploy(['--env', 'staging'])
    expect(stderr.split('\n')).toEqual([
      'Cannot deploy: binding DB: production has the same id; staging needs its own',
      'binding TOKEN_NETWORK_LIMIT: production has the same id; staging needs its own',
      'binding VERSION: missing in the environment staging',
      expect.stringMatching(/^setting CORS_ORIGINS: "a\.example" is no origin, /),
      '',
    ])
    expect([code, calls]).toEqual([1, ['']])
    expect((await deploy()).code).toBe(0)
  })

  it('refuses an environment that wrangler.toml does not have, for which wrangler takes production', async () => {
    for (const text of [CONFIGURED, STAGED]) {
      configure(text)
      expect(await deploy(['--env', 'stagin'])).toMatchObject({
        code: 1,
        calls: [''],
        stderr:
          'Cannot deploy: wrangler.toml has no environment "stagin". See docs/deploying.md.\n',
      })
    }
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
