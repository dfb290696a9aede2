import { create, type Service, ServiceError, send } from '../lib/service-client.ts'
import type { Person } from './document.ts'
import type { Role } from './identity.ts'
import { REFERENCE_FIELDS, type References } from './references.ts'
import type { User } from './state.ts'
import { differing, type Step } from './steps.ts'

type Planned = { person: Person; known: User | undefined; references: References }

/**
 * The fields of a person that differ from a known user, as the service takes them. A password differs if there is none.
 */
export function personChanges({ person, known, references }: Planned): Record<string, unknown> {
  const { first_name, last_name, email, cpf, phone, img_url } = person
  const password = known?.has_password ? null : person.password
  const changes = differing({ first_name, last_name, email, cpf, phone, img_url, password }, known ?? {})
  for (const field of REFERENCE_FIELDS) {
    const item = references.items[field]
    if (item && (!item.id || item.id !== known?.[field]?.id)) changes[`${field}_id`] = item.id
  }
  return changes
}

/**
 * The steps of a person: first the person, then their groups in order, the completions in them, and the end of groups
 * that are left out with `groups_are_complete`. A password is set only where there is none.
 *
 * @param plan.recreate also if the person was deleted within the week
 */
export function planPerson(service: Service, plan: Planned & { path: string; role: Role; recreate: boolean }): Step[] {
  const { path, role, person, known, references, recreate } = plan
  let user = known
  const at = (suffix = '') => `/${role}/${user?.id}${suffix}`
  const changes = personChanges(plan)
  const add = async () => {
    const { require_email_verification } = person
    const body = { ...changes, group_id: references.groups[0]?.id, require_email_verification }
    const identity = `${role} ${person.cpf ?? person.email ?? `${person.first_name} ${person.last_name ?? ''}`}`
    user = await create<User>(service, `/${role}`, body, identity).catch((error) => {
      if (!recreate || !isDeleted(error)) throw error
      return create<User>(service, `/${role}`, body)
    })
  }
  const update = async () => {
    const { password: _, ...fields } = changes
    if (Object.keys(fields).length > 0) user = await send<User>(service, 'PATCH', at(), fields)
    // a new email may have ended the old password
    if (person.password && !user?.has_password)
      user = await send<User>(service, 'PATCH', at(), { password: person.password })
  }
  const row = { table: 'users', path } as const
  const isChanged = Object.keys(changes).length > 0
  const steps: Step[] = [
    !known
      ? { ...row, kind: 'added', send: add }
      : { ...row, ...(isChanged ? { kind: 'changed', send: update } : { kind: 'unchanged' }) },
  ]
  const pairs = known?.processes_groups ?? []
  for (const [index, { id, questionnaires }] of references.groups.entries()) {
    const status = pairs.find(({ group }) => group.id === id)?.questionnaire_status
    const association = { table: 'informer_groups', path: `${path}.groups[${index}]` }
    const associate = async () => send(service, 'PUT', at(`/groups/${id}`))
    const isCreated = !known && index === 0 // with the person
    steps.push(
      status
        ? { ...association, kind: 'unchanged' }
        : { ...association, kind: 'added', ...(!isCreated && { send: associate }) },
    )
    for (const [number, questionnaire] of questionnaires.entries()) {
      const completion = { table: 'informer_completions', path: `${association.path}.completed[${number}]` }
      const complete = async () => send(service, 'PUT', at(`/questionnaires/${questionnaire}`))
      // of a group that is begun, the service does not tell which questionnaires are completed
      const kind = status === 'Em andamento' ? 'repeated' : 'added'
      steps.push({ ...completion, ...(status === 'Concluído' ? { kind: 'unchanged' } : { kind, send: complete }) })
    }
  }
  const ended = person.groups_are_complete
    ? pairs.filter(({ group }) => references.groups.every(({ id }) => id !== group.id))
    : []
  for (const { group } of ended)
    steps.push({
      ...{ table: 'informer_groups', kind: 'removed', path },
      send: () => send(service, 'DELETE', at(`/groups/${group.id}`)),
    })
  return steps
}

/** Whether a key was used, with this content or other, for somebody who is not in the list any more. */
export const isDeleted = (error: unknown) =>
  error instanceof ServiceError &&
  ((error.status === 409 && Object.keys(error.errors).length === 0) || 'Idempotency-Key' in error.errors)
