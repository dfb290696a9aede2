import { headingOf } from '../columns.ts'
import { type Informer, nameOf, REFERENCE_FIELDS, type References } from '../state.ts'
import type { Entry } from './people.ts'
import type { Person } from './person.ts'
import { fold } from '#domain/folding.ts'

/** A person as rows describe them, and as the service knows them. */
type Plan = { person: Person; known: Informer; references: References }

/** What differs between the two: as requests send it, and as reports tell it. */
export type Changes = {
  fields: Record<string, unknown>
  groupIds: string[]
  descriptions: string[]
}

/** Returns the fields of a person that are filled in, as requests name them. */
export function fieldsOf(person: Person, { items }: References): Record<string, unknown> {
  const { first_name, last_name, email, cpf, phone, img_url, password } = person
  const ids = Object.entries(items).map(([field, { id }]) => [`${field}_id`, id])
  // what the service's state lacks would always differ
  const fields = { first_name, last_name, email, cpf, phone, img_url } satisfies Partial<
    Record<keyof Informer, unknown>
  >
  const filled = Object.entries({ ...fields, password }).filter(
    ([, value]) => value != null,
  )
  return Object.fromEntries([...filled, ...ids])
}

/**
 * Compares a person with the informer. Changes are told as `Telefone: old → new`; a password
 * differs only if there is none, and is never told.
 */
export function compare(plan: Plan): Changes {
  const { person, known, references } = plan
  const former: Record<string, unknown> = { ...known }
  if (known.has_password) former.password = person.password
  for (const field of REFERENCE_FIELDS) former[`${field}_id`] = known[field]?.id

  const fields = Object.entries(fieldsOf(person, references)).filter(
    ([field, value]) => value !== former[field],
  )
  const descriptions = fields.map(([field, value]) => {
    const heading = headingOf(field)
    if (field === 'password') return heading

    const list = REFERENCE_FIELDS.find((name) => field === `${name}_id`)
    return list
      ? describe(heading, nameOf(known[list]), nameOf(references.items[list]))
      : describe(heading, former[field], value)
  })
  const knownIds = known.processes_groups.map(({ group }) => group.id)
  return {
    fields: Object.fromEntries(fields),
    groupIds: references.groupIds.filter((id) => !knownIds.includes(id)),
    descriptions: [...descriptions, ...describeGroups(plan)],
  }
}

/** Describes the groups that are added, and those that are kept although no row names them. */
function describeGroups({ person, known, references: { groupIds } }: Plan): string[] {
  const pairs = known.processes_groups
  const knownIds = pairs.map(({ group }) => group.id)
  const added = person.groups.filter((_, at) => !knownIds.includes(groupIds[at] ?? ''))
  if (added.length === 0) return []

  const staying = pairs
    .filter(({ group }) => !groupIds.includes(group.id))
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
export function isOutdated({ rows }: Entry, { updated_at }: Informer): boolean {
  const instants = rows.map(({ texts }) => texts.updated_at)
  return instants.some(
    (instant) => instant !== undefined && normalize(instant) !== normalize(updated_at),
  )
}

/** Drops trailing zeros; instants are compared to the microsecond. */
function normalize(instant: string): string {
  return instant.replace(/(?<=\.\d{0,6})0{1,6}Z$/, 'Z')
}

/** Describes statuses that differ from the service's: only completions change a status. */
export function ignoredStatuses(
  { rows }: Entry,
  { groups }: Person,
  { groupIds }: References,
  known?: Informer,
): string[] {
  return rows.flatMap(({ line, texts: { questionnaire_status: status } }) => {
    const at = groups.findIndex((group) => group.line === line)
    const pair = known?.processes_groups.find(({ group }) => group.id === groupIds[at])
    const initial = at < 0 ? '' : 'Pendente'
    const actual = pair?.questionnaire_status ?? initial
    if (status === undefined || fold(status) === fold(actual)) return []

    const reason = actual ? `: no serviço é ${actual}` : ''
    return [`Situação "${status}" ignorada${reason}`]
  })
}
