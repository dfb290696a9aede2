import { texts } from '../lib/language.ts'
import type { Person } from '../provisioning/document.ts'
import { foldedName, isSomebodyElse, type People, userFinder } from '../provisioning/people.ts'
import type { User } from '../provisioning/state.ts'

/** Whom a row means; or that the person with its ID was deleted; or why that cannot be told. */
export type Match = { known?: User | undefined; isDeleted?: boolean; problem?: string }

export const isNameless = ({ email, cpf }: Pick<Person, 'email' | 'cpf'>) => !email && !cpf

/** Finds the informer that a row means: by the ID, or else by email or CPF, or by name one who has neither. */
export function informerFinder(people: People): (person: Person, id?: string) => Match {
  const findByIdentifiers = userFinder(people)
  const byId = new Map(people.informers.map((informer) => [informer.id, informer]))
  const administrators = new Set(people.administrators.map((administrator) => administrator.id))
  const namesakes = Map.groupBy(people.informers.filter(isNameless), foldedName)
  const findByName = (person: Person) => namesakes.get(foldedName(person)) ?? []

  return (person, id) => {
    const found = findByIdentifiers(person, 'informers')
    if (id === undefined) {
      if (found.known || found.problem) return found

      const [known, ...others] = findByName(person)
      return others.length > 0 ? { problem: SEVERAL } : { known }
    }

    const known = byId.get(id)
    if (known) return checkMatch(known, person, found)
    if (administrators.has(id)) return { problem: texts.otherRole }

    const isTaken = isNameless(person) ? findByName(person).length > 0 : found.known
    return isTaken ? { problem: NO_SUCH_ID } : { isDeleted: true }
  }
}

const SEVERAL = 'há várias pessoas com este nome, sem e-mail nem CPF'
const NO_SUCH_ID = 'ninguém tem este ID, mas o e-mail, o CPF ou o nome já está no cadastro'
const OTHER_PERSON = 'o ID é de uma pessoa, e o e-mail ou o CPF de outra'

/** Checks that a row with the ID of an informer does not mean somebody else. */
function checkMatch(known: User, person: Person, found: Match): Match {
  if (found.known && (found.known !== known || found.problem === texts.differentPeople))
    return { problem: OTHER_PERSON }
  return isSomebodyElse(person, known) ? { problem: texts.somebodyElse } : { known }
}
