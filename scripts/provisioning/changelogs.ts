import type { Service } from '../lib/service-call.ts'
import type { EntryRow, Placed } from './document.ts'
import { repetitionProblems } from './lists.ts'
import type { Entry } from './state.ts'
import { rowStep, type Step } from './steps.ts'

const keyOf = ({ version, title }: Pick<Entry, 'version' | 'title'>) =>
  `${version} ${title}`

/** Entries that are there twice, and commits that belong to another entry. */
export function changelogProblems(entries: Placed<EntryRow>[], known: Entry[]): string[] {
  const knownKeys = new Set(known.map(keyOf))
  const added = entries.filter(({ row }) => !knownKeys.has(keyOf(row)))
  const keys = entries.map(({ path, row }) => ({
    path,
    key: keyOf(row),
  }))
  return [...repetitionProblems(keys), ...commitProblems(added, known)]
}

function commitProblems(added: Placed<EntryRow>[], known: Entry[]): string[] {
  const taken = new Set(known.map((entry) => entry.git_commit_hash))
  const hashes: {
    path: string
    key: string
  }[] = []
  const problems: string[] = []

  for (const { path, row } of added) {
    const key = row.git_commit_hash
    if (!key) {
      continue
    }
    const field = `${path}.git_commit_hash`
    hashes.push({ path: field, key })
    if (taken.has(key)) {
      problems.push(`${field}: belongs to another entry`)
    }
  }
  return [...repetitionProblems(hashes), ...problems]
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
    if (keys.has(keyOf(row))) {
      return [{ ...place, kind: 'unchanged' }]
    }
    return [rowStep(service, place, row, undefined)]
  })
}
