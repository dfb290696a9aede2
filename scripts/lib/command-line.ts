import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/**
 * What a command was called with: the options it knows, `--help` among them, and the rest.
 *
 * @throws naming an option that is wrong, above the usage
 */
export function commandLine<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  try {
    const known = { ...options, help: { type: 'boolean', default: false } } as const
    return parseArgs({ options: known, allowPositionals: true })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`)
  }
}
