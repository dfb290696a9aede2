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
  const root = { table: 'processes', path: 'processes' }
  const rest = [
    ...planRows(service, root, '/processes', document.processes, state.processes),
    ...planChangelogs(service, document, state),
  ]
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
      refused: ({ path }, { reasons }) => report.refusals.push(...reasons.map((reason) => `${path}: ${reason}`)),
    })
  return report
}

function planLists(service: Service, document: Document, state: State) {
  const problems: string[] = []
  const chains = LISTS.flatMap((list) => {
    const find = itemFinder(state[list])
    return document[list].map(({ previous_name, ...fields }: ListItem, at) => {
      const path = `${list}[${at}]`
      const [known, ...others] = find({ previous_name, ...fields })
      if (others.length > 0) problems.push(`${path}: there are several with this name: add the state`)
      if (!known && previous_name !== undefined)
        problems.push(`${path}.previous_name: "${previous_name}" was not found`)
      return [rowStep(service, { table: list, path }, fields, known, PATHS[list])]
    })
  })
  return { chains, problems }
}

/** A row of a document, or the title of a questionnaire; and one that the service has. */
type Planned = Record<string, unknown> | string
type Known = Record<string, unknown> & { id?: string }

/** What tells the rows of a table apart, and the rows that belong to one of them. */
const TABLES: Record<string, { key: string; child?: string }> = {
  processes: { key: 'protocol', child: 'groups' },
  groups: { key: 'name', child: 'questionnaires' },
  questionnaires: { key: 'title' },
}

/** The rows of a table and those that belong to them. A new row brings its own along. */
function planRows(
  service: Service,
  row: Pick<Step, 'table' | 'path'>,
  collection: string,
  rows: Planned[],
  knownRows: Known[],
): Step[][] {
  const { key = '', child = '' } = TABLES[row.table] ?? {}
  return rows.flatMap((planned, at) => {
    const path = `${row.path}[${at}]`
    const fields = typeof planned === 'string' ? { title: planned } : planned
    const { [child]: children = [], ...own } = fields as Record<string, unknown>
    const known = knownRows.find((one) => fold(String(one[key])) === fold(String(fields[key as keyof object])))
    const step = rowStep(service, { ...row, path }, known ? own : fields, known, collection, `/${row.table}`)
    if (!known) return [[step, ...broughtAlong(child, path, children as Planned[])]]
    if (!child) return [[step]]
    const place = { table: child, path: `${path}.${child}` }
    const below = `/${row.table}/${known.id}/${child}`
    return [[step], ...planRows(service, place, below, children as Planned[], known[child] as Known[])]
  })
}

function broughtAlong(table: string, path: string, rows: Planned[]): Step[] {
  const { child } = TABLES[table] ?? {}
  const below = child ? rows.flatMap((row) => (row as Record<string, Planned[]>)[child] ?? []) : []
  return [
    ...(table ? [{ table, path, kind: 'added' as const, count: rows.length }] : []),
    ...(child ? broughtAlong(child, path, below) : []),
  ]
}

function planChangelogs(service: Service, { changelogs }: Document, state: State): Step[][] {
  return changelogs.map((entry, at) => {
    const row = { table: 'changelogs', path: `changelogs[${at}]` }
    const isKnown = state.changelogs.some(({ version, title }) => version === entry.version && title === entry.title)
    return [isKnown ? { ...row, kind: 'unchanged' } : rowStep(service, row, entry, undefined, '/changelogs')]
  })
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
    const resolve = async () => (await (fresh ??= readState(service, document).then(referenceFinder)))(person, known)
    return planPerson(service, { path, role, person, known, planned, resolve, recreate })
  })
  return { chains, problems }
}
