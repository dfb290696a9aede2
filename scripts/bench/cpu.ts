import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CLOCK_TICK_MS = 10

/** The CPU time of the child processes in milliseconds. Linux only. */
export function cpuMilliseconds(): number {
  const pid = String(process.pid)
  const children = readFileSync(join('/proc', pid, 'task', pid, 'children'), 'utf8')
    .trim()
    .split(' ')
  return children.filter(Boolean).reduce((sum, child) => sum + cpuOf(child), 0)
}

function cpuOf(pid: string): number {
  const text = readFileSync(join('/proc', pid, 'stat'), 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]] // utime and stime, see proc_pid_stat(5)
  return (Number(user) + Number(system)) * CLOCK_TICK_MS
}
