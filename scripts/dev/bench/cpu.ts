import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { QUIET, serve } from '../../lib/local-server.ts'

/** Serves a Worker in a new process, with the id of that process, until `work` has ended. */
export async function withProcess<Result>(
  worker: Parameters<typeof serve>[0],
  stateDir: string,
  work: (url: URL, pid: number) => Promise<Result>,
): Promise<Result> {
  const others = runtimes()
  const { url, miniflare } = await serve(worker, stateDir, QUIET)
  try {
    const pid = runtimes().find((one) => !others.includes(one)) ?? 0
    return await work(url, pid)
  } finally {
    await miniflare.dispose()
  }
}

/** The ids of the runtimes that this process has started: proc_pid_children(5). */
function runtimes(): number[] {
  const { pid } = process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const isRuntime = (id: string) =>
    basename(readFileSync(`/proc/${id}/comm`, 'utf8').trim()) === 'workerd'
  return children.split(' ').filter(Boolean).filter(isRuntime).map(Number)
}

/** Returns the CPU time of a process in milliseconds, once it rests, or after three seconds. */
export async function settledCpu(pid: number): Promise<number> {
  let time = cpuOf(pid)
  let resting = 0
  for (let looks = 0; looks < 200 && resting < 3; looks++) {
    await sleep(15)
    const now = cpuOf(pid)
    resting = now - time < 0.2 ? resting + 1 : 0
    time = now
  }
  return time
}

/** The CPU time of all threads of a process: proc_pid_schedstat, in nanoseconds. */
function cpuOf(pid: number): number {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [time = 0] = readFileSync(
      `/proc/${pid}/task/${thread}/schedstat`,
      'utf8',
    ).split(' ')
    return Number(time)
  })
  return times.reduce((sum, time) => sum + time, 0) / 1e6
}
