import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeBase32IgnorePadding } from '@oslojs/encoding'
import { generateHOTP } from '@oslojs/otp'
import { expect, it, onTestFinished, vi } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { freePort } from '../../scripts/lib/local-run.ts'
import { IS_DEEP } from '../support/depth.ts'
import { serveDemo } from './demo-service.ts'
import { blocksOf, expectOutput, PATIENCE_MS, run, SHELLS } from './documents.ts'

const HANDBOOK = 'docs/README.pt-BR.md'
const STEP_MS = 30_000
const TITLE =
  "the office's handbook can be followed from its first line to its last, in %s"

/** A walk takes long, so only a deep run takes it in every shell. */
const WALKED = IS_DEEP ? SHELLS : SHELLS.slice(-1)

it.each(WALKED)('README says what its commands print, in %s', async (shell) => {
  const service = await serveDemo()
  onTestFinished(service.stop)

  const blocks = await run('README.md', { ...service, shell })
  expect(blocks.some(({ output }) => output)).toBe(true)
  for (const block of blocks) expectOutput(block)
})

it.each(WALKED)(TITLE, { timeout: PATIENCE_MS }, async (shell) => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  const PORT = String(await freePort())
  const baseUrl = `http://127.0.0.1:${PORT}/v1`
  const { env: recordingEnv, recorded } = recordingCurl(stateDir)
  const env = { PORT, ...recordingEnv }

  const ran = await run(HANDBOOK, {
    shell,
    stateDir,
    baseUrl,
    answer: administrator(),
    env,
  })
  expect(ran.filter(({ output }) => output)).toHaveLength(2)
  for (const block of ran) expectOutput(block)
  expect(recorded()).toContain('--fail-with-body')
  expect(recorded()).not.toMatch(/Bearer|informers|lima|example\.org|\d{11}|password/i)
  expectYear(ran.flatMap(({ printed }) => printed.match(/^\{"success".+$/gm) ?? []))
})

it('a refused password or code says why and leaves the session; a refused login leaves none', async () => {
  const service = await serveDemo()
  onTestFinished(service.stop)
  const blockWith = (text: string) =>
    blocksOf(HANDBOOK)
      .find(({ command }) => command.includes(text))
      ?.command.trimEnd() ?? ''
  const known = 'echo "$([ "$TOKEN $SENHA" = "$BEFORE" ] && echo kept || echo lost)"'
  const script = [
    `SERVICO=${service.baseUrl} EU=admin@example.org SENHA=${DEMO_PASSWORD}`,
    blockWith('entrar() {'),
    'entrar; BEFORE="$TOKEN $SENHA"',
    blockWith('PUT /auth/password'),
    'curta',
    known,
    blockWith('PUT /auth/second-factor'),
    '123456',
    known,
    blockWith('DELETE /auth/second-factor'),
    '123456',
    known,
    'SENHA=Errada2026; entrar 2>&1',
    'chamar GET /administrators',
  ]
  const { stdout } = spawnSync('bash', { input: script.join('\n'), encoding: 'utf8' })
  const said = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => /"message":"([^"]+)"|^\w+$/.exec(line)?.[1] ?? line)
  expect(said).toEqual([
    'Os dados fornecidos são inválidos.',
    'kept',
    'Os dados fornecidos são inválidos.',
    'kept',
    'O segundo fator não está ativo.',
    'kept',
    `Não foi possível entrar: ${service.baseUrl}/auth/login: 401 Credenciais inválidas.`,
    'Token não fornecido',
  ])
  expect(stdout).toContain('A senha deve ter pelo menos 6 caracteres.')
})

/** A curl that records its arguments, which every user of a machine can see. */
function recordingCurl(folder: string) {
  const file = join(folder, 'arguments')
  const command = `printf '%s ' "$@" >> '${file}'; PATH=\${PATH#*:} exec curl "$@"`
  writeFileSync(join(folder, 'curl'), `#!/bin/sh\n${command}\n`, { mode: 0o700 })
  return {
    env: { PATH: `${folder}:${process.env.PATH}` },
    recorded: () => readFileSync(file, 'utf8'),
  }
}

/** What the office has asked for, as its data show it. */
function expectYear(responses: string[]): void {
  const lists = responses.filter((response) => response.includes('"pagination"'))
  const waiting = lists.findLast((list) => list.includes('"Pendente"')) ?? '{}'
  const people = JSON.parse(waiting).data as { full_name: string }[]
  expect(people.map(({ full_name }) => full_name)).toEqual(["Teresa d'Ávila Moura"])

  const records = JSON.parse(lists.at(-1) ?? '{}').data as {
    actor_name: string
    action: string
  }[]
  expect(new Set(records.map(({ actor_name }) => actor_name))).toEqual(new Set(['Maria']))
  expect(records.map(({ action }) => action)).toEqual(
    expect.arrayContaining([
      'administrator.deleted',
      'process.deleted',
      'informer.deleted',
      'group.dissociated',
    ]),
  )
}

/** Passwords are taken as sent, whatever JSON makes of their characters. */
const HARD_PASSWORD = ' Cc3"\\é\\n$x '

/** Returns what Maria types: new passwords, and codes while she has a second factor. */
function administrator() {
  const nextCode = authenticator()
  return (variable: string, printed: string): string | Promise<string> => {
    if (variable === 'NOVA') return HARD_PASSWORD
    if (printed.includes('Segundo fator desativado.')) return ''

    const secrets = [...printed.matchAll(/[?&]secret=([A-Z2-7]+)/g)]
    const secret = secrets.at(-1)?.[1]
    return secret ? nextCode(secret) : ''
  }
}

/**
 * An app that shows the codes of a secret, each of a later step than the one before, since the
 * service takes none twice. It takes that of the next step already, so two take no waiting.
 */
function authenticator() {
  const currentStep = () => Math.floor(Date.now() / STEP_MS)
  let step = 0
  return async (secret: string): Promise<string> => {
    step = Math.max(step + 1, currentStep())
    await vi.waitUntil(() => step <= currentStep() + 1, { timeout: STEP_MS })
    return generateHOTP(decodeBase32IgnorePadding(secret), BigInt(step), 6)
  }
}
