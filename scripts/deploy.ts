import { execFileSync, spawnSync } from 'node:child_process'
import { unstable_readConfig as readConfig } from 'wrangler'

const NO_DATABASE = `Cannot deploy: the [[env.production.d1_databases]] of wrangler.toml has no database_id yet.
The section "Deploying to Cloudflare" of README.md tells how to make the database.`
const LOGGED_OUT = 'Nobody is logged in to Cloudflare: npm run wrangler -- login'

const args = process.argv.slice(2)
const isUpload = !['--dry-run', '--help', '-h'].some((option) => args.includes(option))

if (isUpload && !hasDatabase()) {
  console.error(NO_DATABASE)
  process.exitCode = 1
} else if (!deploy()) {
  if (isUpload && isLoggedOut()) console.error(LOGGED_OUT)
  process.exitCode = 1
}

/** Deploys: notes where the database can be brought back to, applies the migrations, uploads the Worker. */
function deploy(): boolean {
  const upload = () => wrangler('deploy', ...tag(), ...args)
  if (!isUpload) return upload()
  console.log('The database as it is now (npm run wrangler -- d1 time-travel restore …, see SECURITY.md):')
  return (
    wrangler('d1', 'time-travel', 'info', 'DB') &&
    wrangler('d1', 'migrations', 'apply', 'DB', '--remote') &&
    upload()
  )
}

/** Runs wrangler, which says itself why it fails; tells whether it did not. */
function wrangler(...command: string[]): boolean {
  const { status, error } = spawnSync('wrangler', [...command, '--env', 'production'], { stdio: 'inherit' })
  if (error) throw error
  return status === 0
}

/** Whether the zeros that stand in wrangler.toml have been replaced by the id of a database. */
function hasDatabase(): boolean {
  const { d1_databases } = readConfig({ config: 'wrangler.toml', env: 'production' })
  return d1_databases.every(({ database_id = '' }) => /[^0-]/.test(database_id))
}

/** Marks the version with its commit, so that it can be traced; `-dirty` where the files are not those of it. */
function tag(): string[] {
  if (args.some((argument) => /^--tag(=|$)/.test(argument))) return []
  const git = (...command: string[]) =>
    execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const commit = git('rev-parse', '--short', 'HEAD')
    return ['--tag', git('status', '--porcelain') === '' ? commit : `${commit}-dirty`]
  } catch {
    return [] // no repository, as where an archive was unpacked
  }
}

function isLoggedOut(): boolean {
  const env = { ...process.env, WRANGLER_LOG: 'log' } // a lower level would leave out the answer
  const { stdout } = spawnSync('wrangler', ['whoami', '--json'], { encoding: 'utf8', env })
  return /"loggedIn":\s*false/.test(stdout)
}
