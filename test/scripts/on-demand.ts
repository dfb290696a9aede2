import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Makes something once for all files, when the first of them asks for it.
 * @param make resolves to what tells a file where it is
 */
export async function serveOnDemand(make: () => Promise<string>) {
  let made: Promise<string> | undefined
  const server = createServer((_, response) => {
    made ??= make()
    made.then(
      (place) => response.end(place),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,

    /** Ends it, and waits until what was asked for is made; who asked was told if it is not. */
    async close() {
      server.close()
      await made?.catch(() => undefined)
    },
  }
}

/** Asks for it, in a test. */
export async function askFor(url: string): Promise<string> {
  const response = await fetch(url)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
