import { execFileSync } from 'node:child_process'
import { FLAG, makeFolder, runCommand, TEXT } from '../lib/command-line.ts'
import { configurationProblems } from '../lib/configuration-problems.ts'
import {
  bindingsOf,
  type Configuration,
  readConfiguration,
  settingsProblems,
} from '../lib/configuration.ts'
import { RESTORE_GUIDE } from '../lib/guides.ts'
import { LIST_APPLIED, unknownInOutput } from '../lib/migrations.ts'
import { readFromWrangler, wrangler } from '../lib/wrangler.ts'

const USAGE = `Usage: npm run deploy -- [--env ENVIRONMENT] [--dry-run]
Checks the settings, lists the groups that have cover texts, prints the restore point of the
database, applies the migrations and uploads the Worker. A database that knows migrations which the
checkout does not have is left alone. The tag of the version is its commit.
  --env      an environment of wrangler.toml instead of production, such as staging;
             CLOUDFLARE_ENV is not read
  --dry-run  builds, and prints what would be uploaded; exits with 1 if something prevents it`

/** Replaces the deployed secret, which cannot be read back. */
const ANY_SECRET = { JWT_SECRET: 'x'.repeat(32) }

const command = {
  verb: 'deploy',
  usage: USAGE,
  options: { 'dry-run': FLAG, env: TEXT },
}

await runCommand(command, ({ 'dry-run': isDryRun, env = '' }) => {
  makeFolder('.wrangler')
  const configuration = readConfiguration(env)
  const problems = [
    ...configurationProblems(env, true),
    ...settingsProblems({
      ...configuration.vars,
      ...ANY_SECRET,
      ...bindingsOf(configuration),
    }),
  ]
  const environment = `--env=${env}` // without it, wrangler reads CLOUDFLARE_ENV, also of .env
  if (isDryRun) return rehearse(configuration, environment, problems)

  if (problems.length > 0) throw new Error(problems.join('\n'))
  printCoveredGroups(configuration)
  console.log(
    'Restore point of the database (npm run wrangler -- d1 time-travel restore …, ' +
      `see ${RESTORE_GUIDE}):`,
  )
  wrangler('d1', 'time-travel', 'info', 'DB', environment)
  refuseOlderCheckout(environment)
  wrangler('d1', 'migrations', 'apply', 'DB', '--remote', environment)
  wrangler('deploy', ...commitTag(), environment)
})

/** Builds the Worker, and prints what would be uploaded and what prevents it. */
function rehearse(
  configuration: Configuration,
  environment: string,
  problems: string[],
): void {
  const { name, d1_databases } = configuration
  const databases = d1_databases.map(({ database_id }) => database_id).join(', ')
  console.log(
    `Nothing is uploaded. npm run deploy would apply the migrations to the database ${databases}, ` +
      `and upload ${name}:`,
  )
  printCoveredGroups(configuration)
  wrangler('deploy', '--dry-run', environment)
  for (const problem of problems) {
    console.error(`npm run deploy would refuse this: ${problem}`)
    process.exitCode = 1
  }
}

/** Any other group shows no confidentiality line. */
function printCoveredGroups({ vars: { COVER_TEXTS } }: Configuration): void {
  const names = Object.keys(COVER_TEXTS ?? {})
  console.log(`Groups with cover texts (COVER_TEXTS): ${names.join(', ') || 'none'}`)
}

/**
 * Code that lacks some of a database's migrations may write wrong data.
 * @throws naming the migrations that only the database has
 */
function refuseOlderCheckout(environment: string): void {
  const list = ['d1', 'execute', 'DB', '--remote', '--json', '--command', LIST_APPLIED]
  const unknown = unknownInOutput(readFromWrangler(...list, environment))
  if (unknown.length > 0) {
    throw new Error(
      `the database is of a later version than this checkout: it has ${unknown.join(', ')}. ` +
        'Deploy a checkout that has this too; npm run wrangler -- rollback brings back earlier ' +
        'code.',
    )
  }
}

/**
 * Returns the commit of the version, with `-dirty` for changed and new files; nothing outside a
 * repository.
 */
function commitTag(): string[] {
  try {
    const suffix = git('status', '--porcelain') ? '-dirty' : ''
    return ['--tag', git('rev-parse', '--short', 'HEAD') + suffix]
  } catch {
    return []
  }
}

function git(...command: string[]): string {
  const output = execFileSync('git', command, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return output.trim()
}
