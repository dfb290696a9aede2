import { pushHistory } from './lib/changelog-history.ts'
import { resolveFromCallerCwd, runCommand, TEXT } from './lib/command-line.ts'
import { readLocalHistory } from './lib/local-history.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './lib/login.ts'

const USAGE = `Usage: npm run changelog:sync -- BASE_URL --login EMAIL [--repo DIR]
Sends the git history of a folder, by default this one, to the service at BASE_URL, which ends in /v1.
Safe to repeat.
${LOGIN_USAGE}`

const options = { repo: { ...TEXT, default: '.' }, ...LOGIN_OPTIONS } as const
const command = { verb: 'sync', usage: USAGE, options, arguments: ['BASE_URL'] }

await runCommand(command, async ({ repo, ...values }, [baseUrl = '']) => {
  const history = readLocalHistory(resolveFromCallerCwd(repo))
  const service = await authenticate(baseUrl, values)
  const total = { imported: 0, skipped: 0 }
  await pushHistory(service, history, ({ imported, skipped }) => {
    total.imported += imported
    total.skipped += skipped
    console.log(`${total.imported + total.skipped} of ${history.commits.length} commits`)
  })
  console.log(
    `${total.imported} imported as drafts, ${total.skipped} skipped (merges and known commits).`,
  )
})
