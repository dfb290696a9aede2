import type { TableRow } from '../reading/table.ts'
import type { Informer, State, User } from '../state.ts'
import { type Identity, type Person, toPerson } from './person.ts'
import { fold } from '#domain/folding.ts'
import { fullName } from '#domain/names.ts'

/** The rows of one person: whom they mean, or the problems. */
export type Entry = {
  rows: TableRow[]
  name: string
  /** As the service spells it. */
  id?: string | undefined
  identity: Identity
  person?: Person | undefined
  known?: Informer | undefined
  /** Whether nobody has the rows' ID any more. */
  isDeleted?: boolean
  /** Whether an earlier row says the same; its refusal loses nothing. */
  isRepetition?: boolean
  problems: string[]
  notes: string[]
}

type People = Pick<State, 'administrators' | 'informers'>
type Named = Pick<Person, 'first_name' | 'last_name'>

/** A person of the service, of the file, or of both. */
type Somebody = { known?: Informer; isAdministrator?: boolean; entry?: Entry }
type Match = { somebody?: Somebody | undefined; problem?: string; note?: string }
type Identified = { [Identifier in 'id' | 'email' | 'cpf']?: string | null | undefined }

const ADMINISTRATOR = 'já é administrador'
const DIFFERENT_PEOPLE = 'o e-mail e o CPF são de pessoas diferentes'
const SOMEBODY_ELSE =
  'o nome e o e-mail ou CPF mudam ao mesmo tempo: corrija um de cada vez'
const SEVERAL = 'há várias pessoas com este nome, sem e-mail nem CPF'
const OTHER_PERSON = 'o ID é de uma pessoa, e o e-mail ou o CPF de outra'
const NAMESAKE =
  'já há alguém com este nome, sem e-mail nem CPF: se é a mesma pessoa, use o ID'
const NO_SUCH_ID = 'ninguém tem este ID, mas o e-mail ou o CPF já está no cadastro'

/** Returns a full name without case and accents. */
export const foldedName = ({ first_name, last_name = null }: Named) =>
  fold(fullName({ first_name, last_name }))

export const linesOf = ({ rows }: Entry): number[] => rows.map(({ line }) => line)

/** The line of its first row. */
const lineOf = (entry: Entry): number => linesOf(entry)[0] ?? 0

/**
 * Checks rows by the rules of the service, finds the informers whom they mean, and joins those of
 * one person, who has one per group. Rows with an ID come first, wherever they stand. If a row is
 * refused, so are the other rows of its person, who would come in with some of the groups.
 */
export function toEntries(rows: TableRow[], people: People): Entry[] {
  const all = rows.map(toEntry)
  refuseContradictions(all)

  const { settle, refuseOthers } = settler(people)
  const byRank = all.toSorted((one, other) => Number(!one.id) - Number(!other.id))
  const entries = byRank.filter((entry) => settle(entry) === entry)
  entries.sort((one, other) => lineOf(one) - lineOf(other))
  entries.filter(({ problems }) => problems.length > 0).forEach(refuseOthers)
  return entries
}

function toEntry(row: TableRow): Entry {
  const { person, name, identity, problems, notes } = toPerson(row)
  const isReadable = row.problems.length === 0
  return {
    rows: [row],
    name,
    id: row.texts.id?.toLowerCase(),
    identity,
    person: isReadable ? person : undefined,
    problems: isReadable ? problems : [...row.problems],
    notes: [...row.notes, ...notes],
  }
}

/** Refuses all rows with an ID if they contradict each other. */
function refuseContradictions(entries: Entry[]): void {
  const byId = Map.groupBy(entries, ({ id }) => id)
  byId.delete(undefined)

  for (const sameId of byId.values()) {
    const data = sameId.map(({ person, rows }) => [
      rows[0]?.texts.updated_at,
      person && [person.first_name, person.last_name, comparable(person)],
    ])
    const signatures = new Set(data.map((each) => JSON.stringify(each)))
    if (signatures.size === 1) continue

    for (const entry of sameId) {
      const others = sameId.filter((other) => other !== entry)
      const lines = others.flatMap(linesOf).join(', ')
      entry.problems.push(`o mesmo ID, com outros dados, na linha ${lines}`)
    }
  }
}

/** Returns what all rows of a person share; names and lists ignore case and accents. */
function comparable(person: Person): string {
  const { first_name, last_name, groups: _, ...others } = person
  const { treatment_pronoun, category, diocese, ...fields } = others
  const names = [
    foldedName({ first_name, last_name }),
    treatment_pronoun,
    category,
    diocese,
  ]
  return JSON.stringify([fields, names.map((name) => name && fold(name))])
}

