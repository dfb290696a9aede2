import { resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { pushHistory } from './changelog/changelog-history.ts'
import { readLocalHistory } from './changelog/local-history.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'

const USAGE = `Usage: npm run changelog:sync -- BASE_URL --login EMAIL [--repo DIR]
Sends the git history of a folder, by default this one, to the service at BASE_URL, which ends
in /v1. Safe to repeat.
${LOGIN_USAGE}`

const command = {
  verb: 'sync',
  usage: USAGE,
  options: {
    repo: { ...TEXT, default: '.' },
    ...LOGIN_OPTIONS,
  },
  arguments: ['BASE_URL'],
} as const

await runCommand(command, async ({ repo, ...login }, [baseUrl = '']) => {
  const history = readLocalHistory(resolveFromCallerCwd(repo))
  const service = await authenticate(baseUrl, login)

  let imported = 0
  let skipped = 0
  await pushHistory(service, history, (result) => {
    imported += result.imported
    skipped += result.skipped
    console.log(`${imported + skipped} of ${history.commits.length} commits`)
  })
  console.log(
    `${imported} imported as drafts, ${skipped} skipped (merges and known commits).`,
  )
})
