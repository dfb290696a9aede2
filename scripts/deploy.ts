import { execFileSync, spawnSync } from 'node:child_process'
import { resolveFromCallerCwd, runCommand } from './lib/command-line.ts'
import { checkDeployment } from './lib/deployment-settings.ts'

const USAGE = `Usage: npm run deploy -- [--dry-run] [--outdir DIR] [--tag TAG]
Checks the settings, prints the restore point of the database, applies the migrations and uploads the Worker.
  --dry-run  builds but uploads nothing
  --outdir   the folder of the build
  --tag      the tag of the version, by default its commit`

const options = {
  'dry-run': { type: 'boolean', default: false },
  outdir: { type: 'string' },
  tag: { type: 'string' },
} as const

await runCommand({ verb: 'deploy', usage: USAGE, options }, (values) => {
  const outdir = values.outdir ? ['--outdir', resolveFromCallerCwd(values.outdir)] : []
  if (values['dry-run']) return wrangler('deploy', '--dry-run', ...outdir)
  checkDeployment()
  console.log('Restore point of the database (npm run wrangler -- d1 time-travel restore …, see SECURITY.md):')
  wrangler('d1', 'time-travel', 'info', 'DB')
  wrangler('d1', 'migrations', 'apply', 'DB', '--remote')
  const tag = values.tag ?? commitTag()
  wrangler('deploy', ...(tag ? ['--tag', tag] : []), ...outdir)
})

/** Runs wrangler, which prints its own errors. */
function wrangler(...args: string[]): void {
  const { status, error } = spawnSync('wrangler', args, { stdio: 'inherit' })
  if (error) throw error
  if (status !== 0)
    throw new Error(
      `wrangler ${args.join(' ')} failed.${isLoggedOut() ? ' Not logged in: npm run wrangler -- login' : ''}`,
    )
}

function isLoggedOut(): boolean {
  const env = { ...process.env, WRANGLER_LOG: 'log' } // a lower level would hide the result
  const { stdout } = spawnSync('wrangler', ['whoami', '--json'], { encoding: 'utf8', env })
  return /"loggedIn":\s*false/.test(stdout)
}

/** The commit of the version, with `-dirty` for uncommitted changes; null outside a repository. */
function commitTag(): string | null {
  const git = (...command: string[]) =>
    execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const commit = git('rev-parse', '--short', 'HEAD')
    return git('status', '--porcelain') === '' ? commit : `${commit}-dirty`
  } catch {
    return null
  }
}
