import * as z from 'zod/mini'
import type { Service } from '../service/service-call.ts'
import { readList } from '../service/service-client.ts'
import type { Document } from './document.ts'
import { fold } from '#domain/folding.ts'

/** A row of a document, compared with the service. */
export type PlannedRow = {
  table: string
  /** Its place in the document, such as `processes[0].groups[1]`. */
  path: string
  row: object
  /** Where a missing row is created. */
  collection: string
  isMissing: boolean
  /** A line for each field that differs. */
  differences: string[]
  /** Why a missing row is not created. */
  refusal?: string
}

type Place = Pick<PlannedRow, 'table' | 'path' | 'collection'>
type Known = z.infer<typeof knownRow>
type Keyed = Record<string, unknown>

const knownRow = z.looseObject({ id: z.union([z.string(), z.number()]) })
const knownGroup = z.looseObject({ id: z.string(), questionnaires: z.array(knownRow) })
const knownProcess = z.looseObject({ id: z.string(), groups: z.array(knownGroup) })

/** The tables of single rows, and the fields that identify a row. */
const KEYS = {
  categories: ['name'],
  treatment_pronouns: ['name'],
  dioceses: ['name', 'state'],
  administrators: ['email'],
  changelogs: ['version', 'title'],
} as const
const TABLES = Object.keys(KEYS) as (keyof typeof KEYS)[]

/** Compares the rows of a document with those of a service. */
export async function planRows(
  service: Service,
  document: Document,
): Promise<PlannedRow[]> {
  const planned: PlannedRow[] = []
  for (const table of TABLES) {
    const rows: Keyed[] = document[table]
    if (rows.length === 0) continue

    const collection = `/${table.replace('_', '-')}`
    const known = await readList(service, collection, knownRow)
    const find = finder(known, ...KEYS[table])
    const ofTable = rows.map((row, at) =>
      planRow({ table, path: `${table}[${at}]`, collection }, row, find(row)),
    )
    planned.push(
      ...(table === 'administrators' ? refuseNamesakes(ofTable, known) : ofTable),
    )
  }
  return [...planned, ...(await planProcesses(service, document.processes))]
}

/** A new administrator may be a known one whose email was corrected in the service. */
function refuseNamesakes(administrators: PlannedRow[], known: Known[]): PlannedRow[] {
  const findNamesake = finder(known, 'first_name', 'last_name')
  const refusal = 'já há um administrador com este nome e outro email'
  return administrators.map((planned) => {
    const isNamesake = planned.isMissing && findNamesake({ ...planned.row })
    return isNamesake ? { ...planned, refusal } : planned
  })
}

/** A new process is created with its groups and questionnaires, which are no rows of their own. */
async function planProcesses(
  service: Service,
  processes: Document['processes'],
): Promise<PlannedRow[]> {
  if (processes.length === 0) return []

  const find = finder(await readList(service, '/processes', knownProcess), 'protocol')
  return processes.flatMap((row, at) => {
    const path = `processes[${at}]`
    const process = find(row)
    const planned = planRow(
      { table: 'processes', path, collection: '/processes' },
      row,
      process,
    )
    return process ? [planned, ...planGroups(path, row.groups, process)] : [planned]
  })
}

function planGroups(
  path: string,
  groups: Document['processes'][number]['groups'],
  process: z.infer<typeof knownProcess>,
): PlannedRow[] {
  const find = finder(process.groups, 'name')
  const collection = `/processes/${process.id}/groups`
  return groups.flatMap((row, at) => {
    const place = { table: 'groups', path: `${path}.groups[${at}]`, collection }
    const group = find(row)
    const planned = planRow(place, row, group)
    if (!group) return [planned]

    const findTitle = finder(group.questionnaires, 'title')
    const questionnaires = row.questionnaires.map((title, number) => {
      const ofGroup = {
        table: 'questionnaires',
        path: `${place.path}.questionnaires[${number}]`,
        collection: `/groups/${group.id}/questionnaires`,
      }
      return planRow(ofGroup, { title }, findTitle({ title }))
    })
    return [planned, ...questionnaires]
  })
}

/** Finds the known row with the same key, ignoring case and accents. */
function finder<Row extends Keyed>(known: Row[], ...fields: string[]) {
  const keyOf = (row: Keyed) =>
    fields.map((name) => fold(String(row[name] ?? ''))).join('\n')
  const byKey = new Map(known.map((row) => [keyOf(row), row]))
  return (row: Keyed): Row | undefined => byKey.get(keyOf(row))
}

function planRow(place: Place, row: object, known?: Known): PlannedRow {
  const differences = known ? differencesOf(place.path, row, known) : []
  return { ...place, row, isMissing: !known, differences }
}

/** Describes different fields. Absent ones change nothing, and lists are rows of their own. */
function differencesOf(path: string, row: object, known: Known): string[] {
  return Object.entries(row)
    .filter(([, value]) => value != null && !Array.isArray(value))
    .filter(([field, value]) => field in known && value !== known[field])
    .map(([field, value]) => {
      const values = `${shown(known[field])} no serviço, ${shown(value)} no documento`
      return `${path}.${field}: ${values}`
    })
}

const MAX_SHOWN = 60

function shown(value: unknown): string {
  if (value == null) return 'nada'

  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
