import * as z from 'zod/mini'
import { type Process, readProcesses } from '../service/processes.ts'
import type { Service } from '../service/service-call.ts'
import { readList } from '../service/service-client.ts'
import type { Document } from './document.ts'
import { fold } from '#domain/folding.ts'

/** A row of a document, and whether the service lacks it. */
type PlannedRow = {
  table: string
  /** Its place in the document, such as `processes[0].groups[1]`. */
  path: string
  row: object
  /** Where a missing row is created. */
  collection: string
  isMissing: boolean
}

type Keyed = Record<string, unknown>

/** The reference lists, and the fields that identify a row. */
const LISTS = {
  categories: ['name'],
  treatment_pronouns: ['name'],
  dioceses: ['name', 'state'],
} as const
const LIST_NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[]

/** Compares the rows of a document with those of a service. */
export async function planRows(
  service: Service,
  document: Document,
): Promise<PlannedRow[]> {
  const planned: PlannedRow[] = []
  for (const table of LIST_NAMES) {
    const rows: Keyed[] = document[table]
    if (rows.length === 0) continue

    const collection = `/${table.replace('_', '-')}`
    const known = await readList(service, collection, z.looseObject({}))
    const find = finder(known, ...LISTS[table])
    for (const [at, row] of rows.entries()) {
      const path = `${table}[${at}]`
      planned.push({ table, path, collection, row, isMissing: !find(row) })
    }
  }
  return [...planned, ...(await planProcesses(service, document.processes))]
}

/** A new process is created with its groups and questionnaires, which are no rows of their own. */
async function planProcesses(
  service: Service,
  processes: Document['processes'],
): Promise<PlannedRow[]> {
  if (processes.length === 0) return []

  const find = finder(await readProcesses(service), 'protocol')
  const place = { table: 'processes', collection: '/processes' }
  return processes.flatMap((row, at) => {
    const path = `processes[${at}]`
    const process = find(row)
    const groups = process ? planGroups(path, row.groups, process) : []
    return [{ ...place, path, row, isMissing: !process }, ...groups]
  })
}

function planGroups(
  processPath: string,
  groups: Document['processes'][number]['groups'],
  process: Process,
): PlannedRow[] {
  const find = finder(process.groups, 'name')
  const place = { table: 'groups', collection: `/processes/${process.id}/groups` }
  return groups.flatMap((row, at) => {
    const path = `${processPath}.groups[${at}]`
    const group = find(row)
    const questionnaires = group
      ? planQuestionnaires(path, row.questionnaires, group)
      : []
    return [{ ...place, path, row, isMissing: !group }, ...questionnaires]
  })
}

function planQuestionnaires(
  groupPath: string,
  titles: string[],
  group: Process['groups'][number],
): PlannedRow[] {
  const find = finder(group.questionnaires, 'title')
  const collection = `/groups/${group.id}/questionnaires`
  return titles.map((title, at) => ({
    table: 'questionnaires',
    path: `${groupPath}.questionnaires[${at}]`,
    collection,
    row: { title },
    isMissing: !find({ title }),
  }))
}

/** Finds the known row with the same key, ignoring case and accents. */
function finder<Row extends Keyed>(known: Row[], ...fields: string[]) {
  const keyOf = (row: Keyed) => fields.map((name) => fold(String(row[name]))).join('\n')
  const byKey = new Map(known.map((row) => [keyOf(row), row]))
  return (row: Keyed): Row | undefined => byKey.get(keyOf(row))
}
