import { fold } from '../../src/domain/folding.ts'
import type { Service } from '../lib/service-client.ts'
import { type Document, DocumentError, type ListItem, parseDocument } from './document.ts'
import { matchUsers, peopleOf } from './identity.ts'
import { planPerson } from './people.ts'
import { referenceFinder } from './references.ts'
import { itemFinder, LISTS, listsAfter, PATHS, readState, type State } from './state.ts'
import { rowStep, runChains, type Step } from './steps.ts'

/** Row counts by table, and what the service refused, with its path. */
export type Report = { counts: Map<string, Record<Step['kind'], number>>; refusals: string[] }

const NONE = { added: 0, changed: 0, removed: 0, unchanged: 0, repeated: 0 }

type Options = { dryRun?: boolean; recreate?: boolean; onProgress?: (total: number) => void }

/**
 * Brings a service to what a document says, by requests of an administrator: adds what is unknown, changes what
 * differs. What is not in the document stays, except the other groups of an informer with `groups_are_complete`.
 * Existing passwords and changelog entries are never changed. May be interrupted and repeated.
 *
 * @param content the parsed JSON document
 * @param options.recreate also people who were deleted within the week
 * @param options.onProgress called with the number of chains of requests, after each
 * @throws {DocumentError} if it is invalid or contradicts what is known; nothing is changed
 */
export async function applyDocument(
  service: Service,
  content: unknown,
  { dryRun = false, recreate = false, onProgress }: Options = {},
): Promise<Report> {
  const document = parseDocument(content)
  const state = await readState(service, document)
  const lists = planLists(service, document, state)
  const rest = planRest(service, document, state)
  const people = planPeople(service, document, state, recreate)
  const problems = [...lists.problems, ...people.problems]
  if (problems.length > 0) throw new DocumentError(problems)

  const report: Report = { counts: new Map(), refusals: [] }
  for (const chains of [[...lists.chains, ...rest], people.chains])
    await runChains(dryRun ? chains.map((chain) => chain.map(({ send: _, ...step }) => step)) : chains, {
      done: ({ table, kind, count = 1 }) => {
        const row = report.counts.get(table) ?? { ...NONE }
        row[kind] += count
        report.counts.set(table, row)
        onProgress?.([...lists.chains, ...rest, ...people.chains].flat().length)
      },
      refused: ({ path }, { reasons }) =>
        report.refusals.push(...reasons.map((reason) => `${path}: ${reason}`)),
    })
  return report
}

function planLists(service: Service, document: Document, state: State) {
  const problems: string[] = []
  const chains = LISTS.flatMap((list) => {
    const find = itemFinder(state[list])
    const required = list === 'dioceses' ? 'state' : 'description'
    return document[list].map((item: ListItem, at) => {
      const path = `${list}[${at}]`
      const { previous_name, ...fields } = item
      const [known, ...others] = find(item)
      if (others.length > 0) problems.push(`${path}: there are several with this name: add the state`)
      if (!known && previous_name !== undefined)
        problems.push(`${path}.previous_name: "${previous_name}" was not found`)
      else if (!known && item[required] === undefined)
        problems.push(`${path}.${required}: O campo ${required} é obrigatório.`)
      const url = { collection: PATHS[list], row: PATHS[list] }
      return [rowStep(service, { table: list, path }, fields, known, url)]
    })
  })
  return { chains, problems }
}

/** Processes, groups, questionnaires and changelog entries. A new row brings the rows in it along. */
function planRest(service: Service, document: Document, state: State): Step[][] {
  const same = <Row>(rows: Row[] | undefined, text: string, textOf: (row: Row) => string) =>
    rows?.find((row) => fold(textOf(row)) === fold(text))
  const along = (table: string, path: string, rows: unknown[]): Step => ({
    table,
    path,
    kind: 'added',
    count: rows.length,
  })
  const steps = document.processes.flatMap(({ groups, ...fields }, at): Step[][] => {
    const path = `processes[${at}]`
    const process = same(state.processes, fields.protocol, ({ protocol }) => protocol)
    const url = { collection: '/processes', row: '/processes' }
    const row = rowStep(
      service,
      { table: 'processes', path },
      process ? fields : { ...fields, groups },
      process,
      url,
    )
    const titles = groups.flatMap(({ questionnaires }) => questionnaires)
    if (!process) return [[row, along('groups', path, groups), along('questionnaires', path, titles)]]
    const ofGroups = groups.flatMap((planned, index): Step[][] => {
      const { questionnaires, ...group } = planned
      const groupPath = `${path}.groups[${index}]`
      const known = same(process.groups, group.name, ({ name }) => name)
      const groupUrl = { collection: `/processes/${process.id}/groups`, row: '/groups' }
      const groupRow = rowStep(
        service,
        { table: 'groups', path: groupPath },
        known ? group : planned,
        known,
        groupUrl,
      )
      if (!known) return [[groupRow, along('questionnaires', groupPath, questionnaires)]]
      const titleUrl = { collection: `/groups/${known.id}/questionnaires`, row: '/questionnaires' }
      return [
        [groupRow],
        ...questionnaires.map((title, number) => {
          const titleRow = { table: 'questionnaires', path: `${groupPath}.questionnaires[${number}]` }
          const knownTitle = same(known.questionnaires, title, (questionnaire) => questionnaire.title)
          return [rowStep(service, titleRow, { title }, knownTitle, titleUrl)]
        }),
      ]
    })
    return [[row], ...ofGroups]
  })
  const changelogs = document.changelogs.map((entry, at): Step[] => {
    const row = { table: 'changelogs', path: `changelogs[${at}]` }
    const url = { collection: '/changelogs', row: '/changelogs' }
    const isKnown = state.changelogs.some(
      ({ version, title }) => version === entry.version && title === entry.title,
    )
    return [isKnown ? { ...row, kind: 'unchanged' } : rowStep(service, row, entry, undefined, url)]
  })
  return [...steps, ...changelogs]
}

function planPeople(service: Service, document: Document, state: State, recreate: boolean) {
  const { users, problems } = matchUsers(document, state)
  const plan = referenceFinder(listsAfter(state, document))
  // read again once, when the lists and processes of the document are there
  let fresh: Promise<ReturnType<typeof referenceFinder>> | undefined
  const chains = peopleOf(document).map(({ path, role, ...person }) => {
    const known = users.get(path)
    const planned = plan(person, known)
    problems.push(...planned.problems.map(([field, problem]) => `${path}.${field}: ${problem}`))
    const resolve = async () =>
      (await (fresh ??= readState(service, document).then(referenceFinder)))(person, known)
    return planPerson(service, { path, role, person, known, planned, resolve, recreate })
  })
  return { chains, problems }
}
