import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/service-process.ts'

const { stateDir, remove } = temporaryState()
afterAll(remove)

const NAMED = ['create', '--first-name', 'Rui', '--email']

/** Runs the command with a password on its standard input. */
async function admin(args: string[], password: string) {
  const child = spawn('npm', ['run', '--silent', 'admin', '--', ...args], {
    env: { ...process.env, STATE_DIR: stateDir, CLOUDFLARE_API_TOKEN: '', CI: 'true' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  child.stdin.end(`${password}\n`)
  const [code] = await once(child, 'close')
  return { code, said }
}

describe('npm run admin', () => {
  it('creates an administrator once, and shows no password', async () => {
    const first = await admin([...NAMED, 'rui@example.org'], 'Senha2026')
    expect(first).toEqual({ code: 0, said: 'rui@example.org may log in as an administrator.\n' })
    const second = await admin([...NAMED, 'RUI@example.org'], 'Outra2026')
    expect(second.said).toContain('RUI@example.org is registered already; nothing was changed.')
    expect(second.code).toBe(1)
  })

  it.each([
    [[...NAMED, 'x'], 'Senha2026', /administrators\[0\]\.email: O email deve ter um formato válido\./],
    [[...NAMED, 'x@example.org'], 'curta', /password: A senha deve ter pelo menos 6 caracteres\./],
    [['create', '--email', 'x@example.org'], '', /Usage: npm run admin -- create/],
    [['delete'], '', /Usage: npm run admin -- create/],
    [['--help'], '', /Usage: npm run admin -- create/],
  ])('with %j says what is wrong', async (args, password, expected) => {
    const { code, said } = await admin(args, password)
    expect(said).toMatch(expected)
    expect(code).toBe(1)
  })

  it('needs a login to Cloudflare for the deployed database, and says so', async () => {
    const { code, said } = await admin([...NAMED, 'x@example.org', '--remote'], 'Senha2026')
    expect(said).toContain('CLOUDFLARE_API_TOKEN')
    expect(code).toBe(1)
  })
})
