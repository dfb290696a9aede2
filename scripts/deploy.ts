import { execFileSync, spawnSync } from 'node:child_process'
import { callerPath, runCommand } from './lib/command-line.ts'
import { deployedDatabaseId, readConfiguration } from './lib/configuration.ts'
import { replicateReads } from './lib/read-replication.ts'

const USAGE = `Usage: npm run deploy -- [--dry-run] [--outdir DIR] [--tag TAG]
Notes where the database can be brought back to, applies the migrations, uploads the Worker and switches the
replicas of the database on. The version is tagged with its commit.
  --dry-run  builds the same and uploads nothing
  --outdir   the folder that the build is written to`

/** What an email needs: a link with a live token must never lead to another's host. */
const EMAIL_SETTINGS = ['EMAIL_FROM', 'EMAIL_VERIFICATION_URL', 'PASSWORD_RESET_URL']
const EXAMPLE = /[@./]example\.(com|net|org)\b/

const options = {
  'dry-run': { type: 'boolean', default: false },
  outdir: { type: 'string' },
  tag: { type: 'string' },
} as const

await runCommand({ verb: 'deploy', usage: USAGE, options }, async (values) => {
  const outdir = values.outdir ? ['--outdir', callerPath(values.outdir)] : []
  if (values['dry-run']) return wrangler('deploy', '--dry-run', ...outdir)
  const databaseId = deployedDatabaseId()
  assertEmailSettings()
  console.log('The database as it is now (npm run wrangler -- d1 time-travel restore …, see SECURITY.md):')
  wrangler('d1', 'time-travel', 'info', 'DB')
  wrangler('d1', 'migrations', 'apply', 'DB', '--remote')
  const tag = values.tag ?? commitTag()
  wrangler('deploy', ...(tag ? ['--tag', tag] : []), ...outdir)
  console.log(await replicateReads(databaseId))
})

/** @throws naming the settings of emails that are examples still, where emails are sent */
function assertEmailSettings(): void {
  const { vars, send_email } = readConfiguration()
  const examples = EMAIL_SETTINGS.filter((name) => EXAMPLE.test(String(vars[name])))
  if (send_email.length === 0 || examples.length === 0) return
  throw new Error(
    `wrangler.toml still names an example host in ${examples.join(', ')}. Set your own, or remove [[send_email]].`,
  )
}

/** Runs wrangler, which says itself why it fails. */
function wrangler(...args: string[]): void {
  const { status, error } = spawnSync('wrangler', args, { stdio: 'inherit' })
  if (error) throw error
  if (status !== 0)
    throw new Error(
      `wrangler ${args.join(' ')} failed.${isLoggedOut() ? ' Nobody is logged in: npm run wrangler -- login' : ''}`,
    )
}

function isLoggedOut(): boolean {
  const env = { ...process.env, WRANGLER_LOG: 'log' } // a lower level would leave out the result
  const { stdout } = spawnSync('wrangler', ['whoami', '--json'], { encoding: 'utf8', env })
  return /"loggedIn":\s*false/.test(stdout)
}

/** The commit of a version, so that it can be traced; `-dirty` where the files are not those of it. */
function commitTag(): string | null {
  const git = (...command: string[]) =>
    execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const commit = git('rev-parse', '--short', 'HEAD')
    return git('status', '--porcelain') === '' ? commit : `${commit}-dirty`
  } catch {
    return null // no repository, as where an archive was unpacked
  }
}
