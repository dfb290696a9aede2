import { accessSync, constants, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs, stripVTControlCharacters } from 'node:util'
import { speak, texts } from './language.ts'

/** A command was called incorrectly. The message is printed with the usage. */
export class UsageError extends Error {}

/** Kinds of options. */
export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean', default: false } as const

/**
 * Runs a command of package.json. `--help` prints the usage. Errors are printed with exit code 1; unknown options are
 * errors.
 * @param command.verb starts an error message: "Cannot start: …"
 * @param command.language of its texts, by default English
 * @param command.arguments the names of the positional arguments, by default none
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  command: {
    verb: string
    usage: string
    options: Options
    arguments?: readonly string[]
    language?: 'en' | 'pt'
  },
  work: (values: ReturnType<typeof parse<Options>>['values'], positionals: string[]) => unknown,
): Promise<void> {
  const { verb, usage, options, arguments: names = [], language = 'en' } = command
  speak(language)
  try {
    const { values, positionals } = parse(options)
    if ((values as { help?: boolean }).help) return console.log(usage)
    const missing = names.slice(positionals.length)
    const surplus = positionals.slice(names.length)
    if (missing.length > 0) throw new UsageError(texts.missing(missing.join(' ')))
    if (surplus.length > 0) throw new UsageError(texts.unexpected(surplus.join(' ')))
    await work(values, positionals)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const lines = (
      error instanceof UsageError ? message : `${texts.cannot(verb)}: ${message}`
    ).split('\n')
    console.error(lines.map(printable).join('\n'))
    if (error instanceof UsageError) console.error(usage)
    process.exitCode = 1
  }
}

/** Parses options, `--help` too, and positional arguments. @throws {UsageError} with the invalid option */
function parse<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options: { ...options, help: FLAG }, allowPositionals: true })
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/) // what follows is advice, with unbalanced quotes
    throw new UsageError(texts.invalidOption(sentence))
  }
}

/** What others wrote, to print it: one line without terminal escapes and other control characters (CWE-150). */
export const printable = (text: string) =>
  stripVTControlCharacters(text)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')

/** Resolves a path from the folder of the caller, because npm runs commands in the project folder. */
export const resolveFromCallerCwd = (path: string) => resolve(process.env.INIT_CWD ?? '.', path)

/** Creates a folder where there is none. @throws naming it if it cannot be written */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
  } catch (error) {
    throw new Error(
      `the folder ${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
