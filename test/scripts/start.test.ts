import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, temporaryState } from '../../scripts/dev/service-process.ts'
import { freePort } from '../../scripts/lib/local-run.ts'
import { stateFiles } from '../../scripts/lib/state-folder.ts'
import { copiedDemoState } from './demo-service.ts'
import { runInProcess } from './in-process.ts'
import { runSql } from './local-database.ts'

type Service = Awaited<ReturnType<typeof startService>>

/** As in a shell of a user whose home cannot be written, such as that of a container. */
const WITHOUT_HOME = {
  HOME: '/dev/null',
  XDG_CONFIG_HOME: '',
  WRANGLER_LOG: 'log',
  WRANGLER_WRITE_LOGS: 'true',
}

/** Where the runtime writes the emails that it simulates. */
const temporary = temporaryState()
let state: Awaited<ReturnType<typeof copiedDemoState>>
let env: Record<string, string>
let service: Service

beforeAll(async () => {
  state = await copiedDemoState()
  const { stateDir } = state
  env = { STATE_DIR: stateDir, TMPDIR: temporary.stateDir, JWT_TTL_SECONDS: '77' }
  // as a first start leaves them that is cut off while it adds the demo data
  runSql(stateDir, 'delete from dioceses where id > 100')
  runSql(stateDir, "delete from changelogs where version = 'v0.9.0'")
  runSql(stateDir, 'delete from informer_completions')
  writeFileSync(stateFiles(stateDir).pendingDemo, '')

  service = await startService({ ...env, ...WITHOUT_HOME })
})
afterAll(async () => {
  await service?.terminate()
  state?.remove()
  temporary.remove()
})

/**
 * The files of a folder that other users of the machine could read; a folder of the owner's alone
 * hides its content.
 */
function readableByOthers(path: string): string[] {
  const { mode } = lstatSync(path)
  if ((mode & 0o077) === 0) return []
  return lstatSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => readableByOthers(join(path, name)))
    : [path]
}

async function post(path: string, body: unknown, token?: string) {
  const response = await fetch(service.baseUrl + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  })
  // oxlint-disable-next-line no-explicit-any -- tests check the shape
  return { status: response.status, body: (await response.json()) as any }
}

const logIn = (name: string) =>
  post('/auth/login', { email: `${name}@example.org`, password: 'Provisao2026' })

