import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, HOST } from '../lib/local-run.ts'

/** Creates a temporary state folder, with a function to remove it. */
export function temporaryState() {
  const stateDir = mkdtempSync(join(tmpdir(), 'informer-state-'))
  return {
    stateDir,
    remove: () => rmSync(stateDir, { recursive: true, force: true }),
  }
}

/** Runs a script of package.json like a user, in its own process group. */
function npmRun(script: string, env: Record<string, string>, cwd = '.') {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd,
    detached: true,
    env: { ...process.env, ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk) => {
      output[stream] += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    ...output,
  }))
  return { child, output, ended }
}

/** Runs `npm start`, by default on a free port, and waits until the service listens. */
export async function startService(
  env: Record<string, string>,
  script: 'start' | 'dev' = 'start',
  checkout = '.',
) {
  const { PORT = String(await freePort()) } = env
  const { child, output, ended } = npmRun(script, { ...env, PORT }, checkout)
  const deadline = Date.now() + 100_000
  while (!output.stdout.includes('Ctrl-C ends it')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`not started: ${output.stdout}${output.stderr}`)
    }
    await sleep(50)
  }
  const signalGroup = (signal: NodeJS.Signals) => {
    process.kill(-Number(child.pid), signal)
    return ended
  }
  return {
    output,
    ended,
    baseUrl: `http://${HOST}:${PORT}/v1`,
    /** Like Ctrl-C. */
    interrupt: () => signalGroup('SIGINT'),
    /** Like a supervisor: SIGTERM to npm, the process it started. */
    terminate: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}
