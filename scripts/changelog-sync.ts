import { pushHistory } from './lib/changelog-push.ts'
import { commandLine } from './lib/command-line.ts'
import { readHistory } from './lib/git-history.ts'
import { accessToken } from './lib/login.ts'

const USAGE = `Usage: npm run changelog:sync -- BASE_URL --login EMAIL [--repo DIR]
Sends the git history of a folder, by default of this one, to the service at BASE_URL, which ends in /v1.
EMAIL is an administrator's, whose password is asked for; ACCESS_TOKEN=… takes the place of both.
It is safe to repeat.`

/** What the service has taken so far. It stays, whatever fails afterwards. */
const total = { imported: 0, skipped: 0 }

try {
  await sync()
} catch (error) {
  console.error(`Cannot sync: ${error instanceof Error ? error.message : error}`)
  if (total.imported + total.skipped > 0) console.error('What was sent before stays; it is safe to repeat.')
  process.exitCode = 1
}

async function sync(): Promise<void> {
  const { values, positionals } = commandLine({ repo: { type: 'string' }, login: { type: 'string' } }, USAGE)
  if (values.help) return console.log(USAGE)
  const [baseUrl] = positionals
  if (!baseUrl || positionals.length > 1) throw new Error(USAGE)

  const history = readHistory(values.repo ?? process.env.INIT_CWD ?? '.')
  const token = await accessToken(baseUrl, values.login, USAGE)
  await pushHistory({ baseUrl, token }, history, ({ imported, skipped }) => {
    total.imported += imported
    total.skipped += skipped
    console.log(`${total.imported + total.skipped} of ${history.commits.length} commits`)
  })
  console.log(`${total.imported} imported as drafts, ${total.skipped} skipped (merges, and what was known).`)
}
