import * as z from 'zod/mini'
import { resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { type LocalCommit, readLocalHistory } from './changelog/local-history.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import type { Service } from './service/service-call.ts'
import { send } from './service/service-client.ts'
import { parseMessage } from '#changelog-import/commit-messages.ts'
import { isVersion, RELEASE_TYPES, type Version } from '#domain/versions.ts'

const USAGE = `Uso: npm run changelog:sync -- URL --login EMAIL [--repo PASTA]
Envia a história do git de uma pasta, sem --repo desta, ao serviço em URL, que termina em /v1.
Pode ser repetido: nada é importado duas vezes.
${LOGIN_USAGE}`

const command = {
  verb: 'importar',
  usage: USAGE,
  options: {
    repo: { ...TEXT, default: '.' },
    ...LOGIN_OPTIONS,
  },
  arguments: ['URL'],
  language: 'pt',
} as const

/** Limits of one request, below those of the service: 1,000 commits and 1 MiB. */
const MAX_COMMITS = 999
const MAX_BYTES = 900_000

const syncResult = z.object({
  imported: z.number(),
  entries: z.array(
    z.object({ version: z.custom<Version>((text) => isVersion(String(text))) }),
  ),
})

await runCommand(command, async ({ repo, ...login }, [url = '']) => {
  const { released, unreleased, highestTag } = readLocalHistory(
    resolveFromCallerCwd(repo),
  )
  const service = await authenticate(url, login, ['changelogs:write'])

  const total = released.length + unreleased.length
  let sent = 0
  let imported = 0
  const report = (added: number, newCommits: number) => {
    imported += added
    sent += newCommits
    console.log(`${sent} de ${total} commits`)
  }

  for (const batch of toBatches(released)) {
    const result = await push(service, batch)
    report(result.imported, batch.length)
  }

  // It is known by now, so it only tells the highest tag.
  const [lastReleased] = released.slice(-1)
  const tagged = lastReleased ? [{ ...lastReleased, version: highestTag }] : []
  let next: Version | null = null
  for (const batch of toBatches(byImportance(unreleased))) {
    const commits = batch.map((commit) => ({ ...commit, version: next }))
    const result = await push(service, [...(next ? [] : tagged), ...commits])
    next ??= result.entries[0]?.version ?? null
    report(result.imported, batch.length)
  }
  console.log(`Rascunhos: ${imported}; já conhecidos e merges: ${sent - imported}.`)
})

/** Sends commits. A failed request imports nothing. */
function push(service: Service, commits: LocalCommit[]) {
  const path = '/changelogs/sync-from-git'
  return send(service, 'POST', path, { commits }, syncResult)
}

/**
 * Unreleased commits share the version of the first entry imported, so the highest release types
 * go first.
 */
function byImportance(commits: LocalCommit[]): LocalCommit[] {
  const rankOf = ({ message }: LocalCommit) =>
    RELEASE_TYPES.indexOf(parseMessage(message).releaseType)
  return commits.toSorted((one, other) => rankOf(other) - rankOf(one))
}

/** Splits commits into as few requests as the limits allow, with room for one more commit. */
function toBatches(commits: LocalCommit[]): LocalCommit[][] {
  const batches: LocalCommit[][] = []
  let room = 0
  for (const commit of commits) {
    const size = Buffer.byteLength(JSON.stringify(commit)) + 1
    if (size > room || batches.at(-1)?.length === MAX_COMMITS) {
      batches.push([])
      room = MAX_BYTES
    }
    batches.at(-1)?.push(commit)
    room -= size
  }
  return batches
}
