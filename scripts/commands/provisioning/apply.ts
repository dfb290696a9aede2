import { forEachConcurrently } from '../../lib/concurrency.ts'
import type { Service } from '../service/service-call.ts'
import { isRefusal } from '../service/service-error.ts'
import { type Document, DocumentError } from './document.ts'
import { listsAfter } from './lists-after.ts'
import { referenceFinder } from './lists.ts'
import { type MatchedPerson, matchPeople } from './people-matching.ts'
import { planPerson } from './people.ts'
import { planProcesses } from './processes.ts'
import { planChangelogs, planList } from './rows.ts'
import { type Lists, LISTS, readLists, readState } from './state.ts'
import type { Step } from './steps.ts'

/** Row counts by table, differences between service and document, and refusals. */
export type Report = {
  counts: Map<string, Record<Step['kind'], number>>
  differences: string[]
  refusals: string[]
}

/** Steps that each depend on the previous one, and problems that prevent sending them. */
type Chain = { steps: Step[]; problems: string[] }

type Options = {
  dryRun?: boolean
  /** Whether people who were deleted within the week are created again. */
  recreate?: boolean
  /** Called after each row with the number of rows. */
  onProgress?: (total: number) => void
}

/**
 * Creates the rows of a document that a service lacks, by requests of an administrator. Differences
 * are reported and left as they are. May be interrupted and repeated.
 * @throws {DocumentError} if it contradicts existing rows; nothing is created
 */
export async function applyDocument(
  service: Service,
  document: Document,
  { dryRun = false, recreate = false, onProgress }: Options = {},
): Promise<Report> {
  const state = await readState(service, document)
  const matched = matchPeople(document, state)
  const planPeople = (lists: Lists) => toChains(service, matched, lists, recreate)
  const people = planPeople(listsAfter(state, document))
  const problems = people.flatMap((person) => person.problems)
  if (problems.length > 0) throw new DocumentError(problems)

  const rows = [
    ...LISTS.flatMap((list) => planList(service, list, document, state)).map(alone),
    ...planProcesses(service, document.processes, state.processes),
    ...planChangelogs(service, document, state).map(alone),
  ].map((steps): Chain => ({ steps, problems: [] }))
  const steps = [...rows, ...people].flatMap((chain) => chain.steps)
  const differences = steps.flatMap((step) => step.differences ?? [])

  const report: Report = { counts: new Map(), differences, refusals: [] }
  const run = (chains: Chain[]) =>
    forEachConcurrently(chains, (chain) =>
      runChain(chain, report, dryRun, () => onProgress?.(steps.length)),
    )
  await run(rows)
  await run(dryRun ? people : planPeople(await readLists(service, document)))
  return report
}

const alone = (step: Step) => [step]

function toChains(
  service: Service,
  people: MatchedPerson[],
  lists: Lists,
  recreate: boolean,
): Chain[] {
  const findReferences = referenceFinder(lists)
  return people.map((matched) => {
    const { path, person, known } = matched
    const references = findReferences(person, known)
    const unresolved = references.problems.map(
      ([field, problem]) => `${path}.${field}: ${problem}`,
    )
    const steps = planPerson(service, { ...matched, references, recreate })
    return { steps, problems: [...matched.problems, ...unresolved] }
  })
}

/** Sends steps until one is refused. Any other failure ends the run. */
async function runChain(
  { steps, problems }: Chain,
  report: Report,
  dryRun: boolean,
  onStep: () => void,
): Promise<void> {
  report.refusals.push(...problems)
  if (problems.length > 0) return

  for (const { table, kind, path, send } of steps) {
    try {
      if (kind === 'added' && !dryRun) await send?.()
    } catch (error) {
      // after a 401, a 403 or a 5xx no other chain would survive
      if (!isRefusal(error)) throw error

      report.refusals.push(...error.reasons.map((reason) => `${path}: ${reason}`))
      return
    }
    const row = report.counts.get(table) ?? { added: 0, differing: 0, unchanged: 0 }
    row[kind] += 1
    report.counts.set(table, row)
    onStep()
  }
}
