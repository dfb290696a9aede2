import { once } from 'node:events'
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { callerPath } from './command-line.ts'

/** What is in the folder of the local state: the database, the build of the Worker, and a sign that it is in use. */
export const stateFiles = (stateDir: string) => ({
  database: join(stateDir, 'v3'),
  build: join(stateDir, 'build'),
  lock: join(stateDir, 'in-use'),
})

/** The folder of the local state. */
export const localStateDir = () =>
  process.env.STATE_DIR ? callerPath(process.env.STATE_DIR) : join('.wrangler', 'state')

const claimed = new Set<string>()

/**
 * Makes the folder of the local state, for this process alone until it ends or releases the folder.
 *
 * @returns what releases it, where this process had not claimed it before
 * @throws where it cannot be made or written, or another process uses it
 */
export async function claimStateDir(stateDir: string): Promise<() => void> {
  if (claimed.has(stateDir)) return () => undefined
  try {
    mkdirSync(stateDir, { recursive: true })
    accessSync(stateDir, constants.W_OK)
  } catch (error) {
    throw new Error(`the folder ${stateDir} cannot be written (${(error as NodeJS.ErrnoException).code}).`)
  }
  const lock = relative('.', stateFiles(stateDir).lock) // the path of a socket may have about 100 bytes
  if (await isListening(lock))
    throw new Error(`another process uses ${stateDir}. End it, or choose another folder with STATE_DIR.`)
  rmSync(lock, { force: true }) // of a process that was killed
  const server = createServer().listen(lock).unref()
  await once(server, 'listening')
  claimed.add(stateDir)
  return () => {
    server.close()
    claimed.delete(stateDir)
  }
}

/** A socket ends with its process, however that ends; a file with a process id would not. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
