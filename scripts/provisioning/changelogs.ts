import type { Service } from '../lib/service-call.ts'
import type { EntryRow, Placed } from './document.ts'
import { repetitionProblems } from './lists.ts'
import type { Entry } from './state.ts'
import { rowStep, type Step } from './steps.ts'

const keyOf = ({ version, title }: Pick<Entry, 'version' | 'title'>) => `${version} ${title}`

/** Entries that are there twice, and commits that belong to another entry. */
export function changelogProblems(entries: Placed<EntryRow>[], known: Entry[]): string[] {
  const knownKeys = new Set(known.map(keyOf))
  const knownHashes = new Set(known.map(({ git_commit_hash }) => git_commit_hash))
  const added = entries.filter(({ row }) => !knownKeys.has(keyOf(row)))

  const taken = added.filter(
    ({ row }) => row.git_commit_hash && knownHashes.has(row.git_commit_hash),
  )
  const hashes = added.flatMap(({ path, row: { git_commit_hash: key } }) =>
    key ? [{ path: `${path}.git_commit_hash`, key }] : [],
  )
  return [
    ...repetitionProblems(entries.map(({ path, row }) => ({ path, key: keyOf(row) }))),
    ...repetitionProblems(hashes),
    ...taken.map(({ path }) => `${path}.git_commit_hash: belongs to another entry`),
  ]
}

/** The steps of entries. Those that are there already stay as they are. */
export function planChangelogs(
  service: Service,
  entries: Placed<EntryRow>[],
  known: Entry[],
): Step[][] {
  const keys = new Set(known.map(keyOf))
  return entries.map(({ path, row }) => {
    const place = { table: 'changelogs', path }
    const isKnown = keys.has(keyOf(row))
    return [isKnown ? { ...place, kind: 'unchanged' } : rowStep(service, place, row, undefined)]
  })
}
