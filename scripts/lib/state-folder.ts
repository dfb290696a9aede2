import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DatabaseSync as Lock } from 'node:sqlite'
import { makeFolder, reasonOf, resolveFromCallerCwd } from './command-line.ts'
import { DatabaseSync, SQLITE_BUSY } from './sqlite.ts'

/**
 * The contents of the state folder: the runtime's data, where wrangler expects them, and in a
 * folder of our own, because others may keep files here too, the build of the Worker, the lock, the
 * ids of the processes that have it, a trial of the room on the disk, and a mark that the demo data
 * are still to be imported.
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
    holders: join(own, 'lock.json'),
    room: join(own, 'room'),
    pendingDemo: join(own, 'demo-data-pending'),
  }
}

/** Returns the folders of data that the runtime has made. */
export function runtimeFolders(stateDir: string): string[] {
  const { data } = stateFiles(stateDir)
  return globSync('*/miniflare-*', { cwd: data }).map((name) => join(data, name))
}

export function localStateDir(): string {
  const { STATE_DIR } = process.env
  return STATE_DIR ? resolveFromCallerCwd(STATE_DIR) : join('.wrangler', 'state')
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
  const { own, lock: path } = stateFiles(stateDir)
  makeFolder(stateDir)
  makeFolder(own)
  const lock = lockFile(path, stateDir, 'process')
  try {
    lockDatabases(stateDir)
  } catch (error) {
    if (error instanceof InUseError) {
      lock.close()
      throw error
    }
    // a damaged database does not keep a reset from deleting it
  }
  writeHolders(stateDir, { process: process.pid })
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

/** Notes the runtimes that this process starts, which outlive its `kill -9`. */
export function noteRuntimes(stateDir: string): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    child.once('spawn', () => {
      if (basename(child.spawnfile) !== 'workerd') return
      writeHolders(stateDir, { process: process.pid, runtime: child.pid })
    })
  })
  process.once('exit', () => rmSync(stateFiles(stateDir).holders, { force: true }))
}

/** The ids of the process that has a folder, and of its runtime. */
type Holders = { process?: number; runtime?: number | undefined }

function writeHolders(stateDir: string, holders: Holders): void {
  writeFileSync(stateFiles(stateDir).holders, JSON.stringify(holders))
}

/**
 * Locks each file of the runtime for a moment, against its readers, too: it keeps them open, but
 * locks them only while it writes.
 */
function lockDatabases(stateDir: string): void {
  for (const folder of runtimeFolders(stateDir)) {
    for (const name of globSync('*.sqlite', { cwd: folder })) {
      lockFile(join(folder, name), stateDir, 'runtime').close()
    }
  }
}

/**
 * Locks by SQLite, because Node cannot lock files. The system releases the lock when the process
 * ends, however it ends.
 */
function lockFile(path: string, stateDir: string, holder: keyof Holders): Lock {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive; begin immediate')
    return database
  } catch (error) {
    database.close()
    const { errcode } = error as { errcode?: number }
    throw errcode === SQLITE_BUSY ? new InUseError(stateDir, holder) : error
  }
}

/** Another process has the folder, or its database. */
class InUseError extends Error {
  constructor(stateDir: string, holder: keyof Holders) {
    const { holders } = stateFiles(stateDir)
    const known = existsSync(holders) && readFileSync(holders, 'utf8')
    const pid = (JSON.parse(known || '{}') as Holders)[holder]
    const reason = isRunning(pid)
      ? `process ${pid} uses ${stateDir}. End it (kill ${pid})`
      : `another program has the database in ${stateDir} open. Close it`
    super(`${reason}, or choose another folder with STATE_DIR.`)
  }
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}
