import { execFileSync } from 'node:child_process'

/** Deploys: notes where the database can be brought back to, applies the migrations, uploads the Worker. */
const args = process.argv.slice(2)
const wrangler = (...command: string[]) =>
  execFileSync('wrangler', [...command, '--env', 'production'], { stdio: 'inherit' })

try {
  if (!args.includes('--dry-run')) {
    console.log('The database as it is now (npm run wrangler -- d1 time-travel restore …, see SECURITY.md):')
    wrangler('d1', 'time-travel', 'info', 'DB')
    wrangler('d1', 'migrations', 'apply', 'DB', '--remote')
  }
  wrangler('deploy', ...args)
} catch {
  process.exitCode = 1 // wrangler has said why
}
