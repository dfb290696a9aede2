import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync as Lock } from 'node:sqlite'
import { makeFolder, resolveFromCallerCwd } from './command-line.ts'
import { refuseDamage } from './damaged-database.ts'
import { refuseFullDisk } from './disk-space.ts'
import { DatabaseSync, SQLITE_BUSY } from './sqlite.ts'

/**
 * The contents of the state folder: the database, the build of the Worker, the lock, and that the
 * demo data are due.
 */
export const stateFiles = (stateDir: string) => ({
  database: join(stateDir, 'v3'),
  build: join(stateDir, 'build'),
  lock: join(stateDir, 'lock'),
  pendingDemo: join(stateDir, 'demo-data-pending'),
})

/** The state folder. */
export function localStateDir(): string {
  const { STATE_DIR } = process.env
  return STATE_DIR ? resolveFromCallerCwd(STATE_DIR) : join('.wrangler', 'state')
}

const REMEDY = 'Choose another folder with STATE_DIR.'

/** The locks of this process, by folder. */
const locks = new Map<string, Lock>()

/**
 * Locks the state folder for work on its database.
 * @throws if it cannot be locked, the disk is full, or the database is damaged
 */
export function openStateDir(stateDir: string): void {
  lockStateDir(stateDir)
  refuseFullDisk(stateDir)
  refuseDamage(stateFiles(stateDir).database)
}

/**
 * Creates the state folder and locks it until this process ends. From then on, what this process
 * and its children write is readable by this user alone: the database, and emails with valid links.
 * @throws if the folder cannot be written, is not this user's, has links in it, or another process
 *   uses it
 */
export function lockStateDir(stateDir: string): void {
  if (locks.has(stateDir)) {
    return
  }
  process.umask(0o077)
  makeFolder(stateDir)
  checkOwner(stateDir)
  closeToOthers(stateDir)

  locks.set(stateDir, lock(stateDir))
}

/**
 * Node locks no files, but its SQLite does, in one step; and the system ends the lock together with
 * the process, however that ends.
 * @throws if another process has the lock
 */
function lock(stateDir: string): Lock {
  const path = stateFiles(stateDir).lock
  try {
    const database = new DatabaseSync(path)
    database.exec('pragma journal_mode = off; begin immediate')
    return database
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number }
    if (errcode !== SQLITE_BUSY) {
      throw new Error(`${path} cannot be locked (${message}). ${REMEDY}`)
    }
    throw new Error(
      `another process uses ${stateDir}. End it, or choose another folder with STATE_DIR.`,
    )
  }
}

/**
 * A link would lead what is written, and the change of modes, to files outside of the folder.
 * @throws if somebody else made the folder or something in it, or there is a link in it
 */
function checkOwner(stateDir: string): void {
  const contents = readdirSync(stateDir, { recursive: true, withFileTypes: true })
  const link = contents.find((entry) => entry.isSymbolicLink())
  if (link) {
    const path = join(link.parentPath, link.name)
    throw new Error(`${path} is a symbolic link. ${REMEDY}`)
  }

  const paths = contents.map(({ parentPath, name }) => join(parentPath, name))
  const isOwnTarget = statSync(stateDir).uid === process.getuid?.()
  if (!isOwnTarget || ![stateDir, ...paths].every(isOwn)) {
    throw new Error(`the folder ${stateDir} belongs to another user. ${REMEDY}`)
  }
}

/** Whether this user made a file or a link, or it is gone again, as those of SQLite may be. */
function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return !stats || stats.uid === process.getuid?.()
}

/** Whatever the modes are with which the folder was made. */
function closeToOthers(stateDir: string): void {
  const { mode } = statSync(stateDir)
  if (mode & 0o022) {
    chmodSync(stateDir, mode & 0o755)
  }

  const { database } = stateFiles(stateDir)
  if (existsSync(database)) {
    chmodSync(database, 0o700)
  }
}
