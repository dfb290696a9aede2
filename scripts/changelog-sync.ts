import { pushHistory } from './lib/changelog-push.ts'
import { resolveFromCallerCwd, runCommand } from './lib/command-line.ts'
import { readLocalHistory } from './lib/git-history.ts'
import { accessToken } from './lib/login.ts'

const USAGE = `Usage: npm run changelog:sync -- BASE_URL --login EMAIL [--repo DIR]
Sends the git history of a folder, by default this one, to the service at BASE_URL, which ends in /v1.
Prompts for the password of the administrator EMAIL, or uses ACCESS_TOKEN=… instead. Safe to repeat.`

const options = { repo: { type: 'string', default: '.' }, login: { type: 'string' } } as const
const command = { verb: 'sync', usage: USAGE, options, arguments: [1, 1] as [number, number] }

await runCommand(command, async ({ repo, login }, [baseUrl = '']) => {
  const history = readLocalHistory(resolveFromCallerCwd(repo))
  const token = await accessToken(baseUrl, login, USAGE)
  const total = { imported: 0, skipped: 0 }
  try {
    await pushHistory({ baseUrl, token }, history, ({ imported, skipped }) => {
      total.imported += imported
      total.skipped += skipped
      console.log(`${total.imported + total.skipped} of ${history.commits.length} commits`)
    })
  } catch (error) {
    if (total.imported + total.skipped === 0) throw error
    throw new Error(`${(error as Error).message}\nEarlier commits stay imported; it is safe to repeat.`)
  }
  console.log(`${total.imported} imported as drafts, ${total.skipped} skipped (merges and known commits).`)
})
