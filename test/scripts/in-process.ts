import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { vi } from 'vitest'

/** The folders of commands. */
const FOLDERS = ['commands', 'build', 'dev'].map((folder) => resolve('scripts', folder))

let runs = 0

/**
 * Runs a command of `scripts` in this process: the same code with the same output as from a shell,
 * without the start of another Node.
 * @param options.input the text of its standard input
 */
export async function runInProcess(
  script: string,
  args: string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
) {
  const output = { stdout: '', stderr: '' }
  const write = (stream: keyof typeof output) => (text: unknown) => {
    output[stream] += text
    return true
  }
  const print = (stream: keyof typeof output) => (text: unknown) =>
    void write(stream)(`${text}\n`)
  const { argv, stdin } = process
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(print('stdout')),
    vi.spyOn(console, 'error').mockImplementation(print('stderr')),
    vi.spyOn(process.stdout, 'write').mockImplementation(write('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(write('stderr')),
    vi
      .spyOn(process, 'exit')
      .mockImplementation((() => undefined) as typeof process.exit),
  ]
  process.argv = [process.execPath, script, ...args]
  Object.defineProperty(process, 'stdin', {
    value: Readable.from([input]),
    configurable: true,
  })
  try {
    // a command runs when its module is evaluated; the query makes it a new module
    runs += 1
    const paths = FOLDERS.map((folder) => join(folder, `${script}.ts`))
    await import(/* @vite-ignore */ `${paths.find(existsSync)}?${runs}`)
    return { code: process.exitCode ?? 0, ...output }
  } finally {
    process.argv = argv
    process.exitCode = undefined
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}