describe('npm start, where HOME cannot be written,', () => {
  it('continues with the demo data where it was cut off', async () => {
    for (const [list, total] of [
      ['dioceses', 281],
      ['changelogs', 4], // and a draft
    ]) {
      const response = await fetch(`${service.baseUrl}/${list}?per_page=1`)
      expect(await response.json()).toMatchObject({ pagination: { total } })
    }
  })

  it('prints commands that work', async () => {
    const commands = service.output.stdout
      .split('\n')
      .filter((line) => line.startsWith('  curl '))
    const run = async (command = '') =>
      JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout)
    const [categories, cover, created] = await Promise.all(commands.map(run))
    expect(categories.data.map(({ name }: { name: string }) => name)).toContain('Cônego')
    expect(cover.data.informer.first_name).toBe('Ana')
    expect(created.data.initials).toBe('JSS')
    expect((await run(commands[2])).data.id, 'repeated').toBe(created.data.id)
  })

  it('serves the demo users that it names, as README has them, with the settings of the shell', async () => {
    const covers: Record<string, string[] | undefined> = {}
    for (const name of ['admin', 'ana', 'bento', 'clara']) {
      expect(service.output.stdout).toContain(`${name}@example.org`)
      const { access_token, expires_in } = (await logIn(name)).body.data
      expect(expires_in).toBe(77)

      const headers = { Authorization: `Bearer ${access_token}` }
      const response = await fetch(`${service.baseUrl}/cover`, { headers })
      // oxlint-disable-next-line no-explicit-any -- tests check the shape
      const { data } = (await response.json()) as any
      covers[name] = data?.processes_groups.map(
        // oxlint-disable-next-line no-explicit-any -- as above
        ({ group, questionnaire_status }: any) =>
          `${group.name}: ${questionnaire_status}`,
      )
    }
    expect(covers).toEqual({
      ana: ['Grupo 3: Pendente', 'Grupo 4: Concluído'],
      bento: ['Grupo 5: Em andamento'],
    })
  })

  it('prints the emails that would be sent, with links that work', async () => {
    const { access_token } = (await logIn('admin')).body.data
    const informer = {
      first_name: 'José',
      email: 'jose@example.org',
      require_email_verification: true,
    }
    await post('/informers', informer, access_token)
    await expect
      .poll(() => service.output.stdout, { timeout: 20_000 })
      .toMatch(/#token=[\w-]{43}/)
    expect(service.output.stdout).toContain(
      '  To: jose@example.org\n  Subject: Confirme seu email\n',
    )
    expect(readdirSync(temporary.stateDir)).not.toEqual([])
    expect(readableByOthers(temporary.stateDir)).toEqual([])
    const [, link = '', token] =
      /(http:\S+)#token=([\w-]{43})/.exec(service.output.stdout) ?? []
    expect(await (await fetch(link)).text()).toContain('<title>Confirmar o email · ')
    const verified = await post('/auth/email/verify', { token, password: 'Senha2026' })
    expect(verified.body).toEqual({
      success: true,
      message: 'Email confirmado com sucesso.',
    })
  })

  it('lets only the owner read its data and its secret', () => {
    const { database } = stateFiles(state.stateDir)
    expect(readdirSync(database)).not.toEqual([])
    expect(readableByOthers(database)).toEqual([])
    expect(readableByOthers('.dev.vars')).toEqual([])
    expect(readFileSync('.dev.vars', 'utf8')).toMatch(/^JWT_SECRET="[\w-]{43}"$/m)
    expect(readFileSync('.gitignore', 'utf8')).toMatch(/^\.dev\.vars/m)
  })

  it.each([
    [
      { JWT_SECRET: 'short', STATE_DIR: temporary.stateDir },
      /^Cannot start: setting JWT_SECRET: must have at least 32 bytes \(in the environment\)\n$/,
    ],
    [
      { PORT: '70000', STATE_DIR: temporary.stateDir },
      /^Cannot start: port 70000 cannot be used \(ERR_SOCKET_BAD_PORT\)\. Choose another: .+\n$/,
    ],
    [
      { PORT: '80' }, // of which an origin says nothing
      /^Cannot start: port 80 (is in use|cannot be used).+\n$|^Cannot start: another process uses .+\n$/,
    ],
    [
      { STATE_DIR: '/dev/null/state' },
      /^Cannot start: the folder \/dev\/null\/state cannot be written \(not a directory\)\.\n$/,
    ],
    [
      {},
      /^Cannot start: another process uses .+\. End it \(pgrep workerd .+\), or choose another folder with STATE_DIR\.\n$/,
    ],
  ])('reports the error of %j on one line', async (wrong, line) => {
    const { code, stdout, stderr } = await runInProcess('start', [], {
      env: { ...env, PORT: String(await freePort()), ...wrong },
    })
    expect(stderr).toMatch(line)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('refuses a taken port', async () => {
    const { port } = new URL(service.baseUrl)
    const { code, stdout, stderr } = await runInProcess('start', [], {
      env: { STATE_DIR: temporary.stateDir, PORT: port },
    })
    const reason = 'is in use, perhaps by the workerd of a killed npm start'
    const advice = String.raw`Choose another: PORT=8788 npm start`
    expect(stderr).toMatch(
      new RegExp(`^Cannot start: port ${port} ${reason}. ${advice}\n$`),
    )
    expect([code, stdout]).toEqual([1, ''])
  })
})

it('npm run reset deletes the data of a service that has ended, after a confirmation', async () => {
  const { database } = stateFiles(state.stateDir)
  await service.terminate()
  const withoutYes = await runInProcess('reset', [], { env, input: 'yes\n' })
  expect(withoutYes).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Cannot reset: there is no terminal to confirm in. Confirm with --yes.\n',
  })
  expect(existsSync(database)).toBe(true)
  await runInProcess('reset', ['--yes'], { env })
  expect(existsSync(database)).toBe(false)
})
