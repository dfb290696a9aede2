import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, npmRun, startService, temporaryState } from '../../scripts/lib/service-process.ts'

const { stateDir, remove } = temporaryState()
afterAll(remove)

async function json(url: string, init?: RequestInit) {
  const response = await fetch(url, init)
  return { status: response.status, body: (await response.json()) as Record<string, never> }
}

const post = (body: unknown) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

describe('npm start', () => {
  let env: Record<string, string>
  beforeAll(async () => {
    env = { PORT: String(await freePort()), STATE_DIR: stateDir, JWT_TTL_SECONDS: '77' }
  })

  it('serves demo data, prints commands that work and mails, ends with Ctrl-C or SIGTERM, and keeps the data', async () => {
    const first = await startService(env)
    const commands = first.said.stdout.split('\n').filter((line) => line.startsWith('  curl '))
    expect(commands).toHaveLength(3)
    const [categories, cover, created] = commands.map((command) =>
      JSON.parse(
        execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      ),
    )
    expect(categories.data.map(({ name }: { name: string }) => name)).toContain('Cônego')
    expect(cover.data.informer.first_name).toBe('Ana')
    expect(created.data.initials).toBe('JSS')
    for (const email of ['admin', 'ana', 'bento', 'clara'].map((name) => `${name}@example.org`)) {
      expect(first.said.stdout).toContain(email)
      const login = await json(`${first.baseUrl}/auth/login`, post({ email, password: 'Provisao2026' }))
      expect(login).toMatchObject({ status: 200, body: { data: { expires_in: 77 } } })
    }
    const { access_token } = (
      await json(
        `${first.baseUrl}/auth/login`,
        post({ email: 'admin@example.org', password: 'Provisao2026' }),
      )
    ).body.data as unknown as { access_token: string }
    const informer = { first_name: 'José', email: 'jose@example.org', require_email_verification: true }
    const { headers, ...request } = post(informer)
    await json(`${first.baseUrl}/informers`, {
      ...request,
      headers: { ...headers, Authorization: `Bearer ${access_token}` },
    })
    await expect.poll(() => first.said.stdout, { timeout: 5000 }).toMatch(/\?token=[\w-]{43}/)
    expect(first.said.stdout).toContain('  To: jose@example.org\n  Subject: Confirme seu email\n')
    const token = /\?token=([\w-]{43})/.exec(first.said.stdout)?.[1]
    const verified = await json(`${first.baseUrl}/auth/email/verify`, post({ token, password: 'Senha2026' }))
    expect(verified).toMatchObject({ status: 200, body: { message: 'Email confirmado com sucesso.' } })
    expect((await first.interrupt()).stderr).toBe('')
    await expect(fetch(`${first.baseUrl}/health`)).rejects.toThrow()

    const second = await startService({
      ...env,
      REQUIRE_EMAIL_VERIFICATION: 'true',
      JWT_SECRET: '',
      COVER_TEXTS: '',
    })
    const login = await json(
      `${second.baseUrl}/auth/login`,
      post({ email: 'ana@example.org', password: 'Provisao2026' }),
    )
    expect(login.status).toBe(200)
    expect((await json(`${second.baseUrl}/categories`)).body).toMatchObject({ pagination: { total: 100 } })
    expect((await second.terminate()).stderr).toBe('')
    await expect(fetch(`${second.baseUrl}/health`)).rejects.toThrow()
  })

  it('keeps its secret in a file that only the owner may read', () => {
    expect(readFileSync('.dev.vars', 'utf8')).toMatch(/^JWT_SECRET="[\w-]{43}"$/m)
    expect(readFileSync('.gitignore', 'utf8')).toMatch(/^\.dev\.vars/m)
  })

  it('says in one line that the port is in use', async () => {
    const other = createServer().listen(Number(env.PORT), '127.0.0.1')
    const { code, stderr } = await npmRun('start', [], env).ended
    other.close()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `Cannot start: port ${env.PORT} is in use. Choose another with PORT=8788 npm start.\n`,
    )
  })

  it.each([
    [{ JWT_SECRET: 'short' }, /^Cannot start: setting JWT_SECRET: must have at least 32 bytes\n$/],
    [{ COVER_TEXTS: 'nope' }, /^Cannot start: setting COVER_TEXTS: must be JSON\n$/],
    [{ JWT_TTL_SECONDS: 'x' }, /^Cannot start: setting JWT_TTL_SECONDS: .+\n$/],
    [{ EMAIL_FROM: 'nobody' }, /^Cannot start: setting EMAIL_FROM: must be an email address\n$/],
    [{ PORT: 'http' }, /^Cannot start: PORT must be 1 to 65535, not "http"\.\n$/],
    [{ PORT: '70000' }, /^Cannot start: PORT must be 1 to 65535, not "70000"\.\n$/],
  ])('says in one line what is wrong with %j', async (wrong, line) => {
    const { code, stdout, stderr } = await npmRun('start', [], { ...env, ...wrong }).ended
    expect(stdout).toBe('')
    expect(stderr).toMatch(line)
    expect(code).toBe(1)
  })
})
