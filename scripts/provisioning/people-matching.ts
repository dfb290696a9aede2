import { createAdministratorBody } from '../../src/routes/administrators/schemas.ts'
import type { Document, Person } from './document.ts'
import { findRepetitions } from './lists.ts'
import { foldedName, type People, type Role, userFinder } from './people.ts'
import type { User } from './state.ts'

type PersonRow = {
  person: Person
  path: string
  role: Role
}
export type MatchedPerson = PersonRow & {
  known: User | undefined
  problems: string[]
}

/** The people of a document, each with the path and the role. */
export function peopleOf(document: Pick<Document, Role>): PersonRow[] {
  return (['administrators', 'informers'] as const).flatMap((role) =>
    document[role].map(({ path, row }) => ({
      person: row,
      path,
      role,
    })),
  )
}

/**
 * Matches the people of a document to known users.
 * To avoid duplicates, a new person with the name of another one is a problem, unless
 * `allow_same_name` is set or both have a CPF. It is one too if two match the same user, or would
 * have the same email or CPF.
 */
export function matchPeople(
  document: Pick<Document, Role>,
  state: People,
): MatchedPerson[] {
  const find = userFinder(state)
  const hasNamesake = namesakeFinder(state)
  const paths = new Map<User, string>()
  const rows = peopleOf(document)
  const repeated = repeatedIdentifiers(rows)

  return rows.map(({ person, path, role }) => {
    const { known, problem } = find(person, role)
    const samePath = (known && paths.get(known)) ?? repeated.get(path)
    if (known) {
      paths.set(known, path)
    }

    const problems: string[] = []
    if (problem) {
      problems.push(`${path}: ${problem}`)
    } else if (samePath) {
      problems.push(`${path}: is the same person as ${samePath}`)
    } else if (!known) {
      problems.push(
        ...problemsOfNew({
          person,
          path,
          role,
        }),
      )
    }
    if (!known && hasNamesake(person, role)) {
      problems.push(`${path}: ${SAME_NAME}`)
    }
    return {
      person,
      path,
      role,
      known,
      problems,
    }
  })
}

const SAME_NAME =
  'a person with this name is registered: add their "previous_email" or "cpf", ' +
  'or "allow_same_name": true for another person'

function namesakeFinder({ administrators, informers }: People) {
  const namesakes = {
    administrators: Map.groupBy(administrators, foldedName),
    informers: Map.groupBy(informers, foldedName),
  }
  return (person: Person, role: Role): boolean => {
    const isUnsure = ({ cpf }: User) => !(person.cpf && cpf)
    const isFine = person.allow_same_name || person.previous_email != null
    return !isFine && (namesakes[role].get(foldedName(person))?.some(isUnsure) ?? false)
  }
}

/** The path of who has the email or the CPF of somebody before them, and of that one. */
function repeatedIdentifiers(rows: PersonRow[]): Map<string, string> {
  const identifiers = rows.flatMap(({ path, person: { email, cpf } }) =>
    [email, cpf]
      .filter((key) => key != null)
      .map((key) => ({
        path,
        key,
      })),
  )
  return new Map(findRepetitions(identifiers).map(({ path, first }) => [path, first]))
}

function problemsOfNew({ person, path, role }: PersonRow): string[] {
  const { previous_email } = person
  if (previous_email != null) {
    return [`${path}.previous_email: "${previous_email}" was not found`]
  }
  if (role === 'informers') {
    return []
  }

  const { error } = createAdministratorBody.safeParse(person)
  return (error?.issues ?? []).map(
    (issue) => `${path}.${issue.path.join('.')}: ${issue.message}`,
  )
}
