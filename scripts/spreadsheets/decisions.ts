import type { Service } from '../lib/service-call.ts'
import type { Person } from '../provisioning/document.ts'
import { referenceFinder, type References } from '../provisioning/lists.ts'
import { foldedName, planPerson } from '../provisioning/people.ts'
import type { State, User } from '../provisioning/state.ts'
import type { Step } from '../provisioning/steps.ts'
import { changesOf, ignoredStatuses, isOutdated } from './changes.ts'
import { headingOf } from './columns.ts'
import { type Entry, linesOf, rowsWithGroup } from './entries.ts'
import { informerFinder } from './matching.ts'

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

export type Options = { update: boolean; force: boolean; recreate: boolean }

export const refused = (...messages: string[]): Outcome => ({ kind: 'refused', messages })

/** Returns a function that decides what comes of the rows of a person. Nothing is sent yet. */
export function decider(service: Service, state: State, options: Options) {
  const findReferences = referenceFinder(state)
  const findKnown = informerFinder(state)
  const claimed = new Map<User, Entry>()

  return (entry: Entry, find = findKnown): Decision => {
    if (!entry.person || entry.problems.length > 0) return refused(...entry.problems)

    const { known, problem, isDeleted } = find(entry.person, entry.id)
    if (problem) return refused(problem)
    if (isDeleted && !options.recreate) return { kind: 'deleted', messages: ['foi excluído'] }

    const first = known && claimed.get(known)
    if (first) return refused(`a mesma pessoa da linha ${linesOf(first)[0]}, com outros dados`)
    if (known) claimed.set(known, entry)

    const person = withNamesOf(entry, entry.person, known)
    const references = findReferences(person, known)
    if (references.problems.length > 0)
      return refused(...references.problems.map((one) => describeProblem(entry, ...one)))

    const plan = { path: '', role: 'informers', person, known, references, ...options } as const
    const steps = planPerson(service, plan)
    const ignored = ignoredStatuses(entry, references, known)
    if (!known) return { kind: 'created', messages: ignored, person, references, steps }

    const changes = changesOf({ person, known, references }).join('; ')
    const { kind, message } = judge(entry, known, changes, options)
    const messages = [...ignored, ...(message ? [message] : [])]
    return {
      kind,
      messages,
      known,
      ...(kind === 'changed' && { steps }),
    }
  }
}

/** What comes of the rows of an informer who is known. */
function judge(
  entry: Entry,
  known: User,
  changes: string,
  { update, force }: Options,
): { kind: Outcome['kind']; message?: string } {
  if (!changes) return { kind: 'known' }
  if (!update) return { kind: 'differing', message: `já está no cadastro, e difere em: ${changes}` }
  if (isOutdated(entry, known) && !force)
    return { kind: 'left', message: `mudou no serviço desde a exportação: ${changes}` }
  return { kind: 'changed', message: `alterado: ${changes}` }
}

/** Where first and last name are one cell that names the informer, they stay divided as they are. */
function withNamesOf({ isNameSplit }: Entry, person: Person, known?: User): Person {
  if (!known || !isNameSplit || foldedName(person) !== foldedName(known)) return person
  return { ...person, first_name: known.first_name, last_name: known.last_name }
}

/** A problem of a reference with its heading; that of a group with the line that names it. */
function describeProblem(entry: Entry, field: string, problem: string): string {
  const [, at, name = field] = /^groups\[(\d+)\]\.(\w+)/.exec(field) ?? []
  const heading = headingOf(name === 'protocol' ? 'process' : name)
  const [firstLine] = linesOf(entry)
  const line = at === undefined ? firstLine : rowsWithGroup(entry)[Number(at)]?.line
  return `${heading}: ${problem}${line === firstLine ? '' : ` (linha ${line})`}`
}
