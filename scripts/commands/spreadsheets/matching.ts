import { texts } from '../../lib/language.ts'
import type { Person } from '../provisioning/document.ts'
import {
  foldedName,
  isSomebodyElse,
  type People,
  userFinder,
} from '../provisioning/people.ts'
import type { User } from '../provisioning/state.ts'

/**
 * The informer that a row means; or that the person with its ID was deleted; or why it is unclear.
 */
export type Match = {
  known?: User | undefined
  isDeleted?: boolean
  problem?: string
}

type Identified = Pick<Person, 'email' | 'cpf'>

const isNameless = ({ email, cpf }: Identified) => !email && !cpf

const SEVERAL = 'há várias pessoas com este nome, sem e-mail nem CPF'
const OTHER_PERSON = 'o ID é de uma pessoa, e o e-mail ou o CPF de outra'
const NO_SUCH_ID =
  'ninguém tem este ID, mas o e-mail, o CPF ou o nome já está no cadastro'

/**
 * Finds the informer that a row means: by ID, otherwise by email or CPF, or by name if they have
 * neither.
 */
export function informerFinder(people: People) {
  const findByIdentifiers = userFinder(people)
  const { informers, administrators } = people
  const byId = new Map(informers.map((informer) => [informer.id, informer]))
  const administratorIds = new Set(administrators.map(({ id }) => id))
  const namesakes = Map.groupBy(informers.filter(isNameless), foldedName)

  return (person: Person, id?: string): Match => {
    const found = findByIdentifiers(person, 'informers')
    const sameName = namesakes.get(foldedName(person)) ?? []
    if (id === undefined) return matchWithoutId(found, sameName)

    const known = byId.get(id)
    if (known) return matchWithId(known, person, found)
    if (administratorIds.has(id)) return { problem: texts.otherRole }

    const isTaken = isNameless(person) ? sameName.length > 0 : found.known
    return isTaken ? { problem: NO_SUCH_ID } : { isDeleted: true }
  }
}

/** @param sameName people who have only a name, this one */
function matchWithoutId(found: Match, sameName: User[]): Match {
  if (found.known || found.problem) return found

  const [known, ...others] = sameName
  return others.length > 0 ? { problem: SEVERAL } : { known }
}

/** Checks that a row with the ID of an informer does not mean somebody else. */
function matchWithId(known: User, person: Person, found: Match): Match {
  const isOther = found.known && found.known !== known
  if (isOther || found.problem === texts.differentPeople) return { problem: OTHER_PERSON }
  if (isSomebodyElse(person, known)) return { problem: texts.somebodyElse }
  return { known }
}
