import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
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
 * @throws if the file exists, or if its folder cannot be written
 */
export function refuseExisting(path: string, advice = ''): void {
  if (existsSync(path)) throw new Error(`o arquivo ${path} já existe${advice}`)

  try {
    makeFolderOf(path)
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw unwritable(path, error)
  }
}

/**
 * Writes a file that only its owner can read, whole or not at all, in a folder that is created if
 * necessary. Replaces an existing file.
 */
export function writePrivately(path: string, text: string): void {
  try {
    makeFolderOf(path)
    const isDevice = existsSync(path) && !statSync(path).isFile()
    if (isDevice) writeFileSync(path, text)
    else writeWhole(text, path)
  } catch (error) {
    throw unwritable(path, error)
  }
}

function makeFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
}

/** Writes a temporary file beside a path, then puts it in place. */
function writeWhole(text: string, path: string): void {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    writeFileSync(temporary, text, { mode: MODE, flag: 'wx' })
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function unwritable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  return new Error(`o arquivo ${path} não pode ser escrito (${code})`)
}
