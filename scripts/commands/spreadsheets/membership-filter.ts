import { QUESTIONNAIRE_STATUSES } from '../../../src/domain/completion.ts'
import { fold } from '../../../src/domain/folding.ts'
import { findBy } from '../provisioning/lists.ts'
import type { Process, User } from '../provisioning/state.ts'

export type Membership = NonNullable<User['processes_groups']>[number]

/** Returns the memberships to export; none gives one row without a group, undefined no row. */
export type SelectMemberships = (informer: User) => Membership[] | undefined

type Wanted = {
  process?: string | undefined
  group?: string | undefined
  status?: string | undefined
}

/** Selects memberships by the names of a process, a group and a status. @throws if there is none */
export function membershipFilter(
  processes: Process[],
  wanted: Wanted,
): SelectMemberships {
  const groups = findGroups(processes, wanted)
  const ids = new Set(groups.map(({ id }) => id))
  const status = findStatus(wanted.status)
  const isFiltered = Object.values(wanted).some((name) => name !== undefined)

  return ({ processes_groups = [] }) => {
    const selected = processes_groups.filter((membership) => {
      const { group, questionnaire_status } = membership
      const hasStatus = !status || questionnaire_status === status
      return ids.has(group.id) && hasStatus
    })
    return selected.length === 0 && isFiltered ? undefined : selected
  }
}

function findGroups(processes: Process[], { process, group }: Wanted): Process['groups'] {
  const inProcess = process === undefined ? processes : findProcess(processes, process)
  const groups = inProcess.flatMap(({ groups }) => groups)
  if (!group) return groups

  const found = groups.filter(({ name }) => fold(name) === fold(group))
  if (found.length === 0) throw new Error(`o grupo "${group}" não existe`)
  return found
}

function findProcess(processes: Process[], wanted: string): Process[] {
  const find = findBy(processes, ({ protocol, name }) => [protocol, name])
  const found = find(wanted)
  if (found.length === 0) throw new Error(`o processo "${wanted}" não existe`)
  return found
}

function findStatus(wanted?: string) {
  if (!wanted) return undefined

  const find = findBy(QUESTIONNAIRE_STATUSES, (status) => [status])
  const [status] = find(wanted)
  if (!status) {
    const all = QUESTIONNAIRE_STATUSES.join(', ')
    throw new Error(`a situação deve ser uma destas: ${all}`)
  }
  return status
}
