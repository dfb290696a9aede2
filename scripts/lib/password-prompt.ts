import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/**
 * A password that is typed without being shown, and twice, so that a slip of the finger is noticed; or the first
 * line of the input, where that is no terminal.
 *
 * @throws where the two differ
 */
export async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLine()
  const password = await askHidden('Password: ')
  if ((await askHidden('Again: ')) !== password) throw new Error('The two passwords differ.')
  return password
}

/** A password that there is already: typed once without being shown, or the first line of the input. */
export function askKnownPassword(): Promise<string> {
  return process.stdin.isTTY ? askHidden('Password: ') : firstLine()
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

async function askHidden(question: string): Promise<string> {
  process.stdout.write(question)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  terminal.on('SIGINT', () => process.exit(130))
  const answer = await terminal.question('')
  terminal.close()
  process.stdout.write('\n')
  return answer
}
