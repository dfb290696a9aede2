import { readFileSync } from 'node:fs'
import autocannon, { type Request } from 'autocannon'

/** Where a server listens, and its processes. */
export type Target = { url: URL; pids: number[] }

/** Requests a second as the client sees them, and the CPU of the server for one in milliseconds. */
export type Figures = { speed: number; cpu: number }

/** The length of a load: a number of seconds or of requests. */
export type Length = { duration: number } | { amount: number }

/** How often autocannon checks its duration. */
const SAMPLE_MS = 50

/**
 * Sends requests over persistent connections, each as soon as the previous response is complete.
 * @throws if a response is not a 2xx, or a connection breaks off
 */
export async function generateLoad(
  { url, pids }: Target,
  request: Request,
  connections: number,
  length: Length,
): Promise<Figures> {
  const before = cpuMilliseconds(pids)
  const result = await autocannon({
    url: url.origin,
    requests: [request],
    connections,
    ...length,
    sampleInt: SAMPLE_MS,
  })
  const count = result['2xx']
  if (result.non2xx + result.errors > 0 || count === 0) {
    const { statusCodeStats, errors } = result
    throw new Error(`responses: ${JSON.stringify(statusCodeStats)}, errors: ${errors}`)
  }
  return { speed: count / result.duration, cpu: (cpuMilliseconds(pids) - before) / count }
}

/** The child processes of this one. Linux only, see proc_pid_children(5). */
export function childPids(): number[] {
  const { pid } = process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

const CLOCK_TICK_MS = 10

/** The CPU time of processes in milliseconds: utime and stime of proc_pid_stat(5). */
function cpuMilliseconds(pids: number[]): number {
  const ticks = pids.flatMap((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [Number(fields[11]), Number(fields[12])]
  })
  return ticks.reduce((sum, time) => sum + time, 0) * CLOCK_TICK_MS
}
