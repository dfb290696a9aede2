import { fold } from '../../../src/domain/folding.ts'
import type { References } from '../provisioning/lists.ts'
import { personChanges, type Planned } from '../provisioning/people.ts'
import type { User } from '../provisioning/state.ts'
import { headingOf } from './columns.ts'
import { type Entry, rowsWithGroup } from './entries.ts'

/** An informer as rows and as the service describe them. */
type Known = Planned & { known: User }

/**
 * Describes what rows would change of an informer, each as `Telefone: old → new`, without
 * passwords.
 */
export function changesOf(plan: Known): string[] {
  const fields = personChanges(plan).map(({ field, before, after }) => {
    const heading = headingOf(field)
    return field === 'password' ? heading : describe(heading, before, after)
  })
  return [...fields, ...describeGroups(plan)]
}

/** Describes the groups that are added, and those that are kept although no row names them. */
function describeGroups({ person, known, references }: Known): string[] {
  const pairs = known.processes_groups ?? []
  const knownIds = pairs.map(({ group }) => group.id)
  const ids = references.groups.map(({ id }) => id)
  const added = (person.groups ?? []).filter((_, at) => !knownIds.includes(ids[at] ?? ''))
  if (added.length === 0) return []

  const staying = pairs
    .filter(({ group }) => !ids.includes(group.id))
    .map(({ process, group }) => ({ protocol: process.protocol, group: group.name }))
  const names = [...added, ...staying].map(({ group }) => fold(group))
  const isAmbiguous = new Set(names).size < names.length
  const list = (groups: { protocol: string; group: string }[]) =>
    groups
      .map(({ group, protocol }) => (isAmbiguous ? `${group} de ${protocol}` : group))
      .join(', ')

  const heading = headingOf('group')
  if (pairs.length === 0) return [describe(heading, null, list(added))]
  if (staying.length === 0) return [`${heading}: ${list(added)}`]
  return [`${heading}: ${list(added)} (continua em: ${list(staying)})`]
}

function describe(heading: string, before: unknown, after: unknown): string {
  return `${heading}: ${before ?? '(vazio)'} → ${after}`
}

/**
 * Returns whether a row was exported before the informer changed, or lacks the time of its export.
 */
export function isOutdated({ rows }: Entry, { updated_at }: User): boolean {
  const instants = rows.map(({ texts }) => texts.updated_at)
  return instants.some(
    (instant) => instant !== undefined && normalize(instant) !== normalize(updated_at),
  )
}

/** Drops trailing zeros; instants are compared to the microsecond. */
function normalize(instant: string): string {
  return instant.replace(/(?<=\.\d*)0+Z$/, 'Z')
}

/**
 * Returns the statuses in rows that differ from the service's: only completions change a status.
 */
export function ignoredStatuses(
  entry: Entry,
  references: References,
  known?: User,
): string[] {
  const ids = rowsWithGroup(entry).map((_, at) => references.groups[at]?.id)
  const idOf = new Map(rowsWithGroup(entry).map((row, at) => [row, ids[at]]))

  return entry.rows.flatMap((row) => {
    const status = row.texts.questionnaire_status
    const pair = known?.processes_groups?.find(({ group }) => group.id === idOf.get(row))
    const initial = idOf.has(row) ? 'Pendente' : ''
    const actual = pair?.questionnaire_status ?? initial
    if (status === undefined || fold(status) === fold(actual)) return []

    const reason = actual ? `: no serviço é ${actual}` : ''
    return [`Situação "${status}" ignorada${reason}`]
  })
}
