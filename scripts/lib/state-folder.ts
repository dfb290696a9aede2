import { readFileSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import type { DatabaseSync as Lock } from 'node:sqlite'
import { makeFolder, resolveFromCallerCwd } from './command-line.ts'
import { DatabaseSync, SQLITE_BUSY } from './sqlite.ts'

/**
 * The contents of the state folder: the database, the build of the Worker, the lock with the id of
 * the process that has it, and a mark that the demo data are still to be imported.
 */
export const stateFiles = (stateDir: string) => ({
  database: join(stateDir, 'v3'),
  build: join(stateDir, 'build'),
  lock: join(stateDir, 'lock'),
  holder: join(stateDir, 'lock.pid'),
  pendingDemo: join(stateDir, 'demo-data-pending'),
})

/** Returns the state folder. @throws if it is the root: the folder is for the service alone */
export function localStateDir(): string {
  const { STATE_DIR } = process.env
  if (!STATE_DIR) return join('.wrangler', 'state')

  const stateDir = resolveFromCallerCwd(STATE_DIR)
  if (stateDir === parse(stateDir).root) {
    throw new Error(`STATE_DIR must be a folder of its own, not ${stateDir}.`)
  }
  return stateDir
}

/** The locks of this process, by folder. */
const locks = new Map<string, Lock>()

/**
 * Creates the state folder and locks it until this process ends. From then on, files that this
 * process and its children write are readable by this user alone: the database, and emails with
 * valid links.
 * @throws if the folder cannot be written, or another process uses it
 */
export function lockStateDir(stateDir: string): void {
  if (locks.has(stateDir)) return

  process.umask(0o077)
  makeFolder(stateDir)
  locks.set(stateDir, lock(stateDir))
}

/**
 * Locks by SQLite, because Node cannot lock files. The system releases the lock when the process
 * ends, however it ends.
 * @throws naming the other process that has the lock
 */
function lock(stateDir: string): Lock {
  const { lock: path, holder } = stateFiles(stateDir)
  try {
    const database = new DatabaseSync(path)
    database.exec('pragma journal_mode = off; begin immediate')
    writeFileSync(holder, String(process.pid))
    return database
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number }
    if (errcode !== SQLITE_BUSY) {
      throw new Error(
        `${path} cannot be locked (${message}). Choose another folder with STATE_DIR.`,
      )
    }
    const pid = readFileSync(holder, 'utf8')
    throw new Error(
      `process ${pid} uses ${stateDir}. End it (kill ${pid}), or choose another folder with ` +
        'STATE_DIR.',
    )
  }
}
