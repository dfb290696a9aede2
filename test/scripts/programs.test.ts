import { readFileSync } from 'node:fs'
import { decodeBase32IgnorePadding } from '@oslojs/encoding'
import { generateHOTP } from '@oslojs/otp'
import { expect, it, onTestFinished } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { createRepository } from '../support/git/repository.ts'
import { serveDemo } from './demo-service.ts'
import { blocksOf, expectOutput, PATIENCE_MS, run, withOutputs } from './documents.ts'
import { SCOPES } from '#domain/api-tokens.ts'

type Service = Awaited<ReturnType<typeof serveDemo>>

const TITLE = 'docs/programs.md can be followed where a second factor is required'

/** The code that an app shows now. */
const codeOf = (secret: string) =>
  generateHOTP(
    decodeBase32IgnorePadding(secret),
    BigInt(Math.floor(Date.now() / 30_000)),
    6,
  )

/** Switches the second factor of the demo administrator on. @returns its secret */
async function enableFactor({ baseUrl, token }: Service) {
  const send = async (method: string, body: object) => {
    const response = await fetch(`${baseUrl}/auth/second-factor`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { data: { secret: string } }).data
  }
  const { secret } = await send('POST', { current_password: DEMO_PASSWORD })
  await send('PUT', { code: codeOf(secret) })
  return secret
}

it.each(['docs/programs.md', 'SECURITY.md'])('%s has a row for each scope', (page) => {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `([a-z-]+:[a-z]+)` /gm)
  expect([...rows].map(([, scope]) => scope)).toEqual(SCOPES)
})

it(TITLE, { timeout: PATIENCE_MS }, async () => {
  const service = await serveDemo({ REQUIRE_SECOND_FACTOR: 'true' })
  onTestFinished(service.stop)
  const repository = createRepository()
  onTestFinished(repository.remove)
  repository.commit('main', 'feat: primeira função', [], 0)
  repository.flush()

  const secret = await enableFactor(service)
  /** Lets a code be used again: the next one would take half a minute. */
  const nextCode = async () => {
    await service.database
      .prepare('update users set second_factor_step = null where second_factor_step > 0')
      .run()
    return codeOf(secret)
  }
  const blocks = [...blocksOf('docs/calling.md'), ...blocksOf('docs/programs.md')].map(
    ({ command, output }) => ({
      command: command.replace(/^CODE= +/m, 'CODE=123456 '),
      output,
    }),
  )
  const { stateDir, baseUrl } = service
  const repo = repository.folder
  const ran = withOutputs(
    blocks,
    await run(blocks, { stateDir, baseUrl, repo, nextCode }),
  )
  expect(ran.filter(({ output }) => output)).toHaveLength(2)
  for (const { command, output, printed } of ran) expectOutput(command, output, printed)

  const printed = ran.map((block) => block.printed).join('')
  expect(printed).toContain('Rascunhos: 1;')
  expect(printed).toMatch(/"action":"changelog\.imported"/)
  expect(printed).not.toMatch(/"success":false|ips_/)
})
