import type { Commit } from '../src/domain/commits.ts'
import { inHistoryOrder, releasesByTag } from '../src/domain/releases.ts'
import { commandLine } from './lib/command-line.ts'
import { readHistory } from './lib/git-history.ts'

const USAGE = `Usage: ACCESS_TOKEN=… npm run changelog:sync -- BASE_URL [--repo DIR]
Sends the git history of a folder, by default of this one, to the service at BASE_URL, which ends in /v1.
The token is an administrator's. It is safe to repeat.`
const MAX_COMMITS = 1000
/** Below the mebibyte that one call takes. */
const MAX_BYTES = 900_000
/** An entry shows 10,000 characters of a message; a longer one is not worth a call of its own. */
const MAX_MESSAGE = 50_000
const TIME_LIMIT_MS = 120_000

type Sent = Omit<Commit, 'date'> & { date: string; version?: string }
type Synced = { imported: number; skipped: number; entries: { version: string }[] }

/** What the service has taken so far. It stays, whatever fails afterwards. */
const total = { imported: 0, skipped: 0 }

try {
  await sync()
} catch (error) {
  console.error(`Cannot sync: ${error instanceof Error ? error.message : error}`)
  if (total.imported + total.skipped > 0) console.error('What was sent before stays; it is safe to repeat.')
  process.exitCode = 1
}

/** Sends the git history of a folder to the service. Repeating it sends the same and changes nothing. */
async function sync(): Promise<void> {
  const { values, positionals } = commandLine({ repo: { type: 'string' } }, USAGE)
  if (values.help) return console.log(USAGE)
  const [baseUrl] = positionals
  const token = process.env.ACCESS_TOKEN
  if (!baseUrl || positionals.length > 1 || !token) throw new Error(USAGE)

  const history = readHistory(values.repo ?? process.env.INIT_CWD ?? '.')
  const releases = releasesByTag(history)
  const sent = inHistoryOrder(history).map((commit): Sent => {
    const version = releases.get(commit.hash)
    const message = commit.message.slice(0, MAX_MESSAGE)
    return { ...commit, message, date: commit.date.toISOString(), ...(version ? { version } : {}) }
  })

  const count = ({ imported, skipped }: Synced) => {
    total.imported += imported
    total.skipped += skipped
    console.log(`${total.imported + total.skipped} of ${sent.length} commits`)
  }
  for (const commits of calls(sent.filter(({ version }) => version)))
    count(await post(baseUrl, token, commits))
  // The unreleased rest shares one version, which its first call decides.
  let version: string | undefined
  for (const commits of calls(sent.filter(({ version }) => !version))) {
    const synced = await post(
      baseUrl,
      token,
      version ? commits.map((commit) => ({ ...commit, version })) : commits,
    )
    version ??= synced.entries[0]?.version
    count(synced)
  }
  console.log(`${total.imported} imported as drafts, ${total.skipped} skipped (merges, and what was known).`)
}

/** Commits in as few calls as the service takes. */
function calls(commits: Sent[]): Sent[][] {
  const groups: Sent[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const commit of commits) {
    const size = Buffer.byteLength(JSON.stringify(commit)) + 1
    if (bytes + size > MAX_BYTES || groups.at(-1)?.length === MAX_COMMITS) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(commit)
    bytes += size
  }
  return groups
}

async function post(baseUrl: string, token: string, commits: Sent[]): Promise<Synced> {
  const url = `${baseUrl.replace(/\/+$/, '')}/changelogs/sync-from-git`
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ commits }),
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  }).catch((error) => {
    throw new Error(`${url}: ${reasonOf(error)}`)
  })
  const body = (await response.json().catch(() => ({}))) as {
    data?: Synced
    message?: string
    errors?: unknown
  }
  if (response.ok && body.data) return body.data
  const reason = [body.message, body.errors && JSON.stringify(body.errors)].filter(Boolean).join(' ')
  throw new Error(`${url}: ${response.status} ${reason || 'from what is not this service'}`)
}

/** `fetch` itself says only that it failed, and keeps the reason as the cause: of several addresses, a code. */
function reasonOf({ message, cause }: Error): string {
  const { message: reason, code } = (cause ?? {}) as NodeJS.ErrnoException
  return reason || code || message
}
