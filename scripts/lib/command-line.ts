import { resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** What is wrong with how a command was called; the usage stands below it. */
export class UsageError extends Error {}

const HELP = { help: { type: 'boolean', default: false } } as const

/**
 * Runs a command of package.json. `--help` prints the usage, what the command does not know is an error, and an
 * error is one line and the exit code 1.
 *
 * @param command.verb what an error begins with: "Cannot start: …"
 * @param command.arguments the least and the most number of arguments beside the options, by default none
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  command: { verb: string; usage: string; options: Options; arguments?: [least: number, most: number] },
  work: (values: ReturnType<typeof commandLine<Options>>['values'], positionals: string[]) => unknown,
): Promise<void> {
  const { verb, usage, options, arguments: [least, most] = [0, 0] } = command
  try {
    const { values, positionals } = commandLine(options, usage)
    if ((values as { help?: boolean }).help) return console.log(usage)
    if (positionals.length < least || positionals.length > most) throw new UsageError(usage)
    await work(values, positionals)
  } catch (error) {
    const message = error instanceof Error ? error.message : error
    console.error(error instanceof UsageError ? message : `Cannot ${verb}: ${message}`)
    process.exitCode = 1
  }
}

/**
 * What a command was called with: the options it knows, `--help` among them, and the rest.
 *
 * @throws {UsageError} naming an option that is wrong, above the usage
 */
function commandLine<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  try {
    return parseArgs({ options: { ...options, ...HELP }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}

/** A path as the user means it: npm runs a command in the project, wherever it was called. */
export const callerPath = (path: string) => resolve(process.env.INIT_CWD ?? '.', path)

/** An option that counts something. */
export function positiveNumber(text: string, option: string): number {
  const number = Number(text)
  if (!(number > 0 && number < Number.POSITIVE_INFINITY))
    throw new Error(`${option} must be a positive number, not "${text}".`)
  return number
}
