import { fold } from '../../src/domain/folding.ts'
import { fullName } from '../../src/domain/names.ts'
import { texts } from '../lib/language.ts'
import type { Document, Person } from './document.ts'
import type { People, User } from './state.ts'

export type Role = keyof People

/** A full name without case and accents. */
export const foldedName = ({ first_name, last_name = null }: Pick<Person, 'first_name' | 'last_name'>) =>
  fold(fullName({ first_name, last_name }))

/** The people of a document, each with the path and the role. */
export function peopleOf(document: Document): { person: Person; path: string; role: Role }[] {
  return (['administrators', 'informers'] as const).flatMap((role) =>
    (document[role] as Person[]).map((person, at) => ({ person, role, path: `${role}[${at}]` })),
  )
}

/**
 * Finds the user who has the email, the previous email or the CPF of a person.
 *
 * To avoid merging people, it is a problem if these belong to several users, or if the name and an identifier of the
 * user would change at once.
 */
export function userFinder({ administrators, informers }: People) {
  const byIdentifier = new Map(
    [...administrators, ...informers].flatMap((user) => [user.email, user.cpf].map((id) => [id, user] as const)),
  )
  return (person: Person, role: Role): { known?: User | undefined; problem?: string } => {
    const identifiers = [person.email, person.previous_email, person.cpf].filter((id) => id != null)
    const [known, ...others] = new Set(identifiers.flatMap((id) => byIdentifier.get(id) ?? []))
    if (others.length > 0) return { known, problem: texts.differentPeople }
    if (known && !{ administrators, informers }[role].includes(known)) return { known, problem: texts.otherRole }
    if (known && isSomebodyElse(person, known)) return { known, problem: texts.somebodyElse }
    return { known }
  }
}

/**
 * Matches the people of a document to known users.
 *
 * To avoid duplicates, a new person with the name of another one is a problem, unless `allow_same_name` is set or both
 * have a CPF. It is one too if two match the same user.
 */
export function matchPeople(document: Document, state: People) {
  const find = userFinder(state)
  const namesakes = {
    administrators: Map.groupBy(state.administrators, foldedName),
    informers: Map.groupBy(state.informers, foldedName),
  }
  const paths = new Map<User, string>()
  return peopleOf(document).map(({ person, path, role }) => {
    const { known, problem } = find(person, role)
    const samePath = known && paths.get(known)
    if (known) paths.set(known, path)
    const isNamesake = ({ cpf }: User) => !(person.cpf && cpf)
    const problems: string[] = []
    if (problem) problems.push(`${path}: ${problem}`)
    else if (samePath) problems.push(`${path}: is the same person as ${samePath}`)
    else if (!known && person.previous_email != null)
      problems.push(`${path}.previous_email: "${person.previous_email}" was not found`)
    else if (!known && !person.allow_same_name && namesakes[role].get(foldedName(person))?.some(isNamesake))
      problems.push(
        `${path}: a person with this name is registered: add their "previous_email" or "cpf", or "allow_same_name": true for another person`,
      )
    return { person, path, role, known, problems }
  })
}

/** Whether the name and an identifier would both change, which is more likely a mistake than a correction. */
function isSomebodyElse(person: Person, user: User): boolean {
  const { email, previous_email, cpf } = person
  const isRenamed = foldedName({ ...person, last_name: person.last_name ?? user.last_name }) !== foldedName(user)
  const differs = (one: string | null | undefined, other: string | null) => one && other && one !== other
  return isRenamed && previous_email == null && Boolean(differs(email, user.email) || differs(cpf, user.cpf))
}
