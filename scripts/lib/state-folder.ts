import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, reasonOf, resolveFromCallerCwd } from './command-line.ts'
import { DatabaseSync, SQLITE_BUSY } from './sqlite.ts'

/**
 * The contents of the state folder: the runtime's data, where wrangler expects them, and in a
 * folder of our own, because others may keep files here too, the build of the Worker, the lock, a
 * trial of the room on the disk, and a mark that the demo data are still to be imported.
 */
export function stateFiles(stateDir: string) {
  const data = join(stateDir, 'v3')
  const own = join(stateDir, 'informer-provisioning')
  return {
    data,
    database: join(data, 'd1', 'miniflare-D1DatabaseObject'),
    own,
    build: join(own, 'build'),
    lock: join(own, 'lock'),
    room: join(own, 'room'),
    pendingDemo: join(own, 'demo-data-pending'),
  }
}

/** Returns the folders that the runtime makes. */
export const runtimeFolders = (stateDir: string) =>
  [
    'd1/miniflare-D1DatabaseObject',
    'ratelimit/miniflare-RateLimiterObject',
    'cache/miniflare-CacheObject',
  ].map((name) => join(stateFiles(stateDir).data, name))

export function localStateDir(): string {
  const { STATE_DIR } = process.env
  return STATE_DIR ? resolveFromCallerCwd(STATE_DIR) : join('.wrangler', 'state')
}

/** Another process uses a folder: a second start, or the runtime of one that was killed. */
class InUseError extends Error {
  constructor(stateDir: string) {
    super(
      `another process uses ${stateDir}. End it (pgrep workerd prints the id of one whose npm ` +
        'start was killed), or choose another folder with STATE_DIR.',
    )
  }
}

/** The locks of this process, by folder. */
const locks = new Map<string, object>()

/**
 * Creates the state folder and locks it until this process ends. From then on, files that this
 * process and its children write are readable by this user alone: the database, and emails with
 * valid links.
 * @throws if the folder cannot be written, or another process uses it
 */
export function lockStateDir(stateDir: string): void {
  if (locks.has(stateDir)) return

  process.umask(0o077)
  const { own, lock: path } = stateFiles(stateDir)
  makeFolder(stateDir)
  makeFolder(own)
  const lock = lockFile(path, stateDir)
  try {
    lockDatabases(stateDir)
  } catch (error) {
    if (error instanceof InUseError) {
      lock.close()
      throw error
    }
    // a damaged database does not keep a reset from deleting it
  }
  locks.set(stateDir, lock)
}

/** What a first start writes, and more. */
const ROOM_BYTES = 8 * 1024 ** 2

/** @throws if the disk is full, or a file of the database is damaged or cannot be written */
export function refuseUnwritableDatabase(stateDir: string): void {
  const { room } = stateFiles(stateDir)
  try {
    writeFileSync(room, Buffer.alloc(ROOM_BYTES))
    lockDatabases(stateDir)
  } catch (error) {
    throw new Error(`the database in ${stateDir} cannot be written (${reasonOf(error)}).`)
  } finally {
    rmSync(room, { force: true })
  }
}

/**
 * Locks each file of the database for a moment, against its readers, too: the runtime keeps them
 * open, but locks them only while it writes.
 */
function lockDatabases(stateDir: string): void {
  const { database } = stateFiles(stateDir)
  for (const name of globSync('*.sqlite', { cwd: database })) {
    lockFile(join(database, name), stateDir).close()
  }
}

/**
 * Locks by SQLite, because Node cannot lock files. The system releases the lock when the process
 * ends, however it ends.
 */
function lockFile(path: string, stateDir: string) {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive; begin immediate')
    return database
  } catch (error) {
    database.close()
    throw (error as { errcode?: number }).errcode === SQLITE_BUSY
      ? new InUseError(stateDir)
      : error
  }
}
