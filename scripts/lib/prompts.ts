import { createInterface } from 'node:readline/promises'
import { confirm, isCancel, password, text } from '@clack/prompts'

const output = process.stderr // stdout may be a file

/** Prompts for a password without showing it. */
export const promptPassword = (message: string) => prompt(password, message)

/** Prompts for a text that may be shown. */
export const promptText = (message: string) => prompt(text, message)

/** Prompts on a terminal, or else reads the next line of stdin. */
async function prompt(ask: typeof password | typeof text, message: string) {
  if (!process.stdin.isTTY) return readLine()
  return orExit(await ask({ message, input: process.stdin, output }))
}

/** Prompts for a new password twice. @throws if the two differ */
export async function promptNewPassword(): Promise<string> {
  const typed = await promptPassword('Password')
  if (process.stdin.isTTY && (await promptPassword('Again')) !== typed) {
    throw new Error('The two passwords differ.')
  }
  return typed
}

/** Prompts for a confirmation. @throws without a terminal, naming the option that confirms */
export async function promptConfirmation(
  message: string,
  option: string,
): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Error(`there is no terminal to confirm in. Confirm with ${option}.`)
  }
  return orExit(
    await confirm({ message, initialValue: false, input: process.stdin, output }),
  )
}

/** Shows progress on a terminal, and leaves alone what is typed meanwhile. */
export function showProgress(done: number, total: number): void {
  if (!output.isTTY) return
  output.write(`${done} de ${total}${done === total ? '\n' : '\r'}`)
}

/** The lines of an input, which is read once. */
const linesOf = new WeakMap<object, AsyncIterator<string>>()

/** Returns the next line of stdin; empty after the last one. */
async function readLine(): Promise<string> {
  const { stdin } = process
  const lines =
    linesOf.get(stdin) ?? createInterface({ input: stdin })[Symbol.asyncIterator]()
  linesOf.set(stdin, lines)
  stdin.ref?.() // files have none
  const { value } = await lines.next()
  stdin.unref?.() // an input that stays open does not keep the command running
  return value ?? ''
}

/** Ends the process, as a shell expects, if a prompt was ended by Ctrl-C. */
function orExit<Value>(value: Value): Exclude<Value, symbol> {
  if (isCancel(value)) {
    process.exit(130)
  }
  return value as Exclude<Value, symbol>
}
