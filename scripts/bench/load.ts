import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/** Requests a second, and in milliseconds the CPU of a request and the latencies. */
export type Figures = Awaited<ReturnType<typeof generateLoad>>

/**
 * Sends requests over persistent connections, each as soon as the previous response is complete. A
 * general-purpose client used as much CPU as the service itself. Supports only responses with a
 * `Content-Length`, as the service sends.
 * @param next the text of the next request (`requestText`)
 * @param seconds how long to send
 * @throws if a response is not a 200, or a connection breaks off
 */
export async function generateLoad(
  url: URL,
  next: () => string,
  connections: number,
  seconds: number,
) {
  const times: number[] = []
  const cpuBefore = cpuMilliseconds()
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, () => runConnection(url, next, end, times)),
  )
  const speed = (times.length * 1000) / (performance.now() - start)
  times.sort((one, other) => one - other)
  const percentile = (part: number) =>
    times[Math.floor(times.length * part)] ?? Number.NaN
  const cpu = (cpuMilliseconds() - cpuBefore) / times.length
  return {
    speed,
    cpu,
    p50: percentile(0.5),
    p99: percentile(0.99),
  }
}

/** Sends one request, and more until the end time, over one connection; adds how long each took. */
function runConnection(
  { hostname, port }: URL,
  next: () => string,
  end: number,
  times: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname).setNoDelay()
    let missing = 0
    let sentAt = 0
    const send = () => {
      sentAt = performance.now()
      socket.write(next())
    }
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      if (missing === 0) {
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4)
        if (!head.startsWith('HTTP/1.1 200 ')) {
          return socket.destroy(new Error(head))
        }
        missing = head.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
      }
      missing -= chunk.length
      if (missing > 0) {
        return
      }
      if (missing !== 0) {
        return socket.destroy(new Error('a response without a length'))
      }
      const now = performance.now()
      times.push(now - sentAt)
      if (now < end) {
        return send()
      }
      resolve()
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the connection broke off')))
  })
}

/** The text of a GET request. */
export function requestText(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${[`GET ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}

const CLOCK_TICK_MS = 10

/**
 * The CPU time of the child processes in milliseconds: utime and stime of proc_pid_stat(5). Linux
 * only.
 */
function cpuMilliseconds(): number {
  const { pid } = process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
  const ticks = children.filter(Boolean).flatMap((child) => {
    const stat = readFileSync(`/proc/${child}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [Number(fields[11]), Number(fields[12])]
  })
  return ticks.reduce((sum, time) => sum + time, 0) * CLOCK_TICK_MS
}
