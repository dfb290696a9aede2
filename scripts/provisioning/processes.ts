import { fold } from '../../src/domain/folding.ts'
import type { Service } from '../lib/service-call.ts'
import type { Placed, ProcessRow } from './document.ts'
import { byField, repetitionProblems } from './lists.ts'
import type { Process } from './state.ts'
import { rowStep, type Step, withChildren } from './steps.ts'

type Group = ProcessRow['groups'][number]

/** Protocols, groups of a process and questionnaires of a group that are there twice. */
export function processProblems(processes: Placed<ProcessRow>[]): string[] {
  const protocols = processes.map(({ path, row }) => ({
    path,
    key: fold(row.protocol),
  }))
  const ofGroups = processes.flatMap(({ path, row }) => groupProblems(path, row.groups))
  return [...repetitionProblems(protocols), ...ofGroups]
}

function groupProblems(process: string, groups: Group[]): string[] {
  const names = groups.map(({ name }, at) => ({
    path: groupPath(process, at),
    key: fold(name),
  }))
  const ofTitles = groups.flatMap(({ questionnaires }, at) =>
    titleProblems(groupPath(process, at), questionnaires),
  )
  return [...repetitionProblems(names), ...ofTitles]
}

function titleProblems(group: string, titles: string[]): string[] {
  const keys = titles.map((title, at) => ({
    path: titlePath(group, at),
    key: fold(title),
  }))
  return repetitionProblems(keys)
}

const groupPath = (process: string, at: number) => `${process}.groups[${at}]`
const titlePath = (group: string, at: number) => `${group}.questionnaires[${at}]`

/** The steps of processes, their groups and questionnaires. */
export function planProcesses(
  service: Service,
  processes: Placed<ProcessRow>[],
  known: Process[],
): Step[][] {
  const knownProcesses = byField('protocol', known)
  return processes.flatMap(({ path, row }) => {
    const process = knownProcesses.get(fold(row.protocol))
    const step = rowStep(service, { table: 'processes', path }, row, process)
    const groups = row.groups.flatMap((group, at) =>
      planGroup(service, groupPath(path, at), group, process),
    )
    return withChildren(step, groups)
  })
}

/** @param process in which the group is, if the service knows it; a new one brings its groups */
function planGroup(
  service: Service,
  path: string,
  group: Group,
  process?: Process,
): Step[][] {
  const known = byField('name', process?.groups).get(fold(group.name))
  const collection = process ? `/processes/${process.id}/groups` : ''
  const step = rowStep(service, { table: 'groups', path }, group, known, collection)

  const knownTitles = byField('title', known?.questionnaires)
  const ofGroup = known ? `/groups/${known.id}/questionnaires` : ''
  const questionnaires = group.questionnaires.map((title, at) => {
    const place = { table: 'questionnaires', path: titlePath(path, at) }
    return [rowStep(service, place, { title }, knownTitles.get(fold(title)), ofGroup)]
  })
  return withChildren(step, questionnaires)
}
