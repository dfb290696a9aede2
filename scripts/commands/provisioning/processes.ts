import { fold } from '../../../src/domain/folding.ts'
import type { Service } from '../service/service-call.ts'
import type { ProcessRow } from './document.ts'
import { byField } from './lists.ts'
import type { Process } from './state.ts'
import { rowStep, type Step, withChildren } from './steps.ts'

type Group = ProcessRow['groups'][number]

/** Plans processes with their groups and questionnaires. */
export function planProcesses(
  service: Service,
  processes: ProcessRow[],
  known: Process[],
): Step[][] {
  const knownProcesses = byField('protocol', known)
  return processes.flatMap((row, index) => {
    const path = `processes[${index}]`
    const process = knownProcesses.get(fold(row.protocol))
    const step = rowStep(service, { table: 'processes', path }, row, process)
    const groups = row.groups.flatMap((group, at) =>
      planGroup(service, `${path}.groups[${at}]`, group, process),
    )
    return withChildren(step, groups)
  })
}

/** @param process of the group, if it exists; a new process is created with its groups */
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
    const place = { table: 'questionnaires', path: `${path}.questionnaires[${at}]` }
    return [rowStep(service, place, { title }, knownTitles.get(fold(title)), ofGroup)]
  })
  return withChildren(step, questionnaires)
}
