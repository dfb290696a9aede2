import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CLOCK_TICK_MS = 10

/** The resident memory of the child processes, mainly workerd, in KiB. Linux only. */
export const residentKib = () =>
  sumOfChildren('status', (text) => Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0))

/** The CPU time of the child processes in milliseconds. Linux only. */
export const cpuMilliseconds = () =>
  sumOfChildren('stat', (text) => {
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system] = [fields[11], fields[12]] // utime and stime, see proc_pid_stat(5)
    return (Number(user) + Number(system)) * CLOCK_TICK_MS
  })

function sumOfChildren(file: string, read: (text: string) => number): number {
  const pid = String(process.pid)
  const children = readFileSync(join('/proc', pid, 'task', pid, 'children'), 'utf8').trim()
  return children
    .split(' ')
    .filter(Boolean)
    .reduce((sum, child) => sum + read(readFileSync(join('/proc', child, file), 'utf8')), 0)
}
