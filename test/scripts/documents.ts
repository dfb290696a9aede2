import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'

/** A command as a document has it, and the output that follows it. */
type Block = { command: string; output: string }

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
const CODE = /(?<=^CODIGO=)\d+/m

type Substitutes = {
  stateDir: string
  baseUrl: string
  nextCode?: (secret: string) => Promise<string>
  env?: Record<string, string>
}

/**
 * Types the commands of a document into a shell, one after another.
 * A minute has not enough logins for all commands, so curl comes from another address each time.
 * @returns the commands, each with what it printed
 */
export async function run(
  document: string,
  { stateDir, baseUrl, nextCode, env }: Substitutes,
) {
  writeFileSync(join(stateDir, '.curlrc'), `header = "CF-Connecting-IP: ${newAddress()}"`)
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    env: { ...process.env, CURL_HOME: stateDir, npm_config_loglevel: 'silent', ...env },
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
  const blocks: (Block & { printed: string })[] = []
  for (const { command, output } of blocksOf(document)) {
    const code = CODE.test(command) && (await nextCode?.(secretIn(blocks)))
    const typed = command
      .replaceAll('http://127.0.0.1:8787/v1', baseUrl)
      .replace(CODE, (placeholder) => code || placeholder)
      .replaceAll('.wrangler/manual', join(stateDir, 'manual'))
      .replaceAll(/\bexports\b/g, join(stateDir, 'exports'))
    shell.stdin.write(`${typed}\necho '${END}'\n`)
    const isOver = () => printed.stdout.includes(END) || shell.exitCode !== null
    await vi.waitUntil(isOver, { timeout: PATIENCE_MS, interval: 10 })
    expect(printed.stdout, `${command}${printed.stderr}`).toContain(END)
    blocks.push({ command, output, printed: printed.stdout.replace(`${END}\n`, '') })
    printed.stdout = ''
  }
  shell.stdin.end()
  await once(shell, 'close')
  return blocks
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
function secretIn(blocks: { printed: string }[]): string {
  const output = blocks.map(({ printed }) => printed).join('')
  const secrets = [...output.matchAll(/[?&]secret=([A-Z2-7]+)/g)]
  return secrets.at(-1)?.[1] ?? ''
}

/** What a command prints, without times; JSON is parsed, because documents lay it out. */
function comparable(output: string): unknown {
  const text = output.trim().replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** What a document says that a command prints is what it printed. */
export function expectOutput({
  command,
  output,
  printed,
}: Block & { printed: string }): void {
  if (output) expect(comparable(printed), command).toEqual(comparable(output))
}
