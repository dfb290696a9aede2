import { fold } from '../../src/domain/folding.ts'
import type { Placed, ProcessRow } from './document.ts'
import type { Match } from './list-matching.ts'
import { rowsAfter } from './list-plans.ts'
import { byField } from './lists.ts'
import type { Lists, LISTS, Process } from './state.ts'

type Matches = Record<(typeof LISTS)[number], Match[]>

/** The lists as they are once a document is applied, with ids of what is known. */
export function listsAfter(
  known: Lists,
  matches: Matches,
  processes: Placed<ProcessRow>[],
): Lists {
  const rows = processes.map(({ row }) => row)
  return {
    categories: rowsAfter(known.categories, matches.categories),
    treatment_pronouns: rowsAfter(known.treatment_pronouns, matches.treatment_pronouns),
    dioceses: rowsAfter(known.dioceses, matches.dioceses),
    processes: merge('protocol', known.processes, rows, toProcess),
  }
}

function toProcess(known: Process | undefined, row: ProcessRow): Process {
  const groups = merge('name', known?.groups, row.groups, (knownGroup, group) => {
    const titles = group.questionnaires.map((title) => ({ title }))
    const questionnaires = merge(
      'title',
      knownGroup?.questionnaires,
      titles,
      (questionnaire, added) => questionnaire ?? added,
    )
    return {
      ...knownGroup,
      ...group,
      questionnaires,
    }
  })
  return {
    ...known,
    ...row,
    groups,
  }
}

/** Rows with those of a document added, or in place of what they mean. */
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
