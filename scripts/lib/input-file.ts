import { readFileSync } from 'node:fs'
import { resolveFromCallerCwd } from './command-line.ts'

/** Reads a file that a command is given. @throws in Portuguese if the system cannot read it */
export function readInputFile(file: string): Buffer {
  try {
    return readFileSync(resolveFromCallerCwd(file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`o arquivo ${file} não pode ser lido (${code})`)
  }
}
