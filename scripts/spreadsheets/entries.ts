import { fold } from '../../src/domain/folding.ts'
import type { Person } from '../provisioning/document.ts'
import { foldedName } from '../provisioning/people.ts'
import { toPerson } from './person.ts'
import type { TableRow } from './table.ts'

/** What the rows of one person say: the person, or what is wrong. */
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

export const linesOf = ({ rows }: Entry) => rows.map(({ line }) => line)

/** The rows that name a group, in the order of the person's groups. */
export const rowsWithGroup = ({ rows }: Entry) => rows.filter(({ texts }) => texts.group)

/** Checks rows by the rules of the service, and brings those of one person together: one for each group. */
export function toEntries(rows: TableRow[]): Entry[] {
  const all = rows.map(toEntry)
  refuseContradictions(all)

  const entries: Entry[] = []
  const byIdentity = new Map<string, Entry>()
  for (const entry of all) {
    const identities = identitiesOf(entry)
    const first = identities.map((identity) => byIdentity.get(identity)).find(Boolean)
    if (!first || !join(first, entry)) entries.push(entry)
    if (!first) for (const identity of identities) byIdentity.set(identity, entry)
  }
  return entries
}

function toEntry(row: TableRow): Entry {
  const { texts } = row
  const { person, name, problems, notes } = toPerson(texts)
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

/** Refuses all rows with an ID where they say different things of a person. */
function refuseContradictions(entries: Entry[]): void {
  const byId = Map.groupBy(entries, ({ id }) => id)
  byId.delete(undefined)
  for (const sameId of byId.values()) {
    const isSame = new Set(sameId.map(signatureOf)).size === 1
    for (const entry of isSame ? [] : sameId) {
      const others = sameId.filter((other) => other !== entry).flatMap(linesOf)
      entry.problems.push(`o mesmo ID, com outros dados, na linha ${others.join(', ')}`)
    }
  }
}

/** What all rows of a person have in common. */
const signatureOf = ({ person, rows }: Entry) =>
  `${person && comparable(person)} ${rows[0]?.texts.updated_at}`

/** The fields of a person; the lists ignore case and accents in the names that refer to them. */
function comparable({ treatment_pronoun, category, diocese, groups: _, ...fields }: Person) {
  const references = [treatment_pronoun, category, diocese]
  return JSON.stringify([fields, references.map((name) => name && fold(name))])
}

/** What no two people share: the ID, the email and the CPF, or else the name. */
function identitiesOf({ id, person, problems }: Entry): string[] {
  if (!person || problems.length > 0) return []

  const { email, cpf } = person
  const identities = [id, email, cpf].filter((value) => value != null)
  return identities.length > 0 ? identities : [foldedName(person)]
}

/** Adds a row of a person to the first one; or says what is wrong with it, and returns false. */
function join(first: Entry, entry: Entry): boolean {
  const problem = problemOfJoining(first, entry)
  if (problem) {
    entry.problems.push(problem)
    return false
  }

  first.id ??= entry.id
  first.rows.push(...entry.rows)
  first.notes.push(...entry.notes)
  first.person?.groups?.push(...(entry.person?.groups ?? []))
  return true
}

function problemOfJoining(first: Entry, { id, person }: Entry): string | undefined {
  const [line] = linesOf(first)
  const isSameId = !id || !first.id || id === first.id
  if (!first.person || !person || !isSameId || comparable(first.person) !== comparable(person))
    return `a mesma pessoa da linha ${line}, com outros dados`

  const [group] = person.groups ?? []
  const isKnown = first.person.groups?.some((known) => isSameGroup(known, group))
  return !group || isKnown ? `igual à linha ${line}` : undefined
}

type Group = NonNullable<Person['groups']>[number]

const isSameGroup = (one: Group, other?: Group) =>
  fold(one.protocol) === fold(other?.protocol ?? '') && fold(one.group) === fold(other?.group ?? '')
