import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy to a service that can change how POST requests are handled. */
export async function withProxy<Result>(
  service: string,
  interfere: (
    count: number,
    response: ServerResponse,
    forward: () => Promise<void>,
  ) => Promise<unknown>,
  work: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  let count = 0
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    const forward = async () => {
      const upstream = await fetch(new URL(request.url ?? '', service), {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).filter(
          ([name]) => !/^(host|connection|content-length)$/.test(name),
        ) as [string, string][],
        ...(body.length > 0 ? { body } : {}),
      })
      if (!response.headersSent && !response.destroyed)
        response.writeHead(upstream.status, { 'Content-Type': 'application/json' })
      response.end(await upstream.text())
    }
    if (request.method !== 'POST') return forward()
    count += 1
    await interfere(count, response, forward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.close()
  }
}
