import { fold } from '../../src/domain/folding.ts'
import type { Person } from '../provisioning/document.ts'
import { namesOf, REFERENCE_FIELDS, type References } from '../provisioning/lists.ts'
import { personChanges } from '../provisioning/people.ts'
import type { Item, User } from '../provisioning/state.ts'
import { headingOf } from './columns.ts'
import { type Entry, rowsWithGroup } from './entries.ts'

type Planned = {
  person: Person
  known: User
  references: References
}

/**
 * What rows would change of an informer, each as `Telefone: old → new`; of a password only that.
 */
export function changesOf(planned: Planned): string[] {
  const fields = Object.entries(personChanges(planned))
  return [
    ...fields.map(([field, value]) => describeField(planned, field, value)),
    ...addedGroups(planned),
  ]
}

function describeField(
  { known, references }: Planned,
  field: string,
  value: unknown,
): string {
  const heading = headingOf(field)
  if (field === 'password') return heading

  const reference = REFERENCE_FIELDS.find((name) => field === `${name}_id`)
  if (reference) {
    const before = nameOf(known[reference])
    const after = nameOf(references.items[reference])
    return describe(heading, before, after)
  }
  return describe(heading, known[field as keyof User], value)
}

function addedGroups({ person, known, references }: Planned): string[] {
  const knownIds = known.processes_groups?.map(({ group }) => group.id)
  return (person.groups ?? [])
    .filter((_, at) => {
      const id = references.groups[at]?.id
      return id !== undefined && !knownIds?.includes(id)
    })
    .map(({ group, protocol }) => {
      const name = `${group} (${protocol})`
      return describe(headingOf('group'), null, name)
    })
}

function describe(heading: string, before: unknown, after: unknown): string {
  return `${heading}: ${before ?? '(vazio)'} → ${after}`
}

/** The name of an item; of a diocese with the state, which tells those of one name apart. */
export function nameOf(item: Item | null | undefined): string | undefined {
  return item ? namesOf(item).at(-1) : undefined
}

/**
 * Whether one of the rows was exported before the informer changed, or lacks the time of its
 * export.
 */
export function isOutdated({ rows }: Entry, { updated_at }: User): boolean {
  const instants = rows.map(({ texts }) => texts.updated_at)
  return instants.some(
    (instant) => instant !== undefined && normalize(instant) !== normalize(updated_at),
  )
}

/** Zeros at the end do not matter; all else is compared as it is, to the microsecond. */
function normalize(instant: string): string {
  return instant.replace(/(?<=\.\d*)0+Z$/, 'Z')
}

/** The status in rows where it differs from the service's: only completions change it. */
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
