import { accessSync, constants, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  getSystemErrorMessage,
  type ParseArgsOptionsConfig,
  parseArgs,
  stripVTControlCharacters,
} from 'node:util'

/** A command was called incorrectly. The message is printed with the usage. */
export class UsageError extends Error {}

/** Kinds of options. */
export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean', default: false } as const

/** English for developers, Portuguese for the office. */
const TEXTS = {
  en: {
    cannot: 'Cannot',
    missing: 'Missing',
    unexpected: 'Unexpected',
    invalid: 'Invalid option',
  },
  pt: {
    cannot: 'Não foi possível',
    missing: 'Falta',
    unexpected: 'Sobra',
    invalid: 'Opção inválida',
  },
}

type Command<Options> = {
  /** Starts an error message: "Cannot start: …" */
  verb: string
  usage: string
  options: Options
  /** The names of the positional arguments, by default none. */
  arguments?: readonly string[]
  /** Of its texts, by default English. */
  language?: 'en' | 'pt'
}
export type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parse<Options>
>['values']

/**
 * Runs a command of package.json. `--help` prints the usage. Errors are printed with exit code 1;
 * unknown options are errors.
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  command: Command<Options>,
  work: (values: Values<Options>, positionals: string[]) => unknown,
): Promise<void> {
  const { verb, usage, options, arguments: names = [], language = 'en' } = command
  const texts = TEXTS[language]
  try {
    const { values, positionals } = parse(options, texts.invalid)
    if ((values as { help?: boolean }).help) return console.log(usage)

    const missing = names.slice(positionals.length).join(' ')
    if (missing) throw new UsageError(`${texts.missing}: ${missing}`)
    const surplus = positionals.slice(names.length).join(' ')
    if (surplus) throw new UsageError(`${texts.unexpected}: ${surplus}`)
    await work(values, positionals)
  } catch (error) {
    const { message } = error as Error
    const isUsage = error instanceof UsageError
    const text = isUsage ? message : `${texts.cannot} ${verb}: ${message}`
    console.error(text.split('\n').map(printable).join('\n'))
    if (isUsage) console.error(usage)
    process.exitCode = 1
  }
}

/** Parses options, `--help` too, and positional arguments. @throws {UsageError} */
function parse<const Options extends ParseArgsOptionsConfig>(
  options: Options,
  invalid: string,
) {
  try {
    return parseArgs({
      options: { ...options, help: FLAG },
      allowPositionals: true,
    })
  } catch (error) {
    const [, option] = /'(.+?)'/.exec((error as Error).message) ?? []
    throw new UsageError(`${invalid}: ${option}`)
  }
}

/**
 * Returns foreign text for printing: one line without terminal escapes and other control characters
 * (CWE-150).
 */
export const printable = (text: string) =>
  stripVTControlCharacters(text)
    .replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')

/** Resolves a path from the caller's folder, because npm runs commands in the project's. */
export const resolveFromCallerCwd = (path: string) =>
  resolve(process.env.INIT_CWD ?? '.', path)

/** Returns the system's description of an error, such as "permission denied". */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}

/** Creates a folder if necessary. @throws naming it if it cannot be written */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
  } catch (error) {
    throw new Error(`the folder ${path} cannot be written (${reasonOf(error)}).`)
  }
}
