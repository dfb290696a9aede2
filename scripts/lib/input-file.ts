import { createReadStream } from 'node:fs'
import { resolveFromCallerCwd } from './command-line.ts'

export const MAX_BYTES = 5_000_000

/**
 * Reads a file that a command is given, of a larger one no more than shows that it is too large.
 * @throws in Portuguese if the system cannot read it
 */
export async function readInputFile(file: string): Promise<Buffer> {
  const stream = createReadStream(resolveFromCallerCwd(file), { end: MAX_BYTES })
  try {
    return Buffer.concat(await Array.fromAsync(stream))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`o arquivo ${file} não pode ser lido (${code})`)
  }
}
