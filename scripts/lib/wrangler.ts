import './wrangler-environment.ts'
import { execFile, spawnSync, type StdioOptions } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs wrangler, which prints its results and errors. */
export function wrangler(...args: string[]): void {
  check(args, run(args, 'inherit'))
}

/** Runs wrangler and returns its output, which is printed on failure. */
export function readFromWrangler(...args: string[]): string {
  const ended = run(args, ['inherit', 'pipe', 'inherit'])
  if (ended.status) {
    console.error(ended.stdout.trim())
  }
  check(args, ended)
  return ended.stdout
}

/**
 * Runs wrangler beside other work, with the configuration of production; its output is shown only
 * on failure.
 */
export async function runQuietly(...args: string[]): Promise<void> {
  const env = { ...process.env, CI: 'true' } // asks nothing
  try {
    await promisify(execFile)('wrangler', [...args, '--env='], { env })
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string }
    throw new Error(`${message}\n${stdout}`)
  }
}

function run(args: string[], stdio: StdioOptions) {
  const env = { ...process.env, WRANGLER_LOG: 'log' } // a lower level hides results
  return spawnSync('wrangler', args, { encoding: 'utf8', env, stdio })
}

/** @throws naming the step that failed */
function check(args: string[], { status, error }: ReturnType<typeof run>): void {
  if (error) throw error
  if (status === 0) return

  const step = args.filter((arg) => !arg.includes(' ')).join(' ') // without SQL
  throw new Error(`wrangler ${step} failed. Not logged in? npm run wrangler -- login`)
}