function settler({ informers, administrators }: People) {
  /** By ID, email and CPF. */
  const byIdentifier = new Map<string, Somebody>()
  /** People with neither email nor CPF, by name. */
  const namesakes = new Map<string, Somebody[]>()

  for (const user of administrators) add({ isAdministrator: true }, user)
  for (const known of informers) {
    const somebody = { known }
    add(somebody, known)
    if (isNameless(known)) addNamesake(somebody, known)
  }

  function add(somebody: Somebody, { id, email, cpf }: Identified): void {
    for (const identifier of [id, email, cpf]) {
      if (identifier && !byIdentifier.has(identifier)) {
        byIdentifier.set(identifier, somebody)
      }
    }
  }

  function addNamesake(somebody: Somebody, named: Named): void {
    const name = foldedName(named)
    namesakes.set(name, [...(namesakes.get(name) ?? []), somebody])
  }

  function matchWithId(person: Person, id: string): Match {
    const somebody = byIdentifier.get(id)
    const others = identify(person)
    if (somebody) {
      const isOther = others.some((other) => other !== somebody)
      return isOther ? { problem: OTHER_PERSON } : { somebody }
    }

    return others.length > 0 ? { problem: NO_SUCH_ID } : {}
  }

  function matchWithoutId(person: Person): Match {
    const [somebody, ...others] = identify(person)
    if (others.length > 0) return { problem: DIFFERENT_PEOPLE }
    if (somebody) return { somebody }

    const [namesake, ...more] = namesakes.get(foldedName(person)) ?? []
    if (!isNameless(person)) return namesake?.known ? { note: NAMESAKE } : {}
    return more.length > 0 ? { problem: SEVERAL } : { somebody: namesake }
  }

  /** Returns who has the email or the CPF of a row. */
  function identify({ email, cpf }: Identity): Somebody[] {
    const found = [email, cpf].map((identifier) => byIdentifier.get(identifier ?? ''))
    return [...new Set(found.filter((somebody) => somebody !== undefined))]
  }

  function claim(entry: Entry, somebody: Somebody): void {
    somebody.entry ??= entry
    const { id, person } = entry
    add(somebody, { ...person, id })
    const isNew = !id && !somebody.known
    if (person && isNew && isNameless(person)) addNamesake(somebody, person)
  }

  /**
   * Settles whom a row means, after those before it.
   * @returns the row's entry, or the one that the row is joined to
   */
  function settle(entry: Entry): Entry {
    const { id, person, problems, notes } = entry
    if (!person || problems.length > 0) return entry

    const {
      somebody = {},
      problem,
      note,
    } = id === undefined ? matchWithoutId(person) : matchWithId(person, id)
    if (note) notes.push(note)
    if (problem) problems.push(problem)
    if (problem) return entry
    if (somebody.entry) return join(somebody.entry, entry)

    claim(entry, somebody)
    const { known, isAdministrator } = somebody
    if (isAdministrator) problems.push(ADMINISTRATOR)
    if (known && isSomebodyElse(person, known)) problems.push(SOMEBODY_ELSE)
    entry.known = known
    entry.isDeleted = id !== undefined && !known
    return entry
  }

  /** Returns the people whom a refused row may mean; an ID decides. */
  function findPeople({ id, identity }: Entry): Somebody[] {
    const withId = byIdentifier.get(id ?? '')
    if (withId) return [withId]

    if (identity.name === undefined) return identify(identity)

    const named = namesakes.get(identity.name) ?? []
    return named.length === 1 ? named : []
  }

  /** Refuses the other rows of a refused row's person. */
  function refuseOthers(entry: Entry): void {
    if (entry.isRepetition) return

    for (const { entry: other } of findPeople(entry)) {
      if (!other || other.problems.length > 0 || isOfOtherPerson(entry, other)) continue
      other.problems.push(`a linha ${lineOf(entry)}, da mesma pessoa, foi recusada`)
    }
  }
  return { settle, refuseOthers }
}

/** Returns whether a row without an ID has the email or CPF of a row with one, by mistake. */
function isOfOtherPerson(entry: Entry, { id, name }: Entry): boolean {
  return Boolean(id) && !entry.id && fold(entry.name) !== fold(name)
}

const isNameless = ({ email, cpf }: Identified) => !email && !cpf

/** The name and an identifier both differ: more likely another person than a correction. */
function isSomebodyElse(person: Person, user: User): boolean {
  const last_name = person.last_name ?? user.last_name
  const isRenamed = foldedName({ ...person, last_name }) !== foldedName(user)
  return isRenamed && (differs(person.email, user.email) || differs(person.cpf, user.cpf))
}

const differs = (one: string | null | undefined, other: string | null) =>
  one != null && one !== other

/**
 * Joins a row to the first one of the same person, and returns that; if it does not fit, adds a
 * problem and returns the row.
 */
function join(first: Entry, entry: Entry): Entry {
  const problem = problemOfJoining(first, entry)
  entry.isRepetition = !problem && isRepetition(first, entry)
  if (entry.isRepetition) entry.problems.push(`igual à linha ${lineOf(first)}`)
  if (problem) entry.problems.push(problem)
  if (entry.problems.length > 0) return entry

  first.rows.push(...entry.rows)
  first.notes.push(...entry.notes)
  first.person?.groups.push(...(entry.person?.groups ?? []))
  return first
}

function problemOfJoining(first: Entry, { id, person }: Entry): string | undefined {
  const isSame = first.person && person && comparable(first.person) === comparable(person)
  if (!isSame) return `a mesma pessoa da linha ${lineOf(first)}, com outros dados`
  if (first.id !== id) return `a mesma pessoa da linha ${lineOf(first)}, sem o ID dela`
  return undefined
}

/** Returns whether a row has no group, or one that the rows before it have. */
function isRepetition(first: Entry, { person }: Entry): boolean {
  const [group] = person?.groups ?? []
  return (
    !group || Boolean(first.person?.groups.some((other) => isSameGroup(other, group)))
  )
}

type Group = Person['groups'][number]

function isSameGroup(one: Group, other: Group): boolean {
  const isSameProcess = fold(one.protocol) === fold(other.protocol)
  return isSameProcess && fold(one.group) === fold(other.group)
}
