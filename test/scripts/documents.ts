import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'

/** A command as a document has it, and the output that follows it. */
type Block = { command: string; output: string }

/** The blocks of a document: the language of each, and its text. */
export function fencedBlocksOf(document: string) {
  const blocks = readFileSync(document, 'utf8').matchAll(/^ *```(\w*)\n([\s\S]*?)```/gm)
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }))
}

/**
 * The commands of a document: its `sh` blocks, each with the output that follows. Its `bash` blocks
 * take an account of Cloudflare, or what only their reader has.
 */
export function blocksOf(document: string): Block[] {
  const blocks = fencedBlocksOf(document)
  return blocks.flatMap(({ language, text: command }, index) => {
    const next = blocks[index + 1]
    const output = next && ['', 'json'].includes(next.language) ? next.text : ''
    return language === 'sh' ? { command, output } : []
  })
}

/** The shells of those who paste the blocks; zsh as macOS has it, where it is installed. */
const ARGUMENTS = { bash: [], zsh: ['-f', '-i', '+m', '-o', 'nopromptsp'] }
type Shell = keyof typeof ARGUMENTS
export const SHELLS = (Object.keys(ARGUMENTS) as Shell[]).filter(
  (shell) => spawnSync(shell, ['--version']).status === 0,
)

/** A guard against a test that never ends; other tests may take all of the machine meanwhile. */
export const PATIENCE_MS = 300_000
const END = '<end of the block>'
const QUESTION = /\bperguntar (?:'[^']+'|\S+) (?<variable>[A-Z]+)/g

type Substitutes = {
  shell: Shell
  stateDir: string
  baseUrl: string
  env?: Record<string, string>
  /** Returns what the reader types when a block asks for a variable. */
  answer?: (variable: string, printed: string) => string | Promise<string>
}

/**
 * Types the commands of a document into a shell, one after another.
 * A minute has not enough logins for all commands, so curl comes from another address each time.
 * @returns the commands, each with what it printed
 */
export async function run(
  document: string,
  { shell: name, stateDir, baseUrl, env, answer }: Substitutes,
) {
  writeFileSync(join(stateDir, '.curlrc'), `header = "CF-Connecting-IP: ${newAddress()}"`)
  const shell = spawn(name, [...ARGUMENTS[name], '-euo', 'pipefail'], {
    env: {
      ...process.env,
      CURL_HOME: stateDir,
      npm_config_loglevel: 'silent',
      PS1: '',
      PS2: '',
      ...env,
    },
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
    const typed = command
      .replaceAll('http://127.0.0.1:8787/v1', baseUrl)
      .replaceAll('.wrangler/manual', join(stateDir, 'manual'))
      .replaceAll(/\bexports\b/g, join(stateDir, 'exports'))
    shell.stdin.write(typed)
    const before = blocks.map(({ printed }) => printed).join('')
    for (const { groups } of command.matchAll(QUESTION)) {
      shell.stdin.write(`${await answer?.(groups?.variable ?? '', before)}\n`)
    }
    shell.stdin.write(`echo '${END}'\n`)
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
