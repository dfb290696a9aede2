import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { decodeBase32IgnorePadding } from '@oslojs/encoding'
import { generateHOTP } from '@oslojs/otp'
import { describe, expect, it } from 'vitest'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

const service = demoService()
const PASSWORD = 'Chancelaria2026'

async function send(method: string, path: string, token: string, body: object) {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok).toBe(true)
  // oxlint-disable-next-line no-explicit-any -- tests check the shape
  return ((await response.json()) as { data: any }).data
}

let administrators = 0

/** A new administrator with a second factor, and the code of a step that is not used yet. */
async function newAdministrator() {
  administrators += 1
  const email = `a${administrators}@example.org`
  const person = { first_name: 'Teste', email, password: PASSWORD }
  await send('POST', '/administrators', service.token, person)
  const { access_token } = await send('POST', '/auth/login', '', {
    email,
    password: PASSWORD,
  })
  const { secret } = await send('POST', '/auth/second-factor', access_token, {
    current_password: PASSWORD,
  })
  const step = Math.floor(Date.now() / 30_000)
  const codeOf = (offset: number) =>
    generateHOTP(decodeBase32IgnorePadding(secret), BigInt(step + offset), 6)
  await send('PUT', '/auth/second-factor', access_token, { code: codeOf(0) })
  return { email, code: codeOf(1) }
}

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
  ['changelog-sync', () => [service.baseUrl, '--repo', '.']],
]

describe.each(COMMANDS)(
  'npm run %s of an administrator with a second factor',
  (script, argsOf) => {
    const run = (email: string, input: string) =>
      runInProcess(script, [...argsOf(), '--login', email], { env: ENV, input })

    it('takes the code from the second line of its input', async () => {
      const { email, code } = await newAdministrator()
      const { code: exitCode, stderr } = await run(email, `${PASSWORD}\n${code}\n`)
      expect([exitCode, stderr]).toEqual([0, ''])
    })

    it.each([
      ['', 'Informe o código do segundo fator.'],
      ['000000x\n', 'Credenciais inválidas.'],
    ])('ends with the reason where that is %j', async (line, reason) => {
      const { email } = await newAdministrator()
      const { code, stderr } = await run(email, `${PASSWORD}\n${line}`)
      expect(stderr).toContain(`/auth/login: 401 `)
      expect(stderr).toContain(reason)
      expect([code, stderr.split('\n')]).toEqual([1, [expect.any(String), '']])
    })
  },
)

describe('a command from a shell', () => {
  it('reads no second line where the service asks for no code, and ends with an input that stays open', async () => {
    const args = [
      'scripts/informers-export.ts',
      service.baseUrl,
      '--login',
      'admin@example.org',
    ]
    const child = spawn(
      process.execPath,
      args.map((arg) => (arg.endsWith('.ts') ? resolve(arg) : arg)),
      {
        env: { ...process.env, ...ENV },
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    )
    child.stdin.write('Provisao2026\n')
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
  })

  it('waits for a code that comes later', async () => {
    const { email, code } = await newAdministrator()
    const child = spawn(
      process.execPath,
      [resolve('scripts/informers-export.ts'), service.baseUrl, '--login', email],
      { env: { ...process.env, ...ENV }, stdio: ['pipe', 'ignore', 'pipe'] },
    )
    child.stdin.write(`${PASSWORD}\n`)
    setTimeout(() => child.stdin.write(`${code}\n`), 3000)
    const [exitCode] = await once(child, 'close')
    expect(exitCode).toBe(0)
  })
})
