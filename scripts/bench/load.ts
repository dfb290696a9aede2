import { connect } from 'node:net'

export type Load = {
  count: number
  seconds: number
  /** Milliseconds from a request to the end of its response. */
  p50: number
  p99: number
  /** The different statuses. */
  statuses: number[]
  /** Connections that broke off. */
  failed: number
}

/**
 * Sends requests over persistent connections, each as soon as the previous response is complete. A general-purpose
 * client used as much CPU as the service itself. Supports only responses with a `Content-Length`, as the service sends.
 *
 * @param next the text of the next request (`requestText`)
 * @param options.seconds how long to send; 0 means one request per connection
 */
export async function generateLoad(
  url: URL,
  next: () => string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const statuses = new Set<number>()
  const times: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  const closed = Array.from({ length: connections }, () =>
    runConnection(url, next, end, (status, milliseconds) => {
      statuses.add(status)
      times.push(milliseconds)
    }),
  )
  const failed = (await Promise.all(closed)).filter((isDone) => !isDone).length
  const elapsed = (performance.now() - start) / 1000
  times.sort((one, other) => one - other)
  const percentile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  return {
    count: times.length,
    seconds: elapsed,
    p50: percentile(0.5),
    p99: percentile(0.99),
    statuses: [...statuses],
    failed,
  }
}

/** Sends one request, and more until the end time, over one connection; returns whether it stayed open. */
function runConnection(
  { hostname, port }: URL,
  next: () => string,
  end: number,
  received: (status: number, milliseconds: number) => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname).setNoDelay()
    let missing = 0
    let status = 0
    let sentAt = 0
    const send = () => {
      const isFirst = sentAt === 0
      sentAt = performance.now()
      if (isFirst || sentAt < end) return socket.write(next())
      socket.destroy()
      resolve(true)
    }
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      if (missing === 0) {
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4)
        status = Number(head.slice(9, 12))
        missing = head.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
      }
      missing -= chunk.length
      if (missing > 0) return
      if (missing !== 0) socket.destroy(new Error('a response without a length'))
      received(status, performance.now() - sentAt)
      send()
    })
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
  })
}

/** The text of a GET request. */
export function requestText(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${[`GET ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}
