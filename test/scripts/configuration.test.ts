import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { readConfiguration } from '../../scripts/lib/configuration.ts'
import { freePort } from '../../scripts/lib/local-run.ts'
import { stateFiles } from '../../scripts/lib/state-folder.ts'
import {
  FILLED,
  STAGED,
  STAGING_ID,
  DATABASE_ID,
  SAMPLE,
} from './filled-configuration.ts'
import { runInProcess } from './in-process.ts'

const SECRET = `JWT_SECRET="${'x'.repeat(32)}"\n`

it('wrangler.toml lets Cloudflare keep no log of its own, which would hold addresses', () => {
  const { observability } = readConfiguration()
  expect(observability).toMatchObject({
    redact_query_string: true,
    logs: { invocation_logs: false },
  })
})

describe('a checkout of its own', () => {
  const folder = resolve('.')
  let remove: () => void
  let checkout: string

  beforeEach(() => {
    const made = temporaryState()
    checkout = made.stateDir
    remove = made.remove
    process.chdir(checkout)
    configure({})
  })
  afterEach(() => {
    process.chdir(folder)
    remove()
  })

  function configure({
    toml = SAMPLE,
    secrets = SECRET,
  }: Record<string, string | Buffer>) {
    writeFileSync('wrangler.toml', toml)
    writeFileSync('.dev.vars', secrets)
  }
  const start = async () =>
    runInProcess('start', [], {
      env: {
        STATE_DIR: join(checkout, 'state'),
        PORT: String(await freePort()),
        INIT_CWD: '',
      },
    })
  const deploy = (...args: string[]) => runInProcess('deploy', args)
  const failure = (text: string) => ({ code: 1, stdout: '', stderr: `${text}\n` })

  const without = (table: RegExp) => FILLED.replace(table, '')
  const limit = (name: string) =>
    new RegExp(`^\\[\\[ratelimits\\]\\]\\nname = "${name}"\\n.+\\n.+\\n`, 'm')
  const CRONS =
    'triggers.crons: must have "* * * * *", which sends emails and deletes what has expired'
  const secret = (name: string) =>
    'a secret, which every reader of the repository could see; remove it, and set another value ' +
    `with npm run wrangler -- secret put ${name}; locally it belongs in .dev.vars`

  it.each([
    [
      'a misspelt key',
      FILLED.replace('workers_dev', 'worker_dev'),
      'worker_dev: unknown here',
    ],
    [
      'routes below a table',
      `${FILLED}routes = [{ pattern = "api.diocese.br", custom_domain = true }]\n`,
      'ratelimits[3].routes: unknown here',
    ],
    [
      'a misspelt key of an environment',
      `${FILLED}[env.staging]\nminfy = true\n`,
      'env.staging.minfy: unknown here',
    ],
    [
      'an unknown setting',
      FILLED.replace('OFFICE_CONTACT', 'OFFICE_CONTAC'),
      'vars.OFFICE_CONTAC: unknown; see docs/settings.md',
    ],
    [
      'a secret',
      FILLED.replace('[vars]', `$&\nGIT_TOKEN = "x"`),
      `vars.GIT_TOKEN: ${secret('GIT_TOKEN')}`,
    ],
    [
      'a secret of an environment',
      `${FILLED}[env.staging.vars]\nJWT_SECRET = "x"\n`,
      `env.staging.vars.JWT_SECRET: ${secret('JWT_SECRET')}`,
    ],
    ['no trigger', without(/^\[triggers\]\n.+\n/m), CRONS],
    ['a trigger of every hour', FILLED.replace('"* * * * *"', '"0 * * * *"'), CRONS],
    [
      'no version metadata',
      without(/^\[version_metadata\]\n.+\n/m),
      'version_metadata: must bind VERSION',
    ],
    [
      'no database',
      without(/^\[\[d1_databases\]\]\n(\w.+\n)+/m),
      'd1_databases: must bind DB',
    ],
    [
      'a database_id that is no UUID',
      FILLED.replace(DATABASE_ID, 'informer-provisioning'),
      'd1_databases[0].database_id: must be the UUID that d1 create prints; see docs/deploying.md',
    ],
    [
      'no name of the local database',
      without(/^preview_database_id.+\n/m),
      'd1_databases[0].preview_database_id: missing; it names the local database',
    ],
    [
      'no rate limit',
      without(limit('GIT_IMPORT_LIMIT')),
      'ratelimits: must bind GIT_IMPORT_LIMIT',
    ],
    [
      'two rate limits with one namespace_id',
      FILLED.replace('"1005"', '"1002"'),
      'ratelimits[3].namespace_id: the same as of LOGIN_NETWORK_LIMIT, so attempts count twice',
    ],
  ])('npm start and npm run deploy refuse %s', async (_, toml, problem) => {
    expect(toml).not.toBe(FILLED)
    configure({ toml })
    expect(await start()).toEqual(failure(`Cannot start: wrangler.toml: ${problem}`))
    expect(await deploy()).toEqual(failure(`Cannot deploy: wrangler.toml: ${problem}`))
  })

  const OWN_EMAILS = 'set your own, or remove [[send_email]]'
  const set = (name: string, value: string) =>
    FILLED.replace(new RegExp(`^${name} = ".*"`, 'm'), `${name} = "${value}"`)
  const withoutEmails = (toml: string) => toml.replace(/\[\[send_email\]\]\nname.+\n/, '')

  it.each([
    [
      'the placeholder of database_id',
      FILLED.replace(DATABASE_ID, '00000000-0000-0000-0000-000000000000'),
      'd1_databases[0].database_id: a placeholder; see docs/deploying.md',
    ],
    [
      'an origin without TLS',
      set('CORS_ORIGINS', 'https://a.diocese.br,HTTP://b.diocese.br'),
      'vars.CORS_ORIGINS: an origin of production must begin with https:',
    ],
    ['no sender', set('EMAIL_FROM', ''), `vars.EMAIL_FROM: missing; ${OWN_EMAILS}`],
    [
      'an example sender',
      set('EMAIL_FROM', 'a@example.org'),
      `vars.EMAIL_FROM: has an example host; ${OWN_EMAILS}`,
    ],
    [
      'no address of its own',
      set('PUBLIC_URL', ''),
      `vars.PUBLIC_URL: missing; ${OWN_EMAILS}`,
    ],
    [
      'a page of emailed links without TLS',
      set('PASSWORD_RESET_URL', 'http://painel.diocese.br'),
      'vars.PASSWORD_RESET_URL: must begin with https:',
    ],
    [
      'an example login page, where no emails are sent',
      withoutEmails(set('LOGIN_URL', 'https://painel.example.org')),
      'vars.LOGIN_URL: has an example host; set your own',
    ],
  ])('npm run deploy refuses %s', async (_, toml, problem) => {
    configure({ toml })
    expect(await deploy()).toEqual(failure(`Cannot deploy: wrangler.toml: ${problem}`))
  })

  it('npm run deploy refuses what the Worker would refuse, and names all problems', async () => {
    configure({
      toml: withoutEmails(SAMPLE)
        .replace('JWT_TTL_SECONDS = "3600"', 'JWT_TTL_SECONDS = "an hour"')
        .replace(
          'REQUIRE_EMAIL_VERIFICATION = "false"',
          'REQUIRE_EMAIL_VERIFICATION = "true"',
        )
        .replace('"Grupo 3" = { line_1', '"Grupo 3" = { linha_1'),
    })
    expect(await deploy()).toEqual(
      failure(
        'Cannot deploy: wrangler.toml: d1_databases[0].database_id: a placeholder; see docs/deploying.md\n' +
          'setting JWT_TTL_SECONDS: must be a whole number of seconds, 1 to 31536000\n' +
          'setting COVER_TEXTS: Grupo 3: must contain only line_1 and line_2\n' +
          'setting REQUIRE_EMAIL_VERIFICATION: needs [[send_email]], which binds EMAIL',
      ),
    )
  })

  it('npm run deploy refuses an environment that lacks or shares bindings of production', async () => {
    const toml = STAGED.replace(STAGING_ID, DATABASE_ID)
      .replace('"2003"', '"1003"')
      .replace(/\[env\.staging\.version_metadata\]\n.+\n/, '')
    configure({ toml })
    const place = 'wrangler.toml: env.staging.'
    expect(await deploy('--env', 'staging')).toEqual(
      failure(
        `Cannot deploy: ${place}version_metadata: must bind VERSION\n` +
          `${place}d1_databases[0].database_id: the same as of production\n` +
          `${place}ratelimits[2].namespace_id: the same as of production`,
      ),
    )
  })

  it('npm start names misspelt and spoilt settings of .dev.vars, and where a missing one belongs', async () => {
    const wrong = 'cors_origins=https://painel.diocese.example\nLOGIN_URL=x\n'
    configure({ secrets: `\uFEFF${SECRET}${wrong}` })
    expect(await start()).toEqual(
      failure(
        'Cannot start: setting cors_origins: unknown; see docs/settings.md (in .dev.vars)\n' +
          'setting LOGIN_URL: must be an http or https address, as https://painel.example.org (in .dev.vars)',
      ),
    )
    configure({ secrets: Buffer.from(`${SECRET}OFFICE_CONTACT="Irmã Ana"\n`, 'latin1') })
    expect(await start()).toEqual(
      failure(
        'Cannot start: setting OFFICE_CONTACT: has lost letters (U+FFFD); save the file as UTF-8 (in .dev.vars)',
      ),
    )
    configure({
      secrets: '',
      toml: SAMPLE.replace(/^\[vars\.COVER_TEXTS\]\n(".+\n)+/m, ''),
    })
    const secrets =
      'secrets belong in .dev.vars, which npm start makes where there are no data yet'
    expect(await start()).toEqual(
      failure(
        `Cannot start: setting JWT_SECRET: must have at least 32 bytes (${secrets})\n` +
          'setting COVER_TEXTS: must map group names to their lines (missing in wrangler.toml)',
      ),
    )
  })

  it('npm start names the line of wrangler.toml that cannot be read', async () => {
    configure({ toml: SAMPLE.replace('LOGIN_URL = ""', 'LOGIN_URL = "') })
    const line = SAMPLE.split('\n').findIndex((text) => text.startsWith('LOGIN_URL')) + 1
    const problem = 'control characters are not allowed in strings'
    expect(await start()).toEqual(
      failure(`Cannot start: wrangler.toml, line ${line}: ${problem}`),
    )
  })

  it.each<[what: string, spoil: () => void, problem: () => string | RegExp]>([
    [
      'that .dev.vars cannot be read',
      () => {
        rmSync('.dev.vars')
        mkdirSync('.dev.vars')
      },
      () => '.dev.vars cannot be read or written (illegal operation on a directory).',
    ],
    [
      'that it migrates in the checkout, wherever the state folder is',
      () => writeFileSync('.wrangler', ''),
      () => `the folder ${resolve('.wrangler')} cannot be written (file already exists).`,
    ],
    [
      'that a new secret would void the data of the old one',
      () => {
        mkdirSync(stateFiles(join(checkout, 'state')).database, { recursive: true })
        rmSync('.dev.vars')
      },
      () =>
        '.dev.vars is gone. A new JWT_SECRET would void every token and second factor of the data ' +
        `in ${stateFiles(join(checkout, 'state')).database}. Put the file back, or delete the data ` +
        'with npm run reset.',
    ],
  ])('npm start says %s', async (_, spoil, problem) => {
    spoil()
    const hasSecrets = existsSync('.dev.vars')
    const { code, stdout, stderr } = await start()
    expect(stderr.replace(/^Cannot start: |\n$/g, '')).toMatch(problem())
    expect([code, stdout, existsSync('.dev.vars')]).toEqual([1, '', hasSecrets])
  })
})
