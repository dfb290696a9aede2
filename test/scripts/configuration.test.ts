import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { configurationProblems } from '../../scripts/lib/configuration-problems.ts'
import { PLACEHOLDER_ID, readConfiguration } from '../../scripts/lib/configuration.ts'
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
  const failure = (text: string) => ({ code: 1, stdout: '', stderr: `${text}\n` })

  const problems = (toml: string, env?: string) => {
    configure({ toml })
    return configurationProblems(env, true).map((problem) =>
      problem.replace('wrangler.toml: ', ''),
    )
  }
  const replaced = (part: string | RegExp, by: string) => FILLED.replace(part, by)
  const set = (name: string, value: string) =>
    replaced(new RegExp(`^${name} = ".*"`, 'm'), `${name} = "${value}"`)
  const without = (table: RegExp) => replaced(table, '')
  const withoutEmails = (toml: string) => toml.replace(/\[\[send_email\]\]\nname.+\n/, '')

  it('wrangler.toml of an office has no problem, nor its staging, with an origin without TLS', () => {
    expect(problems(STAGED)).toEqual([])
    const staging = /(?<=env\.staging\.vars[^]+CORS_ORIGINS = ")/
    const toml = STAGED.replace(staging, 'http://localhost:5173')
    expect(problems(toml, 'staging')).toEqual([])
  })

  it.each([
    [/"worker_dev"/, replaced('workers_dev', 'worker_dev')],
    [/^ratelimits\[3\]: .+"routes"/, `${FILLED}routes = []\n`], // below a table
    [/^env\.staging: .+"minfy"/, `${FILLED}[env.staging]\nminfy = true\n`],
    [/^vars\.OFFICE_CONTAC: /, replaced('OFFICE_CONTACT', 'OFFICE_CONTAC')],
    [/^vars\.GIT_TOKEN: a secret/, replaced('[vars]', '$&\nGIT_TOKEN = "x"')],
    [/^triggers\.crons: /, without(/^\[triggers\]\n.+\n/m)],
    [/^triggers\.crons: /, replaced('"* * * * *"', '"0 * * * *"')],
    [/^binding VERSION: missing/, without(/^\[version_metadata\]\n.+\n/m)],
    [/^binding DB: missing/, without(/^\[\[d1_databases\]\]\n(\w.+\n)+/m)],
    [/^binding MAIL: unknown/, replaced('"EMAIL"', '"MAIL"')],
    [/^binding DB: .+placeholder/, replaced(DATABASE_ID, PLACEHOLDER_ID)],
    [/^binding DB: .+placeholder/, replaced(DATABASE_ID, '…')],
    [/^binding DB: .+preview_database_id/, without(/^preview_database_id.+\n/m)],
    [/^vars\.CORS_ORIGINS: /, set('CORS_ORIGINS', 'https://a.br,HTTP://b.br')],
    [/^vars\.EMAIL_FROM: missing/, set('EMAIL_FROM', '')],
    [/^vars\.EMAIL_FROM: .+example/, set('EMAIL_FROM', 'a@example.org')],
    [/^vars\.PUBLIC_URL: missing/, set('PUBLIC_URL', '')],
    [/^vars\.PASSWORD_RESET_URL: .+https/, set('PASSWORD_RESET_URL', ' HTTP://a.br')],
    [
      /^vars\.LOGIN_URL: .+example/,
      withoutEmails(set('LOGIN_URL', 'https://a.example.org')),
    ],
  ])('the problem of wrangler.toml is %s', (problem, toml) => {
    expect(problems(toml)).toEqual([expect.stringMatching(problem)])
  })

  it.each([
    [
      'PUBLIC_URL where both pages of emailed links are others',
      set('PUBLIC_URL', '')
        .replace('EMAIL_VERIFICATION_URL = ""', 'EMAIL_VERIFICATION_URL = "https://a.br"')
        .replace('PASSWORD_RESET_URL = ""', 'PASSWORD_RESET_URL = "https://a.br"'),
    ],
    [
      'settings of emails where none are sent',
      withoutEmails(FILLED.replaceAll('diocese.br', 'example.org')),
    ],
  ])('wrangler.toml needs no %s', (_, toml) => {
    expect(problems(toml)).toEqual([])
  })

  it('an environment lacks no binding, and shares no database with production', () => {
    const toml = STAGED.replace(STAGING_ID, DATABASE_ID).replace(
      /\[env\.staging\.version_metadata\]\n.+\n/,
      '',
    )
    expect(problems(toml, 'staging')).toEqual([
      'env.staging: binding VERSION: missing',
      'env.staging: binding DB: has the database_id of production',
    ])
  })

  it.each([
    replaced('"src/index.ts"', '".wrangler/worker/index.js"'),
    replaced('minify = true', '$&\nno_bundle = true'),
    replaced('changed-assets.ts', 'worker.ts .wrangler/worker'),
    `${FILLED}[env.staging]\nmain = ".wrangler/worker/index.js"\n`,
  ])(
    'a wrangler.toml that builds the Worker as 4.0 did, or in part, is refused',
    (toml) => {
      const environment = toml.includes('[env.staging]') ? 'staging' : ''
      expect(() => problems(toml, environment)).toThrow(
        /^wrangler\.toml builds another version: take main .+ no_bundle\.$/,
      )
    },
  )

  it("npm start and npm run deploy refuse it, and name all problems, also the Worker's own", async () => {
    configure({
      toml: replaced('"EMAIL"', '"MAIL"').replace('_TTL_SECONDS = "', '$&x'),
    })
    const unknown = /wrangler\.toml: binding MAIL: unknown; .+/
    const started = await start()
    expect(started).toMatchObject({ code: 1, stdout: '' })
    expect(started.stderr).toMatch(new RegExp(`^Cannot start: ${unknown.source}\\n$`))
    const deployed = await runInProcess('deploy', [])
    expect(deployed).toMatchObject({ code: 1, stdout: '' })
    expect(deployed.stderr).toMatch(
      new RegExp(
        `^Cannot deploy: ${unknown.source}\\nsetting JWT_TTL_SECONDS: must .+\\n$`,
      ),
    )
  })

  it('npm start names misspelt and spoilt settings of .dev.vars, and missing ones', async () => {
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
    const missing = '(missing in wrangler.toml and .dev.vars)'
    expect(await start()).toEqual(
      failure(
        `Cannot start: setting JWT_SECRET: must have at least 32 bytes ${missing}\n` +
          `setting COVER_TEXTS: must map group names to their lines ${missing}`,
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
