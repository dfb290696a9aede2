import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { printable } from '../../scripts/lib/command-line.ts'
import { runInProcess } from './in-process.ts'

const ours = Object.entries(packageJson.scripts).flatMap(([name, command]) => {
  const [, script] = /\bnode scripts\/\w+\/(\S+)\.ts(?! &&)/.exec(command) ?? []
  return script ? [{ name, script }] : []
})

it.each(ours)('npm run $name only prints its usage for --help', async ({ script }) => {
  const usage = { code: 0, stdout: expect.stringMatching(/^(Usage|Uso): /), stderr: '' }
  expect(await runInProcess(script, ['--help'])).toEqual(usage)
})

it.each([
  ['admin', ['--no-such-option'], 'Invalid option: --no-such-option'],
  ['admin', [], 'Missing: COMMAND'],
  ['admin', ['a', '--email'], 'Invalid option: --email <value>'],
  ['admin', ['a', 'b'], 'Unexpected: b'],
  ['login', ['x'], 'Falta: --login EMAIL'],
  ['informers-import', ['x'], 'Falta: ARQUIVO'],
  ['informers-export', ['x'], 'Falta: --login EMAIL, ou ACCESS_TOKEN no ambiente'],
  ['informers-import', ['--nada'], 'Opção inválida: --nada'],
  ['informers-export', ['a', 'b'], 'Sobra: b'],
  ['informers-export', ['a', '--force'], '--force só vale com --output'],
  [
    'informers-export',
    ['a', '--output', 'b.XLSX'],
    '--output é um CSV: dê-lhe um nome que termine em .csv',
  ],
  [
    'informers-export',
    ['a', '--status', 'Feito'],
    '--status deve ser um destes: Pendente, Em andamento, Concluído',
  ],
  [
    'admin',
    ['password', '--remote'],
    'Unexpected: --remote. An administrator sets passwords by the API.',
  ],
  [
    'admin',
    ['create', '--email', 'x@example.org', '--env', 'staging'],
    'Unexpected: --env without --remote',
  ],
  ['admin', ['delete'], 'Unknown command: delete'],
  ['admin', ['create', '--email', 'x@example.org'], 'Missing: --email or --first-name'],
])('%s %j names what is wrong before its usage', async (script, args, problem) => {
  const { code, stdout, stderr } = await runInProcess(script, args, {
    env: { ACCESS_TOKEN: '' },
  })
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    problem,
    expect.stringMatching(/^(Usage|Uso): /),
  ])
  expect([code, stdout]).toEqual([1, ''])
})

it('every script says what to do before npm ci', () => {
  const { stateDir: cwd, remove } = temporaryState()
  onTestFinished(remove)
  for (const path of ['package.json', 'scripts']) {
    cpSync(path, join(cwd, path), { recursive: true })
  }
  const { postinstall: _, ...scripts } = packageJson.scripts
  for (const [name, command] of Object.entries(scripts)) {
    const result = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
    const said = { status: 1, stdout: '', stderr: 'Run npm ci first.\n' }
    expect(result, name).toMatchObject(said)
  }
})

it('npm run wrangler works where HOME cannot be written, and sends no telemetry', () => {
  const { WRANGLER_SEND_METRICS: _, ...shell } = process.env
  const noHome = { HOME: '/dev/null', XDG_CONFIG_HOME: '', WRANGLER_WRITE_LOGS: 'true' }
  const args = ['run', '--silent', 'wrangler', '--', 'whoami']
  const { status, stdout, stderr } = spawnSync('npm', args, {
    encoding: 'utf8',
    env: { ...shell, ...noHome, CLOUDFLARE_API_TOKEN: '', WRANGLER_LOG: 'debug' },
  })
  expect(stdout).toContain('Metrics dispatcher: Dispatching disabled')
  expect(stdout).not.toContain('Metrics dispatcher: Posting data')
  expect([status, stderr]).toEqual([0, ''])
})

it('printable takes away what a terminal obeys', () => {
  const text =
    'a\u001B[31mb\u001B]0;title\u0007c\u009B2Jd\u202Ee\r\nline 2: f\u0000\u0008'
  expect(printable(text)).toBe('abcde line 2: f')
})
