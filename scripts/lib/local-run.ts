import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

export const HOST = '127.0.0.1'

/**
 * Listens on a port briefly, by default on one that systems take for no outgoing connection, and
 * returns it.
 * @throws if the port is not free
 */
export async function freePort(port = randomInt(20_000, 30_000)): Promise<number> {
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  return port
}
