import { pushHistory } from './lib/changelog-push.ts'
import { callerPath, runCommand } from './lib/command-line.ts'
import { readHistory } from './lib/git-history.ts'
import { accessToken } from './lib/login.ts'

const USAGE = `Usage: npm run changelog:sync -- BASE_URL --login EMAIL [--repo DIR]
Sends the git history of a folder, by default of this one, to the service at BASE_URL, which ends in /v1.
EMAIL is an administrator's, whose password is asked for; ACCESS_TOKEN=… takes the place of both.
It is safe to repeat.`

const options = { repo: { type: 'string', default: '.' }, login: { type: 'string' } } as const
const command = { verb: 'sync', usage: USAGE, options, arguments: [1, 1] as [number, number] }

await runCommand(command, async ({ repo, login }, [baseUrl = '']) => {
  const history = readHistory(callerPath(repo))
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
    throw new Error(`${(error as Error).message}\nWhat was sent before stays; it is safe to repeat.`)
  }
  console.log(`${total.imported} imported as drafts, ${total.skipped} skipped (merges, and what was known).`)
})
