import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { makeFolder, resolveFromCallerCwd } from './command-line.ts'

export const HOST = '127.0.0.1'

/**
 * Listens on a port briefly, by default on one that systems take for no outgoing connection, and returns it.
 * @throws if the port is not free
 */
export async function freePort(port = randomInt(20_000, 30_000)): Promise<number> {
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  return port
}

/** The contents of the state folder: the database, the build of the Worker, the lock, and that the demo data are due. */
export const stateFiles = (stateDir: string) => ({
  database: join(stateDir, 'v3'),
  build: join(stateDir, 'build'),
  lock: join(stateDir, 'in-use'),
  pendingDemo: join(stateDir, 'demo-data-pending'),
})

/** The state folder. */
export const localStateDir = () =>
  process.env.STATE_DIR ? resolveFromCallerCwd(process.env.STATE_DIR) : join('.wrangler', 'state')

const locked = new Set<string>()

/**
 * Creates the state folder and locks it until this process ends. From then on, what this process and its children write is
 * readable by this user alone: the database, and emails with valid links.
 * @throws if the folder cannot be written or another process uses it
 */
export async function lockStateDir(stateDir: string): Promise<void> {
  if (locked.has(stateDir)) return
  process.umask(0o077)
  makeFolder(stateDir)
  const { database } = stateFiles(stateDir)
  if (existsSync(database)) chmodSync(database, 0o700) // of a version that did not mind
  const lock = relative('.', stateFiles(stateDir).lock) // socket paths are limited to about 100 bytes
  if (await isListening(lock))
    throw new Error(
      `another process uses ${stateDir}. End it, or choose another folder with STATE_DIR.`,
    )
  rmSync(lock, { force: true }) // left by a killed process
  await once(createServer().listen(lock).unref(), 'listening')
  locked.add(stateDir)
}

/** A socket closes when its process ends, even if killed; a PID file would remain. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path)
  const event = await once(socket, 'connect').catch(() => null)
  socket.destroy()
  return event !== null
}
