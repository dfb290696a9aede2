import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export const HOST = '127.0.0.1'

/** A free port. */
export const freePort = () => listenBriefly(0)

/** @throws if the port is not free; the message suggests one that is */
export async function assertFree(port: number): Promise<void> {
  try {
    await listenBriefly(port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
    throw new Error(`port ${port} ${reason}. Choose another: PORT=${await freePort()} npm start`)
  }
}

/** Listens on a port briefly; 0 means any free port. Returns the port. */
async function listenBriefly(port: number): Promise<number> {
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
