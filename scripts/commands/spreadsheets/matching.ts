import type { Person } from './person.ts'
import type { Informer, State, User } from './state.ts'
import { fold } from '#domain/folding.ts'
import { fullName } from '#domain/names.ts'

/**
 * The informer that a row means; or that the person with its ID was deleted; or why it is unclear.
 */
export type Match = {
  known?: Informer | undefined
  isDeleted?: boolean
  problem?: string
  /** A remark about somebody whom nobody is. */
  note?: string
}

type People = Pick<State, 'administrators' | 'informers'>
type Named = Pick<Person, 'first_name' | 'last_name'>
type Identified = Pick<Person, 'email' | 'cpf'>

const ADMINISTRATOR = 'já é administrador'
const DIFFERENT_PEOPLE = 'o e-mail e o CPF estão cadastrados para pessoas diferentes'
const SOMEBODY_ELSE =
  'o nome e o e-mail ou CPF mudam ao mesmo tempo: corrija um de cada vez'
const SEVERAL = 'há várias pessoas com este nome, sem e-mail nem CPF'
const OTHER_PERSON = 'o ID é de uma pessoa, e o e-mail ou o CPF de outra'
const NAMESAKE =
  'já há alguém com este nome, sem e-mail nem CPF: se é a mesma pessoa, use o ID'
const NO_SUCH_ID =
  'ninguém tem este ID, mas o e-mail, o CPF ou o nome já está no cadastro'

/** Returns a full name without case and accents. */
export const foldedName = ({ first_name, last_name = null }: Named) =>
  fold(fullName({ first_name, last_name }))

const isNameless = ({ email, cpf }: Identified) => !email && !cpf

/**
 * Finds the informer that a row means: by ID, otherwise by email or CPF, or by name if the row has
 * neither.
 */
export function informerFinder({ informers, administrators }: People) {
  const byId = new Map(informers.map((informer) => [informer.id, informer]))
  const administratorIds = new Set(administrators.map(({ id }) => id))
  const byIdentifier = new Map(
    [...administrators, ...informers].flatMap((user) => [
      [user.email, user.id],
      [user.cpf, user.id],
    ]),
  )
  const namesakes = Map.groupBy(informers.filter(isNameless), foldedName)

  /** Returns the ids of the users who have the email or the CPF of a person. */
  function identify({ email, cpf }: Person): string[] {
    const ids = [email, cpf].map(
      (identifier) => identifier && byIdentifier.get(identifier),
    )
    return [...new Set(ids.filter((id) => id != null))]
  }

  function matchWithoutId(person: Person): Match {
    const [id, ...others] = identify(person)
    if (others.length > 0) return { problem: DIFFERENT_PEOPLE }
    if (id) {
      return administratorIds.has(id) ? { problem: ADMINISTRATOR } : match(person, id)
    }

    const [known, ...more] = namesakes.get(foldedName(person)) ?? []
    if (!isNameless(person)) return known ? { note: NAMESAKE } : {}
    return more.length > 0 ? { problem: SEVERAL } : { known }
  }

  function matchWithId(person: Person, id: string): Match {
    if (administratorIds.has(id)) return { problem: ADMINISTRATOR }
    if (byId.has(id)) {
      const isOther = identify(person).some((other) => other !== id)
      return isOther ? { problem: OTHER_PERSON } : match(person, id)
    }

    const isTaken = isNameless(person)
      ? namesakes.has(foldedName(person))
      : identify(person).length > 0
    return isTaken ? { problem: NO_SUCH_ID } : { isDeleted: true }
  }

  function match(person: Person, id: string): Match {
    const known = byId.get(id)
    return known && isSomebodyElse(person, known) ? { problem: SOMEBODY_ELSE } : { known }
  }

  return (person: Person, id?: string): Match =>
    id === undefined ? matchWithoutId(person) : matchWithId(person, id)
}

/** The name and an identifier both differ: more likely another person than a correction. */
function isSomebodyElse(person: Person, user: User): boolean {
  const last_name = person.last_name ?? user.last_name
  const isRenamed = foldedName({ ...person, last_name }) !== foldedName(user)
  return isRenamed && (differs(person.email, user.email) || differs(person.cpf, user.cpf))
}

const differs = (one: string | null | undefined, other: string | null) =>
  one != null && one !== other
