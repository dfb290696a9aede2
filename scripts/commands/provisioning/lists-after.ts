import { fold } from '../../../src/domain/folding.ts'
import type { Document, ProcessRow } from './document.ts'
import { byField } from './lists.ts'
import { listKey } from './rows.ts'
import type { Item, Lists, Process } from './state.ts'

/** Returns the lists as they are after a document is applied; new rows have no id yet. */
export function listsAfter(known: Lists, document: Document): Lists {
  const { categories, treatment_pronouns, dioceses, processes } = document
  return {
    categories: withMissing(known.categories, categories),
    treatment_pronouns: withMissing(known.treatment_pronouns, treatment_pronouns),
    dioceses: withMissing(known.dioceses, dioceses),
    processes: merge('protocol', known.processes, processes, toProcess),
  }
}

type NewItem = Omit<Item, 'id' | 'active'> & { active?: boolean | null | undefined }

function withMissing(known: Item[], items: NewItem[]): Item[] {
  const keys = new Set(known.map(listKey))
  const missing = items.filter((row) => !keys.has(listKey(row)))
  return [...known, ...missing.map((row) => ({ ...row, active: row.active ?? true }))]
}

function toProcess(known: Process | undefined, row: ProcessRow): Process {
  const groups = merge('name', known?.groups, row.groups, (knownGroup, group) => {
    const titles = group.questionnaires.map((title) => ({ title }))
    const { questionnaires: knownTitles } = knownGroup ?? {}
    const questionnaires = merge(
      'title',
      knownTitles,
      titles,
      (one, added) => one ?? added,
    )
    return { ...group, ...knownGroup, questionnaires }
  })
  return { ...row, ...known, groups }
}

/** Returns rows with those of a document added or merged. */
function merge<Row extends object, Added extends object>(
  field: keyof Row & keyof Added,
  rows: Row[] | undefined,
  added: Added[],
  toRow: (known: Row | undefined, added: Added) => Row,
): Row[] {
  const merged = byField(field, rows)
  for (const row of added) {
    const key = fold(String(row[field]))
    merged.set(key, toRow(merged.get(key), row))
  }
  return [...merged.values()]
}
