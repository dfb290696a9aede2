import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'

/** A command as a document has it, and the output that follows it. */
export type Block = { command: string; output: string }

/**
 * The commands of a document: its `sh` blocks, each with the output that follows. Its `bash` blocks
 * take an account of Cloudflare, or what only their reader has.
 */
export function blocksOf(document: string): Block[] {
  const blocks = [
    ...readFileSync(document, 'utf8').matchAll(/^ *```(\w*)\n([\s\S]*?)```/gm),
  ]
  return blocks.flatMap(([, language, command = ''], index) => {
    const [, follows = '', text = ''] = blocks[index + 1] ?? []
    const output = ['', 'json'].includes(follows) ? text : ''
    return language === 'sh' ? { command, output } : []
  })
}

/** A guard against a test that never ends; other tests may take all of the machine meanwhile. */
export const PATIENCE_MS = 300_000
const END = '<end of the block>'
const CODE = /(?<=^COD(IGO|E)=)\d+/m

type Substitutes = {
  stateDir: string
  /** A repository to import; a checkout of this project may be shallow. */
  repo?: string
  baseUrl?: string
  token?: string
  nextCode?: (secret: string) => string | Promise<string>
  mailedToken?: () => Promise<string>
  env?: Record<string, string>
}

/**
 * Types blocks into a shell, one after another; returns what each prints.
 * A minute has not enough logins for all commands, so curl comes from another address each time.
 * @param substitutes where the service is; with a token, other commands use it in the place of
 *   `--login`
 */
export async function run(
  blocks: Block[],
  {
    stateDir,
    repo = '.',
    baseUrl = '',
    token = '',
    nextCode,
    mailedToken,
    env: own = {},
  }: Substitutes,
) {
  writeFileSync(join(stateDir, '.curlrc'), `header = "CF-Connecting-IP: ${newAddress()}"`)
  const env = {
    ...process.env,
    CURL_HOME: stateDir,
    STATE_DIR: stateDir,
    ACCESS_TOKEN: token,
    ...own,
  }
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    env: { ...env, npm_config_loglevel: 'silent' },
    detached: true,
  })
  onTestFinished(() => endGroup(shell.pid))
  const printed = { stdout: '', stderr: '' }
  shell.stdout.on('data', (chunk) => {
    printed.stdout += chunk
  })
  shell.stderr.on('data', (chunk) => {
    printed.stderr += chunk
  })
  const outputs: string[] = []
  for (const { command } of blocks) {
    const code = CODE.test(command) && (await nextCode?.(secretIn(outputs)))
    const typed = command
      .replaceAll('_SZA…', (command.includes('_SZA…') && (await mailedToken?.())) || '')
      .replaceAll('http://127.0.0.1:8787/v1', baseUrl)
      .replaceAll(/(?<!login -- \S+) --login admin@example\.org/g, '')
      .replaceAll('changelog:sync --', `changelog:sync -- --repo ${repo}`)
      .replace(CODE, (placeholder) => code || placeholder)
      .replaceAll('.wrangler/manual', join(stateDir, 'manual'))
      .replaceAll(/\bexports\b/g, join(stateDir, 'exports'))
    shell.stdin.write(`${typed}\necho '${END}'\n`)
    const isOver = () => printed.stdout.includes(END) || shell.exitCode !== null
    await vi.waitUntil(isOver, { timeout: PATIENCE_MS, interval: 10 })
    expect(printed.stdout, `${command}${printed.stderr}`).toContain(END)
    outputs.push(printed.stdout.replace(`${END}\n`, ''))
    printed.stdout = ''
  }
  shell.stdin.end()
  await once(shell, 'close')
  return outputs
}

const newAddress = () => `198.51.${randomInt(256)}.${randomInt(256)}`

/** Ends what a shell has left running. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // nothing is left
  }
}

/** The secret of a second factor that was printed last. */
function secretIn(outputs: string[]): string {
  const secrets = [...outputs.join('').matchAll(/[?&]secret=([A-Z2-7]+)/g)]
  return secrets.at(-1)?.[1] ?? ''
}

/**
 * What a command prints, without what differs from run to run; JSON is parsed, because documents
 * lay it out.
 */
function comparable(output: string): unknown[] {
  const text = output
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/ETag: "[^"]+"/, 'ETag: <etag>')
    .replace(/\d+ (de|commits)|(Rascunhos|merges): \d+/g, '<number> $1$2')
    .replace(/(?<progress>.+ commits\n)\k<progress>+/g, '$<progress>') // a line for each request
    .replace('[…]', '"…"')
    .replaceAll('\r', '')
  return text
    .trim()
    .split(/(?<=\})\s*(?=\{)/)
    .map((part) =>
      part.startsWith('{')
        ? JSON.parse(part, (_, value) => (value === '…' ? expect.anything() : value))
        : part,
    )
}

/** Blocks, each with what it printed. */
export const withOutputs = (blocks: Block[], outputs: string[]) =>
  blocks.map((block, index) => ({ ...block, printed: outputs[index] ?? '' }))

/** What a document says that a command prints is what it printed. */
export function expectOutput(command: string, output: string, printed: string): void {
  if (output) expect(comparable(printed), command).toEqual(comparable(output))
}
