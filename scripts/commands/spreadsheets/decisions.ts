import type { Service } from '../service/service-call.ts'
import { describeChanges, ignoredStatuses, isOutdated, type Plan } from './changes.ts'
import { type Entry, lineOf } from './entries.ts'
import { foldedName, informerFinder } from './matching.ts'
import type { Person } from './person.ts'
import { referenceFinder } from './references.ts'
import { createInformer, updateInformer } from './requests.ts'
import type { Informer, State } from './state.ts'

export type Outcome = {
  kind: 'created' | 'known' | 'differing' | 'changed' | 'deleted' | 'left' | 'refused'
  /** Messages in addition to those of the rows. */
  messages: string[]
}

/** The outcome of a person's rows, and the requests that lead to it. */
export type Decision = Outcome & { send?: () => Promise<void> }

export type Options = {
  update: boolean
  /** With `update`: also updates people who changed in the service since the export. */
  force: boolean
  recreate: boolean
}

export function refused(...messages: string[]): Outcome {
  return { kind: 'refused', messages }
}

/** Decides the outcome of each person's rows. Sends nothing. */
export function decide(
  service: Service,
  entries: Entry[],
  state: State,
  options: Options,
): Map<Entry, Decision> {
  const findReferences = referenceFinder(state)
  const findKnown = informerFinder(state)
  /** which entry claims which informer: rows with an ID come first, wherever they stand */
  const claims = new Map(entries.map((entry) => [entry.id, entry]))

  function decideOne(entry: Entry): Decision {
    if (!entry.person || entry.problems.length > 0) return refused(...entry.problems)

    const { known, problem, isDeleted, note } = findKnown(entry.person, entry.id)
    if (problem) return refused(problem)
    if (isDeleted && !options.recreate) {
      return { kind: 'deleted', messages: ['foi excluído'] }
    }

    const claim = known && claims.get(known.id)
    if (claim && !entry.id) {
      return refused(`a mesma pessoa da linha ${lineOf(claim)}, com outros dados`)
    }
    if (known) claims.set(known.id, entry)

    const person = withNamesOf(entry, entry.person, known)
    const references = findReferences(person, known)
    if (references.problems.length > 0) return refused(...references.problems)

    const ignored = ignoredStatuses(entry, person, references, known)
    if (!known) {
      const plan = { person, references, formerId: entry.id, recreate: options.recreate }
      const send = () => createInformer(service, plan)
      return { kind: 'created', messages: note ? [note, ...ignored] : ignored, send }
    }

    const plan = { person, known, references }
    const { kind, messages } = decideKnown(entry, plan, options)
    const decision = { kind, messages: [...ignored, ...messages] }
    if (kind !== 'changed') return decision
    return { ...decision, send: () => updateInformer(service, plan) }
  }
  return new Map(entries.map((entry) => [entry, decideOne(entry)]))
}

function decideKnown(entry: Entry, plan: Plan, { update, force }: Options): Outcome {
  const changes = describeChanges(plan).join('; ')
  if (!changes) return { kind: 'known', messages: [] }
  if (!update) {
    return {
      kind: 'differing',
      messages: [`já está no cadastro, e difere em: ${changes}`],
    }
  }
  if (isOutdated(entry, plan.known) && !force) {
    return {
      kind: 'left',
      messages: [`mudou no serviço desde a exportação: ${changes}`],
    }
  }
  return { kind: 'changed', messages: [`alterado: ${changes}`] }
}

/** Keeps the informer's division into first and last name if one cell has the same full name. */
function withNamesOf({ isNameSplit }: Entry, person: Person, known?: Informer): Person {
  if (!known || !isNameSplit) return person
  if (foldedName(person) !== foldedName(known)) return person

  const { first_name, last_name } = known
  return { ...person, first_name, last_name }
}
