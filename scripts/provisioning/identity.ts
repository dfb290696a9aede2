import { foldedName, type Person } from './rows.ts'
import type { User } from './state.ts'

const REGISTERED_NAME =
  ': a person with this name is registered: add their "previous_email" or "cpf", or "allow_same_name": true for another person'

/**
 * Matches the people of a document to known users by email, previous email or CPF.
 *
 * To avoid duplicates, a new person with the name of another one is a problem, unless `allow_same_name` is set or both
 * have a CPF. To avoid merging people, it is a problem if two match the same user, or if the name and an identifier of
 * a user would change at once.
 *
 * @returns the matched users by path in the document
 */
export function matchUsers(people: Person[], known: ReadonlyMap<string, User>) {
  const byIdentifier = new Map<string, User>()
  for (const user of known.values()) {
    if (user.email) byIdentifier.set(user.email, user)
    if (user.cpf) byIdentifier.set(user.cpf, user)
  }
  const byName = Map.groupBy(known.values(), ({ role, name_folded }) => `${role} ${name_folded}`)
  const newByName = new Map<string, { path: string; cpf: string | undefined }[]>()
  const paths = new Map<User, string>()
  const users = new Map<string, User>()
  const problems: string[] = []

  for (const person of people) {
    const { path, role, first_name, email, previous_email, cpf, allow_same_name } = person
    const report = (message: string) => problems.push(`${path}${message}`)
    const identifiers = [email, previous_email, cpf].filter((identifier) => identifier !== undefined)
    const [user, ...others] = new Set(identifiers.flatMap((identifier) => byIdentifier.get(identifier) ?? []))
    if (user) {
      const samePath = paths.get(user)
      if (others.length > 0) report(': email, previous email and CPF belong to different people')
      else if (samePath) report(`: is the same person as ${samePath}`)
      else if (user.role !== role) report(': is registered in another role')
      else if (first_name !== undefined && isSomebodyElse(person, user))
        report(': is registered with another name and another email or CPF: correct one at a time')
      paths.set(user, path)
      users.set(path, user)
    } else if (previous_email !== undefined) {
      report(`.previous_email: "${previous_email}" was not found`)
    } else if (first_name !== undefined) {
      const name = `${role} ${foldedName(person)}`
      const mayBeSame = (other: { cpf?: string | null | undefined }) =>
        !allow_same_name && !(cpf && other.cpf)
      const others = newByName.get(name) ?? []
      const same = others.find(mayBeSame)
      if (byName.get(name)?.some(mayBeSame)) report(REGISTERED_NAME)
      else if (same) report(`: has the name of ${same.path}: add "allow_same_name": true for another person`)
      newByName.set(name, [...others, { path, cpf }])
    }
  }
  return { users, problems }
}

/** Whether the name and an identifier would both change, which is more likely a mistake than a correction. */
function isSomebodyElse(person: Person, user: User): boolean {
  const { first_name, last_name, email, previous_email, cpf } = person
  const isRenamed = foldedName({ first_name, last_name: last_name ?? user.last_name }) !== user.name_folded
  const differs = (one: string | undefined, other: string | null) => one && other && one !== other
  return (
    isRenamed && previous_email === undefined && Boolean(differs(email, user.email) || differs(cpf, user.cpf))
  )
}
