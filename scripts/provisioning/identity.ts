import { fold } from '../../src/domain/folding.ts'
import { fullName } from '../../src/domain/names.ts'
import type { Document, Person } from './document.ts'
import type { State, User } from './state.ts'

export type Role = 'administrators' | 'informers'

const REGISTERED_NAME =
  ': a person with this name is registered: add their "previous_email" or "cpf", or "allow_same_name": true for another person'

/** A full name without case and accents. */
const foldedName = ({ first_name, last_name = null }: Pick<Person, 'first_name' | 'last_name'>) =>
  fold(fullName({ first_name, last_name }))

/** The people of a document, each with the path and the role. */
export function peopleOf(document: Document): (Person & { path: string; role: Role })[] {
  return (['administrators', 'informers'] as const).flatMap((role) =>
    (document[role] as Person[]).map((person, at) => ({ ...person, role, path: `${role}[${at}]` })),
  )
}

/** Finds the users who have the email, the previous email or the CPF of a person. */
export function identifierFinder(users: User[]): (person: Person) => User[] {
  const byIdentifier = new Map(
    users.flatMap((user) => [user.email, user.cpf].flatMap((id) => (id ? [[id, user] as const] : []))),
  )
  return ({ email, previous_email, cpf }) => [
    ...new Set([email, previous_email, cpf].flatMap((id) => (id && byIdentifier.get(id)) || [])),
  ]
}

/**
 * Matches the people of a document to known users by email, previous email or CPF.
 *
 * To avoid duplicates, a new person with the name of another one is a problem, unless `allow_same_name` is set or both
 * have a CPF. To avoid merging people, it is a problem if two match the same user, or if the name and an identifier of
 * a user would change at once.
 *
 * @returns the matched users by path in the document
 */
export function matchUsers(document: Document, state: State) {
  const find = identifierFinder([...state.administrators, ...state.informers])
  const namesakes = {
    administrators: Map.groupBy(state.administrators, foldedName),
    informers: Map.groupBy(state.informers, foldedName),
  }
  const paths = new Map<User, string>()
  const users = new Map<string, User>()
  const problems: string[] = []

  for (const person of peopleOf(document)) {
    const { path, role, previous_email, cpf, allow_same_name } = person
    const report = (message: string) => problems.push(`${path}${message}`)
    const [match, ...others] = find(person)
    if (match) {
      const samePath = paths.get(match)
      if (others.length > 0) report(': email, previous email and CPF belong to different people')
      else if (samePath) report(`: is the same person as ${samePath}`)
      else if (!state[role].includes(match)) report(': is registered in another role')
      else if (isSomebodyElse(person, match))
        report(': is registered with another name and another email or CPF: correct one at a time')
      paths.set(match, path)
      users.set(path, match)
    } else if (previous_email !== undefined) {
      report(`.previous_email: "${previous_email}" was not found`)
    } else {
      const sameName = namesakes[role].get(foldedName(person)) ?? []
      if (!allow_same_name && sameName.some((user) => !(cpf && user.cpf))) report(REGISTERED_NAME)
    }
  }
  return { users, problems }
}

/** Whether the name and an identifier would both change, which is more likely a mistake than a correction. */
export function isSomebodyElse(person: Person, user: User): boolean {
  const { email, previous_email, cpf } = person
  const isRenamed = foldedName({ ...person, last_name: person.last_name ?? user.last_name }) !== foldedName(user)
  const differs = (one: string | undefined, other: string | null) => one && other && one !== other
  return isRenamed && previous_email === undefined && Boolean(differs(email, user.email) || differs(cpf, user.cpf))
}
