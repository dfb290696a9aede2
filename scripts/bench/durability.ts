import { randomInt, randomUUID } from 'node:crypto'
import { positiveNumber, runCommand } from '../lib/command-line.ts'
import { withLocalDatabase } from '../lib/database.ts'
import { logIn } from '../lib/demo.ts'
import { startService, temporaryState } from '../lib/service-process.ts'

const CLIENTS = 8
const SHORTEST_MS = 300
const LONGEST_MS = 2500

const ENTRY = {
  version: 'v9.9.9',
  date: '2026-01-31',
  title: 'Um',
  description: 'Dois',
  category: 'Melhoria',
}

/** A requested write with a unique mark. */
type Write = { kind: 'informer' | 'entry'; mark: string; acknowledged: boolean }
type Found = { rows: number; whole: number }

const USAGE = `Usage: npm run durability -- [--rounds 10]
Repeatedly kills a temporary service while eight clients write, then checks the database. Fails if an acknowledged
write is lost, or if a write is stored partially or twice.`

const { stateDir, remove } = temporaryState()
const options = { rounds: { type: 'string', default: '10' } } as const
await runCommand({ verb: 'measure durability', usage: USAGE, options }, async ({ rounds }) => {
  process.exitCode = (await run(positiveNumber(rounds, '--rounds'))) ? 0 : 1
})
remove()

/** Runs all rounds on one database and checks the result. */
async function run(rounds: number): Promise<boolean> {
  const writes: Write[] = []
  for (let round = 1; round <= rounds; round++) {
    const before = writes.length
    await writeUntilKilled(writes)
    const acknowledged = writes.slice(before).filter((write) => write.acknowledged).length
    console.log(`round ${round}: ${writes.length - before} writes sent, ${acknowledged} acknowledged, killed`)
  }
  const found = await withLocalDatabase(stateDir, (database) => find(database, writes))
  const count = (holds: (write: Write, found: Found) => boolean) =>
    writes.filter((write, index) => holds(write, found[index] ?? { rows: 0, whole: 0 })).length
  const result = {
    acknowledged: count(({ acknowledged }) => acknowledged),
    'of them lost': count(({ acknowledged }, { whole }) => acknowledged && whole === 0),
    unacknowledged: count(({ acknowledged }) => !acknowledged),
    'of them there, and whole': count(({ acknowledged }, { whole }) => !acknowledged && whole === 1),
    partial: count((_, { rows, whole }) => rows !== whole),
    doubled: count((_, { rows }) => rows > 1),
  }
  console.table(result)
  return result.acknowledged > 0 && result['of them lost'] + result.partial + result.doubled === 0
}

async function writeUntilKilled(writes: Write[]): Promise<void> {
  const { baseUrl, kill } = await startService({ STATE_DIR: stateDir })
  let isKilled = false
  try {
    const token = await logIn(baseUrl, 'admin@example.org')
    const group = await groupOf(baseUrl, await logIn(baseUrl, 'ana@example.org'))
    const write = async () => {
      while (!isKilled) await send(baseUrl, token, group, writes).catch(() => undefined)
    }
    const clients = Array.from({ length: CLIENTS }, write)
    await new Promise((resolve) => setTimeout(resolve, randomInt(SHORTEST_MS, LONGEST_MS)))
    const killed = kill()
    isKilled = true
    await Promise.all([killed, ...clients])
  } finally {
    if (!isKilled) await kill()
  }
}

async function send(baseUrl: string, token: string, group: string, writes: Write[]): Promise<void> {
  const write: Write = {
    kind: randomInt(2) ? 'informer' : 'entry',
    mark: randomUUID().replaceAll('-', ''),
    acknowledged: false,
  }
  writes.push(write)
  const [path, body] =
    write.kind === 'informer'
      ? ['/informers', { first_name: 'Teste', email: `${write.mark}@example.org`, group_id: group }]
      : ['/changelogs', { ...ENTRY, git_commit_hash: write.mark }]
  const response = await post(baseUrl + path, body, { Authorization: `Bearer ${token}` })
  write.acknowledged = response.status === 201
}

/** A group of the demo data, from the cover of its informer. */
async function groupOf(baseUrl: string, token: string): Promise<string> {
  const response = await fetch(`${baseUrl}/cover`, { headers: { Authorization: `Bearer ${token}` } })
  return ((await response.json()) as { data: { group: { id: string } } }).data.group.id
}

function post(url: string, body: object, headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** For each write, its rows and its complete rows; an informer is complete with its group. */
async function find(database: D1Database, writes: Write[]): Promise<Found[]> {
  const { results } = await database
    .prepare(
      `select count(users.id) + count(changelogs.id) as rows,
         count(informer_groups.group_id) + count(changelogs.id) as whole
       from json_each(?) as mark
       left join users on users.email = mark.value || '@example.org'
       left join informer_groups on informer_groups.informer_id = users.id
       left join changelogs on changelogs.git_commit_hash = mark.value
       group by mark.key order by mark.key`,
    )
    .bind(JSON.stringify(writes.map(({ mark }) => mark)))
    .all<Found>()
  return results
}
