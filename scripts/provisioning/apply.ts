import { fold } from '../../src/domain/folding.ts'
import { forEachConcurrently } from '../lib/concurrency.ts'
import type { Service } from '../lib/service-call.ts'
import { isRefusal } from '../lib/service-error.ts'
import { type Document, DocumentError, type ListItem, parseDocument } from './document.ts'
import { byField, itemFinder, listsAfter, referenceFinder } from './lists.ts'
import { matchPeople, planPerson } from './people.ts'
import { type Lists, LISTS, readLists, readState, type State } from './state.ts'
import { rowStep, type Step, withChildren } from './steps.ts'

/** Row counts by table, and what the service refused, with its path. */
export type Report = { counts: Map<string, Record<Step['kind'], number>>; refusals: string[] }
/** Steps of which each needs the one before, and what keeps them from being sent. */
type Chain = { steps: Step[]; problems: string[] }

const NONE = { added: 0, changed: 0, removed: 0, unchanged: 0, repeated: 0 }

type Options = { dryRun?: boolean; recreate?: boolean; onProgress?: (total: number) => void }

/**
 * Brings a service to what a document says, by requests of an administrator: adds what is unknown, changes what
 * differs. What is not in the document stays, except the other groups of an informer with `groups_are_complete`.
 * Existing passwords and changelog entries are never changed. May be interrupted and repeated.
 * @param content the parsed JSON document
 * @param options.recreate also people who were deleted within the week
 * @param options.onProgress called with the number of rows, after each
 * @throws {DocumentError} if it is invalid or contradicts what is known; nothing is changed
 */
export async function applyDocument(
  service: Service,
  content: unknown,
  options: Options = {},
): Promise<Report> {
  const { dryRun = false, recreate = false, onProgress } = options
  const document = parseDocument(content)
  const state = await readState(service, document)
  const people = matchPeople(document, state)
  const planPeople = (lists: Lists): Chain[] => {
    const find = referenceFinder(lists)
    return people.map(({ problems, ...matched }) => {
      const references = find(matched.person, matched.known)
      const unresolved = references.problems.map(
        ([field, problem]) => `${matched.path}.${field}: ${problem}`,
      )
      const steps = planPerson(service, { ...matched, references, recreate })
      return { steps, problems: [...problems, ...unresolved] }
    })
  }
  const others = [
    ...planProcesses(service, document, state),
    ...planChangelogs(service, document, state),
  ]
  const rows = [
    ...planLists(service, document, state),
    ...others.map((steps) => ({ steps, problems: [] })),
  ]
  const planned = [...rows, ...planPeople(listsAfter(state, document))]
  const problems = planned.flatMap(({ problems }) => problems)
  if (problems.length > 0) throw new DocumentError(problems)

  const total = planned.flatMap(({ steps }) => steps).length
  const report: Report = { counts: new Map(), refusals: [] }
  const run = (chains: Chain[]) =>
    forEachConcurrently(chains, async ({ steps, problems }) => {
      report.refusals.push(...problems)
      for (const { table, kind, path, send } of problems.length > 0 ? [] : steps)
        try {
          if (!dryRun) await send?.()
          const row = report.counts.get(table) ?? { ...NONE }
          row[kind] += 1
          report.counts.set(table, row)
          onProgress?.(total)
        } catch (error) {
          if (!isRefusal(error)) throw error // 401, 403, 5xx: no other chain would survive
          report.refusals.push(...error.reasons.map((reason) => `${path}: ${reason}`))
          return
        }
    })
  if (dryRun) await run(planned)
  else {
    await run(rows)
    await run(planPeople(await readLists(service, { informers: document.informers })))
  }
  return report
}

function planLists(service: Service, document: Document, state: State): Chain[] {
  return LISTS.flatMap((list) => {
    const find = itemFinder(state[list])
    return document[list].map(({ previous_name, ...fields }: ListItem, at) => {
      const path = `${list}[${at}]`
      const [known, ...others] = find({ previous_name, ...fields })
      const problems: string[] = []
      if (others.length > 0)
        problems.push(`${path}: there are several with this name: add the state`)
      if (!known && previous_name !== undefined)
        problems.push(`${path}.previous_name: "${previous_name}" was not found`)
      return { steps: [rowStep(service, { table: list, path }, fields, known)], problems }
    })
  })
}

function planProcesses(service: Service, { processes }: Document, state: State): Step[][] {
  const knownProcesses = byField('protocol', state.processes)
  return processes.flatMap((process, at) => {
    const path = `processes[${at}]`
    const known = knownProcesses.get(fold(process.protocol))
    const row = rowStep(service, { table: 'processes', path }, process, known)
    const knownGroups = byField('name', known?.groups)
    const groups = process.groups.flatMap((group, at) => {
      const place = { table: 'groups', path: `${path}.groups[${at}]` }
      const knownGroup = knownGroups.get(fold(group.name))
      const row = rowStep(
        service,
        place,
        group,
        knownGroup,
        known ? `/processes/${known.id}/groups` : '',
      )
      const knownTitles = byField('title', knownGroup?.questionnaires)
      const collection = knownGroup ? `/groups/${knownGroup.id}/questionnaires` : ''
      const questionnaires = group.questionnaires.map((title, at) => {
        const row = { table: 'questionnaires', path: `${place.path}.questionnaires[${at}]` }
        return [rowStep(service, row, { title }, knownTitles.get(fold(title)), collection)]
      })
      return withChildren(row, questionnaires)
    })
    return withChildren(row, groups)
  })
}

function planChangelogs(service: Service, { changelogs }: Document, state: State): Step[][] {
  return changelogs.map((entry, at) => {
    const row = { table: 'changelogs', path: `changelogs[${at}]` }
    const isKnown = state.changelogs.some(
      ({ version, title }) => version === entry.version && title === entry.title,
    )
    return [isKnown ? { ...row, kind: 'unchanged' } : rowStep(service, row, entry, undefined)]
  })
}
