import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createRepository } from '../support/git/repository.ts'
import { demoService } from './demo-service.ts'
import { newFactorOwner } from './factor-owner.ts'
import { runInProcess } from './in-process.ts'

const service = demoService()
const repository = createRepository()
repository.commit('main', 'feat: primeira função', [], 0)
repository.flush()
afterAll(repository.remove)

const fileOf = (name: string, text: string) => {
  const path = join(service.stateDir, name)
  writeFileSync(path, text)
  return path
}

const ENV = { ACCESS_TOKEN: '' }

/** The commands that log in, with what they need beside. */
const COMMANDS: [script: string, argsOf: () => string[]][] = [
  ['provision', () => [fileOf('a.json', '{}'), '--url', service.baseUrl]],
  [
    'informers-import',
    () => [service.baseUrl, fileOf('a.csv', 'Nome,E-mail\nRosa,rosa@example.org\n')],
  ],
  ['informers-export', () => [service.baseUrl]],
  ['login', () => [service.baseUrl]],
  ['changelog-sync', () => [service.baseUrl, '--repo', repository.folder]],
]

it.each(COMMANDS)(
  'npm run %s takes the code of an administrator from the second line of its input',
  async (script, argsOf) => {
    const { email, password, code } = await newFactorOwner(service)
    const { code: exitCode, stderr } = await runInProcess(
      script,
      [...argsOf(), '--login', email],
      { env: ENV, input: `${password}\n${code}\n` },
    )
    expect([exitCode, stderr]).toEqual([0, ''])
  },
)

describe('a command without a right code', () => {
  it.each([
    ['', /Informe o código do segundo fator\. Sem um terminal, .+\.$/m],
    ['000000x\n', /Credenciais inválidas\.$/m],
  ])('ends with the reason where the second line is %j', async (line, reason) => {
    const { email, password } = await newFactorOwner(service)
    const { code, stderr } = await runInProcess(
      'informers-export',
      [service.baseUrl, '--login', email],
      { env: ENV, input: `${password}\n${line}` },
    )
    expect(stderr).toContain('/auth/login: 401 ')
    expect(stderr).toMatch(reason)
    expect([code, stderr.split('\n')]).toEqual([1, [expect.any(String), '']])
  })
})

describe('a command from a shell', () => {
  /** Starts the export, with the password in an input that stays open, and waits for its end. */
  async function exportAs(email: string, password: string, code?: string) {
    const script = resolve('scripts/commands/informers-export.ts')
    const args = [script, service.baseUrl, '--login', email]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...ENV },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    child.stdin.write(`${password}\n`)
    if (code) setTimeout(() => child.stdin.write(`${code}\n`), 1000)
    const [exitCode] = await once(child, 'close')
    return exitCode
  }

  it('reads no second line where the service asks for no code', async () => {
    expect(await exportAs('admin@example.org', 'Provisao2026')).toBe(0)
  })

  it('waits for a code that comes later', async () => {
    const { email, password, code } = await newFactorOwner(service)
    expect(await exportAs(email, password, code)).toBe(0)
  })
})
