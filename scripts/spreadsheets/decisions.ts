import type { Service } from '../lib/service-call.ts'
import type { Person } from '../provisioning/document.ts'
import { referenceFinder, type References } from '../provisioning/lists.ts'
import { foldedName, planPerson } from '../provisioning/people.ts'
import type { State, User } from '../provisioning/state.ts'
import type { Step } from '../provisioning/steps.ts'
import { changesOf, ignoredStatuses, isOutdated } from './changes.ts'
import { headingOf } from './columns.ts'
import { type Entry, linesOf, rowsWithGroup } from './entries.ts'
import { type FindInformer, informerFinder } from './matching.ts'

export type Outcome = {
  kind: 'created' | 'known' | 'differing' | 'changed' | 'deleted' | 'left' | 'refused'
  /** What there is to say of it, besides what is said of the rows. */
  messages: string[]
}

/** What comes of the rows of a person, and the requests that bring it about. */
export type Decision = Outcome & {
  known?: User | undefined
  person?: Person
  references?: References
  steps?: Step[]
}

export type Options = {
  update: boolean
  /** With `update`: also who changed in the service since the export. */
  force: boolean
  recreate: boolean
}

export type Decide = (entry: Entry, find?: FindInformer) => Decision

export function refused(...messages: string[]): Outcome {
  return { kind: 'refused', messages }
}

/** Returns a function that decides what comes of the rows of a person. Nothing is sent yet. */
export function decider(service: Service, state: State, options: Options): Decide {
  const findReferences = referenceFinder(state)
  const findKnown = informerFinder(state)
  const claimed = new Map<User, Entry>()

  return (entry, find = findKnown) => {
    if (!entry.person || entry.problems.length > 0) return refused(...entry.problems)

    const { known, problem, isDeleted } = find(entry.person, entry.id)
    if (problem) return refused(problem)
    if (isDeleted && !options.recreate) {
      return { kind: 'deleted', messages: ['foi excluído'] }
    }

    const first = known && claimed.get(known)
    if (first) {
      const [line] = linesOf(first)
      return refused(`a mesma pessoa da linha ${line}, com outros dados`)
    }
    if (known) claimed.set(known, entry)

    const person = withNamesOf(entry, entry.person, known)
    const references = findReferences(person, known)
    if (references.problems.length > 0) {
      const problems = references.problems.map((one) => describeProblem(entry, ...one))
      return refused(...problems)
    }

    const steps = planPerson(service, {
      path: '',
      role: 'informers',
      person,
      known,
      references,
      recreate: options.recreate,
    })
    const changes = known ? changesOf({ person, known, references }).join('; ') : ''
    const { kind, message } = judge(entry, known, changes, options)
    const messages = ignoredStatuses(entry, references, known)
    if (message) messages.push(message)
    return {
      kind,
      messages,
      known,
      person,
      references,
      steps: kind === 'created' || kind === 'changed' ? steps : [],
    }
  }
}

/** @param changes what the rows would change of an informer who is known */
function judge(
  entry: Entry,
  known: User | undefined,
  changes: string,
  { update, force }: Options,
): { kind: Outcome['kind']; message?: string } {
  if (!known) return { kind: 'created' }
  if (!changes) return { kind: 'known' }
  if (!update) {
    return {
      kind: 'differing',
      message: `já está no cadastro, e difere em: ${changes}`,
    }
  }
  if (isOutdated(entry, known) && !force) {
    return {
      kind: 'left',
      message: `mudou no serviço desde a exportação: ${changes}`,
    }
  }
  return {
    kind: 'changed',
    message: `alterado: ${changes}`,
  }
}

/** Where one cell has the whole name, and it is the informer's, it stays divided as it is. */
function withNamesOf({ isNameSplit }: Entry, person: Person, known?: User): Person {
  if (!known || !isNameSplit) return person
  if (foldedName(person) !== foldedName(known)) return person

  const { first_name, last_name } = known
  return { ...person, first_name, last_name }
}

const GROUP_FIELD = /^groups\[(\d+)\]\.(\w+)/

/** A problem of a reference with its heading; that of a group with the line that names it. */
function describeProblem(entry: Entry, field: string, problem: string): string {
  const [, at, name = field] = GROUP_FIELD.exec(field) ?? []
  const heading = headingOf(name === 'protocol' ? 'process' : name)

  const [firstLine] = linesOf(entry)
  const line = at === undefined ? firstLine : rowsWithGroup(entry)[Number(at)]?.line
  const place = line === firstLine ? '' : ` (linha ${line})`
  return `${heading}: ${problem}${place}`
}
