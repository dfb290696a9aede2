import { resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** A command was called incorrectly. The message includes the usage. */
export class UsageError extends Error {}

const HELP = { help: { type: 'boolean', default: false } } as const

/**
 * Runs a command of package.json. `--help` prints the usage. Errors are printed on one line, with exit code 1; unknown
 * options are errors.
 *
 * @param command.verb starts an error message: "Cannot start: …"
 * @param command.arguments the minimum and maximum number of positional arguments, by default none
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
 * Parses the options of a command, including `--help`, and its positional arguments.
 *
 * @throws {UsageError} with the invalid option and the usage
 */
function commandLine<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  try {
    return parseArgs({ options: { ...options, ...HELP }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}

/** Resolves a path from the folder of the caller, because npm runs commands in the project folder. */
export const resolveFromCallerCwd = (path: string) => resolve(process.env.INIT_CWD ?? '.', path)

/** Parses a positive number. */
export function positiveNumber(text: string, option: string): number {
  const number = Number(text)
  if (!(number > 0 && number < Number.POSITIVE_INFINITY))
    throw new Error(`${option} must be a positive number, not "${text}".`)
  return number
}
