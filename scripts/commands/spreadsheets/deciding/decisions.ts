import { type Informer, referenceFinder, type References, type State } from '../state.ts'
import { type Changes, compare, ignoredStatuses, isOutdated } from './changes.ts'
import { type Entry, foldedName } from './people.ts'
import type { Person } from './person.ts'

export type Outcome = {
  kind: 'created' | 'known' | 'differing' | 'changed' | 'deleted' | 'left' | 'refused'
  /** Messages in addition to those of the rows. */
  messages: string[]
  /** Whether somebody was created with an email and no password, and got no mail. */
  gotNoMail?: boolean | undefined
}

/** The outcome of a person's rows, and what leads to it. */
export type Decision = Outcome &
  (
    | { kind: 'created'; person: Person; references: References }
    | { kind: 'changed'; person: Person; known: Informer; changes: Changes }
    | { kind: Exclude<Outcome['kind'], 'created' | 'changed'> }
  )

export function refused(...messages: string[]) {
  return { kind: 'refused', messages } as const
}

/**
 * Decides the outcome of each person's rows.
 * @param update whether known people are changed
 */
export function decide(
  entries: Entry[],
  state: State,
  { update }: { update: boolean },
): Map<Entry, Decision> {
  const findReferences = referenceFinder(state)

  function decideOne(entry: Entry): Decision {
    const { known, isDeleted, problems } = entry
    if (!entry.person || problems.length > 0) return refused(...problems)
    if (isDeleted) return { kind: 'deleted', messages: ['foi excluído'] }

    const person = withNamesOf(entry, entry.person)
    const references = findReferences(person, known)
    if (references.problems.length > 0) return refused(...references.problems)

    const ignored = ignoredStatuses(entry, person, references, known)
    if (!known) {
      const { email, password, require_email_verification } = person
      const gotNoMail = Boolean(email) && !password && !require_email_verification
      return { kind: 'created', messages: ignored, gotNoMail, person, references }
    }

    const changes = compare({ person, known, references })
    const told = changes.descriptions.join('; ')
    if (!told) return { kind: 'known', messages: ignored }
    if (!update) {
      const message = `já está no cadastro, e difere em: ${told}`
      return { kind: 'differing', messages: [...ignored, message] }
    }
    if (isOutdated(entry, known)) {
      const message = `mudou no serviço desde a exportação: ${told}`
      return { kind: 'left', messages: [...ignored, message] }
    }
    const messages = [...ignored, `alterado: ${told}`]
    return { kind: 'changed', messages, person, known, changes }
  }
  return new Map(entries.map((entry) => [entry, decideOne(entry)]))
}

/** Keeps the informer's division into first and last name if one cell has the same full name. */
function withNamesOf({ rows, known }: Entry, person: Person): Person {
  const isNameSplit = rows[0]?.texts.first_name === undefined
  if (!known || !isNameSplit) return person
  if (foldedName(person) !== foldedName(known)) return person

  const { first_name, last_name } = known
  return { ...person, first_name, last_name }
}
