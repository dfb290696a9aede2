import { QUESTIONNAIRE_STATUSES } from '../../src/domain/completion.ts'
import { fold } from '../../src/domain/folding.ts'
import { findBy } from '../provisioning/lists.ts'
import type { Process, User } from '../provisioning/state.ts'

export type Membership = NonNullable<User['processes_groups']>[number]

/** The memberships of an informer that are exported, none for a row without one; undefined for no row. */
export type SelectMemberships = (informer: User) => Membership[] | undefined

type Wanted = {
  process?: string | undefined
  group?: string | undefined
  status?: string | undefined
}

/** Selects memberships by names of a process, a group and a status. @throws if there is no such one */
export function membershipFilter(processes: Process[], wanted: Wanted): SelectMemberships {
  const groupIds = new Set(findGroups(processes, wanted).map(({ id }) => id))
  const status = findStatus(wanted.status)
  const isFiltered = Object.values(wanted).some((name) => name !== undefined)

  return ({ processes_groups = [] }) => {
    const selected = processes_groups.filter(
      ({ group, questionnaire_status }) =>
        groupIds.has(group.id) && (!status || questionnaire_status === status),
    )
    return selected.length === 0 && isFiltered ? undefined : selected
  }
}

function findGroups(processes: Process[], { process, group }: Wanted) {
  const find = findBy(processes, ({ protocol, name }) => [protocol, name])
  const found = process === undefined ? processes : find(process)
  if (process !== undefined && found.length === 0)
    throw new Error(`o processo "${process}" não existe`)

  const groups = found
    .flatMap(({ groups }) => groups)
    .filter(({ name }) => !group || fold(name) === fold(group))
  if (group && groups.length === 0) throw new Error(`o grupo "${group}" não existe`)
  return groups
}

function findStatus(name?: string) {
  if (!name) return undefined

  const [status] = findBy(QUESTIONNAIRE_STATUSES, (status) => [status])(name)
  if (!status)
    throw new Error(`a situação deve ser uma destas: ${QUESTIONNAIRE_STATUSES.join(', ')}`)
  return status
}
