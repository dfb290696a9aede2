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

/** Only its owner reads what is said of people. */
const MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * Called before work begins. Makes the folder of the file where there is none.
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
 * Writes a file that only its owner can read, in a folder that is made where there is none.
 * @param options.replace one that is there, all at once; else that is an error
 */
export function writePrivately(
  path: string,
  text: string,
  { replace = false } = {},
): void {
  try {
    makeFolderOf(path)
    if (replace) replaceFile(path, text)
    else writeFileSync(path, text, { mode: MODE, flag: 'wx' })
  } catch (error) {
    throw unwritable(path, error)
  }
}

const makeFolderOf = (path: string) =>
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })

function replaceFile(path: string, text: string): void {
  const isDevice = existsSync(path) && !statSync(path).isFile()
  if (isDevice) return writeFileSync(path, text)

  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    writeFileSync(temporary, text, { mode: MODE, flag: 'wx' })
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

const unwritable = (path: string, error: unknown) =>
  new Error(
    `o arquivo ${path} não pode ser escrito (${(error as NodeJS.ErrnoException).code})`,
  )
