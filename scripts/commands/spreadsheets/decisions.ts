import type { Person } from '../provisioning/document.ts'
import { referenceFinder } from '../provisioning/lists.ts'
import { foldedName, planPerson, type Planned } from '../provisioning/people.ts'
import type { State, User } from '../provisioning/state.ts'
import type { Step } from '../provisioning/steps.ts'
import type { Service } from '../service/service-call.ts'
import { changesOf, ignoredStatuses, isOutdated } from './changes.ts'
import { headingOf } from './columns.ts'
import { type Entry, lineOf, rowsWithGroup } from './entries.ts'
import { informerFinder } from './matching.ts'

export type Outcome = {
  kind: 'created' | 'known' | 'differing' | 'changed' | 'deleted' | 'left' | 'refused'
  /** Messages in addition to those of the rows. */
  messages: string[]
}

/** The outcome of a person's rows, and the requests that lead to it. */
export type Decision = Outcome & { steps?: Step[] }

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

    const { known, problem, isDeleted } = findKnown(entry.person, entry.id)
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
    if (references.problems.length > 0) {
      const problems = references.problems.map((one) => describeProblem(entry, ...one))
      return refused(...problems)
    }

    const plan = { person, known, references }
    const { kind, message } = judge(entry, plan, options)
    const messages = ignoredStatuses(entry, references, known)
    if (message) messages.push(message)
    if (kind !== 'created' && kind !== 'changed') return { kind, messages }

    const { recreate } = options
    const row = { path: '', role: 'informers', formerId: entry.id, recreate } as const
    return { kind, messages, steps: planPerson(service, { ...plan, ...row }) }
  }
  return new Map(entries.map((entry) => [entry, decideOne(entry)]))
}

function judge(
  entry: Entry,
  { known, ...plan }: Planned,
  { update, force }: Options,
): { kind: Outcome['kind']; message?: string } {
  if (!known) return { kind: 'created' }

  const changes = changesOf({ ...plan, known }).join('; ')
  if (!changes) return { kind: 'known' }
  if (!update) {
    return { kind: 'differing', message: `já está no cadastro, e difere em: ${changes}` }
  }
  if (isOutdated(entry, known) && !force) {
    return { kind: 'left', message: `mudou no serviço desde a exportação: ${changes}` }
  }
  return { kind: 'changed', message: `alterado: ${changes}` }
}

/** Keeps the informer's division into first and last name if one cell has the same full name. */
function withNamesOf({ isNameSplit }: Entry, person: Person, known?: User): Person {
  if (!known || !isNameSplit) return person
  if (foldedName(person) !== foldedName(known)) return person

  const { first_name, last_name } = known
  return { ...person, first_name, last_name }
}

const GROUP_FIELD = /^groups\[(\d+)\]\.(\w+)/

/** Describes the problem of a reference with its heading, that of a group with its line. */
function describeProblem(entry: Entry, field: string, problem: string): string {
  const [, at, name = field] = GROUP_FIELD.exec(field) ?? []
  const heading = headingOf(name === 'protocol' ? 'process' : name)

  const line = at === undefined ? undefined : rowsWithGroup(entry)[Number(at)]?.line
  const place = line === undefined || line === lineOf(entry) ? '' : ` (linha ${line})`
  return `${heading}: ${problem}${place}`
}
