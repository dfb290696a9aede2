import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

export const HOST = '127.0.0.1'

/**
 * Returns a port after listening on it briefly; by default one outside the range of outgoing
 * connections.
 * @throws if the port is not free
 */
export async function freePort(port = randomInt(20_000, 30_000)): Promise<number> {
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  return port
}
