import { foldedName } from './matching.ts'
import { type Person, toPerson } from './person.ts'
import type { TableRow } from './table.ts'
import { fold } from '#domain/folding.ts'

/** The rows of one person: the person, or the problems. */
export type Entry = {
  rows: TableRow[]
  name: string
  /** As the service spells it. */
  id?: string | undefined
  person?: Person | undefined
  /** Whether first and last name were one cell. */
  isNameSplit: boolean
  problems: string[]
  notes: string[]
}

export function linesOf({ rows }: Entry): number[] {
  return rows.map(({ line }) => line)
}

/** The line of its first row. */
export function lineOf(entry: Entry): number {
  return linesOf(entry)[0] ?? 0
}

/**
 * Checks rows by the rules of the service, and joins those of one person, who has one per group. A
 * row with an ID comes before every row without one.
 */
export function toEntries(rows: TableRow[]): Entry[] {
  const all = rows.map(toEntry)
  refuseContradictions(all)

  const entries: Entry[] = []
  const byIdentity = new Map<string, Entry>()
  for (const entry of all.toSorted((one, other) => Number(!one.id) - Number(!other.id))) {
    const identities = identitiesOf(entry)
    const known = identities.find((identity) => byIdentity.has(identity))
    const first = known && byIdentity.get(known)
    const isJoined = first && join(first, entry)
    if (!isJoined) entries.push(entry)
    if (first) continue

    for (const identity of identities) {
      byIdentity.set(identity, entry)
    }
  }
  return entries.sort((one, other) => lineOf(one) - lineOf(other))
}

function toEntry(row: TableRow): Entry {
  const { texts } = row
  const { person, name, problems, notes } = toPerson(row)
  const isReadable = row.problems.length === 0
  return {
    rows: [row],
    name,
    id: texts.id?.toLowerCase(),
    person: isReadable ? person : undefined,
    isNameSplit: texts.first_name === undefined,
    problems: isReadable ? problems : [...row.problems],
    notes: [...row.notes, ...notes],
  }
}

/** Refuses all rows with an ID if they contradict each other. */
function refuseContradictions(entries: Entry[]): void {
  const byId = Map.groupBy(entries, ({ id }) => id)
  byId.delete(undefined)

  for (const sameId of byId.values()) {
    const signatures = new Set(sameId.map(signatureOf))
    if (signatures.size === 1) continue

    for (const entry of sameId) {
      const others = sameId.filter((other) => other !== entry)
      const lines = others.flatMap(linesOf).join(', ')
      entry.problems.push(`o mesmo ID, com outros dados, na linha ${lines}`)
    }
  }
}

/** Returns the data that all rows with one ID must share. */
function signatureOf({ person, rows }: Entry): string {
  const instant = rows[0]?.texts.updated_at ?? ''
  const fields = person ? comparable(person) : ''
  return instant + fields
}

/**
 * Returns the fields of a person, with references folded, because lists ignore case and accents.
 */
function comparable(person: Person): string {
  const { treatment_pronoun, category, diocese, groups: _, ...fields } = person
  const names = [treatment_pronoun, category, diocese]
  const folded = names.map((name) => name && fold(name))
  return JSON.stringify([fields, folded])
}

/** Returns what no two people share: the ID, the email and the CPF, or else the name. */
function identitiesOf({ id, person, problems }: Entry): string[] {
  if (!person || problems.length > 0) return []

  const identifiers = [id, person.email, person.cpf]
  const identities = identifiers.filter((value) => value != null)
  return identities.length > 0 ? identities : [foldedName(person)]
}

/**
 * Joins a row to the first one of the same person; if it does not fit, adds a problem and returns
 * false.
 */
function join(first: Entry, entry: Entry): boolean {
  const problem = problemOfJoining(first, entry)
  if (problem) {
    entry.problems.push(problem)
    return false
  }

  const groups = entry.person?.groups ?? []
  first.rows.push(...entry.rows)
  first.notes.push(...entry.notes)
  first.person?.groups.push(...groups)
  return true
}

function problemOfJoining(first: Entry, entry: Entry): string | undefined {
  const line = lineOf(first)
  if (!isSamePerson(first, entry)) {
    return `a mesma pessoa da linha ${line}, com outros dados`
  }

  const [group] = entry.person?.groups ?? []
  const known = first.person?.groups ?? []
  if (!group || known.some((other) => isSameGroup(other, group))) {
    return `igual à linha ${line}`
  }
  return undefined
}

function isSamePerson(one: Entry, other: Entry): boolean {
  if (!one.person || !other.person) return false
  if (one.id !== other.id) return false
  return comparable(one.person) === comparable(other.person)
}

type Group = Person['groups'][number]

function isSameGroup(one: Group, other: Group): boolean {
  const isSameProcess = fold(one.protocol) === fold(other.protocol)
  return isSameProcess && fold(one.group) === fold(other.group)
}
