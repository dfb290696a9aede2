import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export const HOST = '127.0.0.1'

/**
 * Listens on a port briefly, by default on any that is free, and returns it.
 * @throws if the port is not free
 */
export async function freePort(port = 0): Promise<number> {
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return address.port
}

/** @throws if the port is not free; the message suggests one that is */
export async function assertFree(port: number): Promise<void> {
  await freePort(port).catch(async ({ code }: NodeJS.ErrnoException) => {
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
    throw new Error(`port ${port} ${reason}. Choose another: PORT=${await freePort()} npm start`)
  })
}
