import { fold } from '../../src/domain/folding.ts'
import type { Person } from '../provisioning/document.ts'
import { namesOf, REFERENCE_FIELDS, type References } from '../provisioning/lists.ts'
import { personChanges } from '../provisioning/people.ts'
import type { Item, User } from '../provisioning/state.ts'
import { headingOf } from './columns.ts'
import { type Entry, rowsWithGroup } from './entries.ts'

type Planned = { person: Person; known: User; references: References }

/** What a row would change of an informer, each as `Telefone: old → new`; of a password only that. */
export function changesOf(planned: Planned): string[] {
  const { person, known, references } = planned
  const fields = Object.entries(personChanges(planned)).map(([field, value]) => {
    const heading = headingOf(field)
    if (field === 'password') return heading

    const reference = REFERENCE_FIELDS.find((name) => `${name}_id` === field)
    if (!reference) return told(heading, known[field as keyof User], value)
    return told(heading, nameOf(known[reference]), nameOf(references.items[reference]))
  })

  const isKnown = ({ id }: References['groups'][number]) =>
    known.processes_groups?.some(({ group }) => group.id === id)
  const added = (person.groups ?? []).filter((_, at) => {
    const group = references.groups[at]
    return group && !isKnown(group)
  })
  const groups = added.map(({ group, protocol }) =>
    told(headingOf('group'), undefined, `${group} (${protocol})`),
  )
  return [...fields, ...groups]
}

const told = (heading: string, before: unknown, after: unknown) =>
  `${heading}: ${before ?? '(vazio)'} → ${after}`

/** The name of an item; of a diocese with the state, which tells those of one name apart. */
export const nameOf = (item: Item | null | undefined) => item && namesOf(item).at(-1)

/** Whether one of the rows was exported before the informer changed, or no longer tells when. */
export const isOutdated = ({ rows }: Entry, { updated_at }: User) =>
  rows
    .map(({ texts }) => texts.updated_at)
    .some((instant) => instant !== undefined && !isSameInstant(instant, updated_at))

/** Zeros at the end do not matter; everything else is compared as it is, to the microsecond. */
const isSameInstant = (one: string, other: string) =>
  one.replace(TRAILING_ZEROS, 'Z') === other.replace(TRAILING_ZEROS, 'Z')

const TRAILING_ZEROS = /(?<=\.\d*)0+Z$/

/** What a column says that only informers themselves change. */
export function ignoredStatuses(entry: Entry, references: References, known?: User): string[] {
  const groupIds = new Map(
    rowsWithGroup(entry).map((row, at) => [row, references.groups[at]?.id] as const),
  )
  return entry.rows.flatMap((row) => {
    const status = row.texts.questionnaire_status
    const pair = known?.processes_groups?.find(({ group }) => group.id === groupIds.get(row))
    const actual = pair?.questionnaire_status ?? (groupIds.has(row) ? 'Pendente' : '')
    if (status === undefined || fold(status) === fold(actual)) return []
    return [`Situação "${status}" ignorada${actual && `: no serviço é ${actual}`}`]
  })
}
