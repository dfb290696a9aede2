import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './ports.ts'

/** A folder for a database, with what removes it. */
export function temporaryState() {
  const stateDir = mkdtempSync(join(tmpdir(), 'informer-state-'))
  return { stateDir, remove: () => rmSync(stateDir, { recursive: true, force: true }) }
}

/** Runs a script of package.json as a user does, in a process group of its own. */
export function npmRun(script: string, args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }))
  return { child, said, ended }
}

/** Starts the service as `npm start` does, by default on a free port, and waits until it listens. */
export async function startService(env: Record<string, string>, script: 'start' | 'dev' = 'start') {
  const { PORT: port = String(await freePort()) } = env
  const { child, said, ended } = npmRun(script, [], { ...env, PORT: port })
  let over = false
  ended.then(() => {
    over = true
  })
  const deadline = Date.now() + 100_000
  while (!said.stdout.includes('Ctrl-C ends it')) {
    if (over || Date.now() > deadline) throw new Error(`not started: ${said.stdout}${said.stderr}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    said,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** What Ctrl-C does: SIGINT to everything in the foreground. */
    interrupt: () => {
      signalGroup(child, 'SIGINT')
      return ended
    },
    /** What a supervisor does: SIGTERM to the process that it started, npm. */
    terminate: () => {
      child.kill('SIGTERM')
      return ended
    },
    /** What a power cut does: neither workerd nor what started it can finish anything. */
    kill: () => {
      signalGroup(child, 'SIGKILL')
      return ended
    },
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal)
}
