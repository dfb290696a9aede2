import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { readConfiguration } from '../../scripts/lib/configuration.ts'
import { stateFiles } from '../../scripts/lib/state-folder.ts'
import { runInProcess } from './in-process.ts'

const TOML = readFileSync('wrangler.toml', 'utf8')

/** Each binding that the Worker needs, with its table in wrangler.toml. */
const BINDINGS = [...TOML.matchAll(/^\[.+\]\n(?:binding|name) = "(\w+)"\n(?:\w.*\n)*/gm)]
  .map(([table, name = '']) => [name, table] as const)
  .filter(([name]) => name !== 'EMAIL')

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

  function configure({ toml = TOML, secrets = SECRET }) {
    writeFileSync('wrangler.toml', toml)
    writeFileSync('.dev.vars', secrets)
  }
  const start = () =>
    runInProcess('start', [], {
      env: { STATE_DIR: join(checkout, 'state'), PORT: '', INIT_CWD: '' },
    })
  const failure = (text: string) => ({ code: 1, stdout: '', stderr: `${text}\n` })

  it('npm start names a misspelt setting, and where it is', async () => {
    configure({
      toml: TOML.replace('CORS_ORIGINS', 'CORS_ORIGIN').replace(
        '[vars.COVER_TEXTS]',
        '[vars.COVER_TEXT]',
      ),
      secrets: `${SECRET}cors_origins=https://painel.diocese.example\n`,
    })
    const { code, stderr } = await start()
    expect(stderr.split('\n')).toEqual([
      'Cannot start: setting CORS_ORIGIN: unknown; see docs/settings.md (in wrangler.toml)',
      'setting COVER_TEXT: unknown; see docs/settings.md (in wrangler.toml)',
      'setting cors_origins: unknown; see docs/settings.md (in .dev.vars)',
      '',
    ])
    expect(code).toBe(1)
  })

  it.each([
    [
      'start',
      TOML.replace('LOGIN_URL = ""', 'LOGIN_URL = "'),
      'control characters are not allowed in strings',
    ],
    ['deploy', TOML.replace('LOGIN_URL =', 'LOGIN_URL'), 'illegal character in key'],
  ])(
    'npm run %s names the line of wrangler.toml that cannot be read',
    async (script, toml, problem) => {
      configure({ toml })
      const line = TOML.split('\n').findIndex((text) => text.startsWith('LOGIN_URL')) + 1
      const expected = `Cannot ${script}: wrangler.toml, line ${line}: ${problem}`
      const env = { STATE_DIR: join(checkout, 'state'), PORT: '', INIT_CWD: '' }
      expect(await runInProcess(script, [], { env })).toEqual(failure(expected))
    },
  )

  it('npm start says where settings that are missing belong', async () => {
    configure({
      toml: TOML.replace(/^\[vars\.COVER_TEXTS\]\n(".+\n)+/m, ''),
      secrets: '',
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

  /** wrangler.toml with a line at the beginning of a table, which is new where there is none. */
  const withFirst = (table: string, line: string) =>
    TOML.includes(`\n${table}\n`)
      ? TOML.replace(`\n${table}\n`, `\n${table}\n${line}\n`)
      : `${TOML}\n${table}\n${line}\n`

  /** A wrong wrangler.toml, and what `npm start` and `npm run deploy` say of it. */
  const WRONG: [string, string][] = [
    ...BINDINGS.map(([name, table]): [string, string] => [
      TOML.replace(table, ''),
      `binding ${name}: missing in wrangler.toml`,
    ]),
    [TOML.replace('minify = true', 'minfy = true'), 'key minfy: unknown'],
    [
      TOML.replace('OFFICE_CONTACT', 'OFFICE_CONTAC'),
      'setting OFFICE_CONTAC: unknown; see docs/settings.md',
    ],
    ...['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'GIT_TOKEN'].flatMap((name) =>
      ['[vars]', '[env.staging.vars]'].map((table): [string, string] => [
        withFirst(table, `${name} = "${'x'.repeat(32)}"`),
        `wrangler.toml has the secret ${name} in ${table}. Remove it there, and set another value ` +
          `with npm run wrangler -- secret put ${name}; locally it belongs in .dev.vars.`,
      ]),
    ),
    [
      TOML.replace('"Grupo 3" = { line_1', '"Grupo 3" = { linha_1'),
      'setting COVER_TEXTS: Grupo 3: must contain only line_1 and line_2',
    ],
  ]

  it.each(WRONG)(
    'npm start and npm run deploy say what is wrong: %#',
    async (toml, problem) => {
      expect(toml).not.toBe(TOML)
      configure({ toml })
      const started = await start()
      expect(started).toMatchObject({ code: 1, stdout: '' })
      expect([
        `Cannot start: ${problem}\n`,
        `Cannot start: ${problem} (in wrangler.toml)\n`,
      ]).toContain(started.stderr)

      const deployed = await runInProcess('deploy', [])
      expect(deployed).toMatchObject({ code: 1, stdout: '' })
      expect(deployed.stderr.replace('Cannot deploy: ', '').split('\n')).toContain(
        problem,
      )
    },
  )

  it.each<[what: string, spoil: () => void, problem: () => string | RegExp]>([
    [
      'that wrangler.toml cannot be read',
      () => rmSync('wrangler.toml'),
      () => /^Could not read file: wrangler\.toml \(ENOENT: no such file .+\)\.$/,
    ],
    [
      'that .dev.vars cannot be read',
      () => {
        rmSync('.dev.vars')
        mkdirSync('.dev.vars')
      },
      () => '.dev.vars cannot be read or written (illegal operation on a directory).',
    ],
    [
      'that it builds in the checkout, wherever the state folder is',
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
