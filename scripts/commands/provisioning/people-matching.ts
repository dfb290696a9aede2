import type { Document, Person } from './document.ts'
import { foldedName, type People, type Role, userFinder } from './people.ts'
import type { User } from './state.ts'

type PersonRow = { person: Person; path: string; role: Role }
export type MatchedPerson = PersonRow & {
  known: User | undefined
  problems: string[]
}

/** Returns the people of a document, each with path and role. */
export function peopleOf(document: Pick<Document, Role>): PersonRow[] {
  return (['administrators', 'informers'] as const).flatMap((role) =>
    document[role].map((person, at) => ({ person, path: `${role}[${at}]`, role })),
  )
}

/**
 * Matches the people of a document to known users. To avoid duplicates, a new person with the name
 * of an existing one is a problem, unless `allow_same_name` is set or both have a CPF.
 */
export function matchPeople(
  document: Pick<Document, Role>,
  state: People,
): MatchedPerson[] {
  const find = userFinder(state)
  const hasNamesake = namesakeFinder(state)

  return peopleOf(document).map((row) => {
    const { known, problem } = find(row.person, row.role)
    const isUnsure = !known && hasNamesake(row.person, row.role)
    const found = problem ?? (isUnsure ? SAME_NAME : undefined)
    return { ...row, known, problems: found ? [`${row.path}: ${found}`] : [] }
  })
}

const SAME_NAME =
  'já há alguém com este nome: informe o email ou o CPF cadastrado, ' +
  'ou "allow_same_name": true se é outra pessoa'

function namesakeFinder({ administrators, informers }: People) {
  const namesakes = {
    administrators: Map.groupBy(administrators, foldedName),
    informers: Map.groupBy(informers, foldedName),
  }
  return (person: Person, role: Role): boolean => {
    if (person.allow_same_name) return false

    const isUnsure = ({ cpf }: User) => !(person.cpf && cpf)
    return namesakes[role].get(foldedName(person))?.some(isUnsure) ?? false
  }
}
