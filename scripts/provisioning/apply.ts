import { fold } from '../../src/domain/folding.ts'
import { forEachConcurrently } from '../lib/concurrency.ts'
import type { Service } from '../lib/service-call.ts'
import { isRefusal } from '../lib/service-error.ts'
import { changelogProblems, planChangelogs } from './changelogs.ts'
import { DocumentError, parseDocument } from './document.ts'
import { matchItems } from './list-matching.ts'
import { listProblems, planList } from './list-plans.ts'
import { listsAfter } from './lists-after.ts'
import { referenceFinder } from './lists.ts'
import { matchPeople } from './people-matching.ts'
import { planPerson } from './people.ts'
import { planProcesses, processProblems } from './processes.ts'
import { type Lists, LISTS, readLists, readState } from './state.ts'
import type { Step } from './steps.ts'

/** Row counts by table, and what the service refused, with its path. */
export type Report = {
  counts: Map<string, Record<Step['kind'], number>>
  refusals: string[]
}

/** Steps of which each needs the one before, and what keeps them from being sent. */
type Chain = {
  steps: Step[]
  problems: string[]
}

const NONE = {
  added: 0,
  changed: 0,
  removed: 0,
  unchanged: 0,
  repeated: 0,
}

type Options = {
  dryRun?: boolean
  recreate?: boolean
  onProgress?: (total: number) => void
}

/**
 * Brings a service to what a document says, by requests of an administrator: adds what is unknown,
 * changes what differs. What is not in the document stays, except the other groups of an informer
 * with `groups_are_complete`. Existing passwords and changelog entries are never changed. May be
 * interrupted and repeated.
 * @param content the parsed JSON document
 * @param options.recreate also people who were deleted within the week
 * @param options.onProgress called with the number of rows, after each
 * @throws {DocumentError} if it is invalid or contradicts what is known; nothing is changed
 */
export async function applyDocument(
  service: Service,
  content: unknown,
  { dryRun = false, recreate = false, onProgress }: Options = {},
): Promise<Report> {
  const { rows, planPeople, after, needs } = await plan(service, content, recreate)
  const people = planPeople(after)
  const total = [...rows, ...people].flatMap(({ steps }) => steps).length

  const report: Report = { counts: new Map(), refusals: [] }
  const run = (chains: Chain[]) =>
    forEachConcurrently(chains, (chain) =>
      runChain(chain, report, dryRun, () => onProgress?.(total)),
    )
  await run(rows)
  await run(dryRun ? people : planPeople(await readLists(service, needs)))
  return report
}

/**
 * Compares a document with what the service knows.
 * @throws {DocumentError} with everything that is wrong
 */
async function plan(service: Service, content: unknown, recreate: boolean) {
  const { document, problems, doubtful } = parseDocument(content)
  const { processes, changelogs, informers } = document
  const state = await readState(service, document)
  const isDoubtful = (name: string) => doubtful.has(fold(name.trim()))

  const matches = {
    categories: matchItems(document.categories, state.categories),
    treatment_pronouns: matchItems(document.treatment_pronouns, state.treatment_pronouns),
    dioceses: matchItems(document.dioceses, state.dioceses),
  }
  const people = matchPeople(document, state)
  const planPeople = (lists: Lists): Chain[] => {
    const findReferences = referenceFinder(lists, isDoubtful)
    return people.map((matched) => {
      const references = findReferences(matched.person, matched.known)
      const unresolved = references.problems.map(
        ([field, problem]) => `${matched.path}.${field}: ${problem}`,
      )
      const steps = planPerson(service, {
        ...matched,
        references,
        recreate,
      })
      return {
        steps,
        problems: [...matched.problems, ...unresolved],
      }
    })
  }

  const after = listsAfter(state, matches, processes)
  problems.push(
    ...LISTS.flatMap((list) =>
      listProblems(list, state[list], matches[list], isDoubtful),
    ),
    ...processProblems(processes),
    ...changelogProblems(changelogs, state.changelogs),
    ...planPeople(after).flatMap((person) => person.problems),
  )
  if (problems.length > 0) {
    throw new DocumentError(problems)
  }

  const rows = [
    ...LISTS.flatMap((list) => planList(service, list, matches[list])),
    ...planProcesses(service, processes, state.processes),
    ...planChangelogs(service, changelogs, state.changelogs),
  ].map((steps): Chain => ({
    steps,
    problems: [],
  }))
  return {
    rows,
    planPeople,
    after,
    needs: { informers },
  }
}

/** Sends steps until one is refused. Any other failure ends the run. */
async function runChain(
  { steps, problems }: Chain,
  report: Report,
  dryRun: boolean,
  onStep: () => void,
): Promise<void> {
  report.refusals.push(...problems)
  if (problems.length > 0) {
    return
  }

  for (const { table, kind, path, send } of steps) {
    try {
      if (!dryRun) {
        await send?.()
      }
    } catch (error) {
      // after a 401, a 403 or a 5xx no other chain would survive
      if (!isRefusal(error)) {
        throw error
      }
      report.refusals.push(...error.reasons.map((reason) => `${path}: ${reason}`))
      return
    }
    const row = report.counts.get(table) ?? { ...NONE }
    row[kind] += 1
    report.counts.set(table, row)
    onStep()
  }
}
