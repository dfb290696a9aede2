import { execFileSync, spawnSync } from 'node:child_process'
import { resolveFromCallerCwd, runCommand } from './lib/command-line.ts'
import { deployedDatabaseId, readConfiguration } from './lib/configuration.ts'
import { enableReadReplication } from './lib/read-replication.ts'

const USAGE = `Usage: npm run deploy -- [--dry-run] [--outdir DIR] [--tag TAG]
Prints the restore point of the database, applies the migrations, uploads the Worker and enables read replication.
The version is tagged with its commit.
  --dry-run  builds but uploads nothing
  --outdir   the folder of the build`

/** Settings of emails. A link with a valid token must never point to a foreign host. */
const EMAIL_SETTINGS = ['EMAIL_FROM', 'EMAIL_VERIFICATION_URL', 'PASSWORD_RESET_URL']
const EXAMPLE = /[@./]example\.(com|net|org)\b/

const options = {
  'dry-run': { type: 'boolean', default: false },
  outdir: { type: 'string' },
  tag: { type: 'string' },
} as const

await runCommand({ verb: 'deploy', usage: USAGE, options }, async (values) => {
  const outdir = values.outdir ? ['--outdir', resolveFromCallerCwd(values.outdir)] : []
  if (values['dry-run']) return wrangler('deploy', '--dry-run', ...outdir)
  const databaseId = deployedDatabaseId()
  assertEmailSettings()
  console.log(
    'Restore point of the database (npm run wrangler -- d1 time-travel restore …, see SECURITY.md):',
  )
  wrangler('d1', 'time-travel', 'info', 'DB')
  wrangler('d1', 'migrations', 'apply', 'DB', '--remote')
  const tag = values.tag ?? commitTag()
  wrangler('deploy', ...(tag ? ['--tag', tag] : []), ...outdir)
  console.log(await enableReadReplication(databaseId))
})

/** @throws if emails are sent and their settings still contain example hosts */
function assertEmailSettings(): void {
  const { vars, send_email } = readConfiguration()
  const examples = EMAIL_SETTINGS.filter((name) => EXAMPLE.test(String(vars[name])))
  if (send_email.length === 0 || examples.length === 0) return
  throw new Error(
    `wrangler.toml still has an example host in ${examples.join(', ')}. Set your own, or remove [[send_email]].`,
  )
}

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
