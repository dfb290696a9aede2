import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Checks a path before work begins.
 * @param force whether an existing file is to be replaced
 */
export function checkOutput(path: string, force: boolean): void {
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing && !force) throw taken(path)
  if (existing && !existing.isFile()) throw new Error(`${path} não é um arquivo`)
}

/**
 * Writes a file that only its owner can read, whole or not at all.
 * @param force whether to replace whatever is at its path by now
 */
export function writePrivately(path: string, text: string, force: boolean): void {
  const folder = dirname(path)
  const temporary = join(folder, `.${randomUUID()}.tmp`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(temporary, text, { mode: 0o600 })
    if (force) renameSync(temporary, path)
    else copyFileSync(temporary, path, constants.COPYFILE_EXCL)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(path)
    throw new Error(`o arquivo ${path} não pode ser escrito (${code})`)
  } finally {
    rmSync(temporary, { force: true })
  }
}

const taken = (path: string) =>
  new Error(`o arquivo ${path} já existe: para substituí-lo, --force`)
