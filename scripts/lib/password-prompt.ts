import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/**
 * Prompts twice without echo, or reads the first line of stdin.
 *
 * @throws if the two passwords differ
 */
export async function promptNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return readFirstLine()
  const password = await promptHidden('Password: ')
  if ((await promptHidden('Again: ')) !== password) throw new Error('The two passwords differ.')
  return password
}

/** Prompts once without echo, or reads the first line of stdin. */
export function promptPassword(): Promise<string> {
  return process.stdin.isTTY ? promptHidden('Password: ') : readFirstLine()
}

async function readFirstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

async function promptHidden(question: string): Promise<string> {
  process.stdout.write(question)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  terminal.on('SIGINT', () => process.exit(130))
  const line = await terminal.question('')
  terminal.close()
  process.stdout.write('\n')
  return line
}
