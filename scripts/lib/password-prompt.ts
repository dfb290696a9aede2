import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Where to prompt: a terminal, or a pipe that is only read. */
type Streams = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: { write(text: string): unknown }
}

/**
 * Prompts twice without echo, or reads the first line of stdin.
 *
 * @throws if the two passwords differ
 */
export async function promptNewPassword(streams: Streams = process): Promise<string> {
  if (!streams.stdin.isTTY) return readFirstLine(streams)
  const password = await promptHidden('Password: ', streams)
  if ((await promptHidden('Again: ', streams)) !== password) throw new Error('The two passwords differ.')
  return password
}

/** Prompts once without echo, or reads the first line of stdin. */
export function promptPassword(streams: Streams = process): Promise<string> {
  return streams.stdin.isTTY ? promptHidden('Password: ', streams) : readFirstLine(streams)
}

async function readFirstLine({ stdin }: Streams): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line
  return ''
}

async function promptHidden(question: string, { stdin, stdout }: Streams): Promise<string> {
  stdout.write(question)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true })
  terminal.on('SIGINT', () => process.exit(130))
  const line = await terminal.question('')
  terminal.close()
  stdout.write('\n')
  return line
}
