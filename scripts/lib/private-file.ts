import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Only the owner may read personal data. */
const MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * Checks a path before work begins, and creates the folder of the file if necessary.
 * @param force whether an existing file is to be replaced
 */
export function checkOutput(path: string, force: boolean): void {
  if (!force && lstatSync(path, { throwIfNoEntry: false })) throw existing(path)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Error(`${path} não é um arquivo`)
  }
  try {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw unwritable(path, error)
  }
}

/**
 * Writes a file that only its owner can read, whole or not at all.
 * @param force whether to replace whatever is at its path by now
 */
export function writePrivately(path: string, text: string, force: boolean): void {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    writeFileSync(temporary, text, { mode: MODE, flag: 'wx' })
    if (force) renameSync(temporary, path)
    else copyFileSync(temporary, path, constants.COPYFILE_EXCL)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'EEXIST' ? existing(path) : unwritable(path, error)
  } finally {
    rmSync(temporary, { force: true })
  }
}

const existing = (path: string) =>
  new Error(`o arquivo ${path} já existe: para substituí-lo, --force`)

function unwritable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  return new Error(`o arquivo ${path} não pode ser escrito (${code})`)
}
