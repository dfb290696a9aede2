import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  forward: () => Promise<void>,
) => Promise<unknown>

/** A proxy to a service, which handles some requests in its own way. */
export async function withServer<Result>(
  service: string,
  handle: Handler,
  work: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    const forward = async () => {
      const upstream = await fetch(new URL(request.url ?? '', service), {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        ...(body.length > 0 ? { body } : {}),
      })
      const text = await upstream.text()
      if (!response.headersSent && !response.destroyed) {
        response.writeHead(upstream.status, { 'Content-Type': 'application/json' })
      }
      response.end(text)
    }
    await handle(request, response, forward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.close()
  }
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.entries(headers).filter(
    ([name]) => !/^(host|connection|content-length)$/.test(name),
  ) as [string, string][]

/** A proxy to a service that can change how POST requests are handled. */
export function withProxy<Result>(
  service: string,
  interfere: (
    count: number,
    response: ServerResponse,
    forward: () => Promise<void>,
  ) => Promise<unknown>,
  work: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  let count = 0
  const handle: Handler = ({ method }, response, forward) => {
    if (method !== 'POST') return forward()
    count += 1
    return interfere(count, response, forward)
  }
  return withServer(service, handle, work)
}

/** A proxy that loses a request in so many: by turns before and after it arrives. */
export async function withLossyProxy<Result>(
  service: string,
  every: number,
  work: (baseUrl: string) => Promise<Result>,
): Promise<{ result: Result; lost: number }> {
  let count = 0
  const handle: Handler = async ({ socket }, _, forward) => {
    count += 1
    if (count % every > 0) return forward()
    socket.destroy()
    const arrives = count % (2 * every) > 0
    if (arrives) await forward()
  }
  const result = await withServer(service, handle, work)
  return { result, lost: Math.floor(count / every) }
}
