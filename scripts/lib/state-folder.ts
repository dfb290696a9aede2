import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, reasonOf, resolveFromCallerCwd } from './command-line.ts'
import { DatabaseSync } from './sqlite.ts'

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

export function localStateDir(): string {
  const { STATE_DIR } = process.env
  return STATE_DIR ? resolveFromCallerCwd(STATE_DIR) : join('.wrangler', 'state')
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
  const { own, lock } = stateFiles(stateDir)
  makeFolder(stateDir)
  makeFolder(own)
  try {
    locks.set(stateDir, lockFile(lock))
  } catch (error) {
    throw new Error(
      `another process uses ${stateDir} (${reasonOf(error)}). End it, or choose another folder ` +
        'with STATE_DIR.',
    )
  }
}

/** What a first start writes, and more. */
const ROOM_BYTES = 8 * 1024 ** 2

/** @throws if the disk is full, or a file of the database is damaged or open elsewhere */
export function refuseUnwritableDatabase(stateDir: string): void {
  const { data, room } = stateFiles(stateDir)
  try {
    writeFileSync(room, Buffer.alloc(ROOM_BYTES))
    for (const name of globSync('*/miniflare-*/*.sqlite', { cwd: data })) {
      lockFile(join(data, name)).close()
    }
  } catch (error) {
    throw new Error(`the database in ${stateDir} cannot be written (${reasonOf(error)}).`)
  } finally {
    rmSync(room, { force: true })
  }
}

/**
 * Locks a file by SQLite, because Node cannot lock files. The system releases the lock when the
 * process ends, however it ends. Fails also if others only read: the runtime keeps its files open,
 * but locks them only while it writes.
 */
function lockFile(path: string) {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive; begin immediate')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
