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
 * @param planned.recreate also if the person was deleted within the week
 */
export function planPerson(
  service: Service,
  { path, role, recreate, ...planned }: Planned & { path: string; role: Role; recreate: boolean },
): Step[] {
  const { person, known, references } = planned
  let user = known
  const at = (suffix = '') => `/${role}/${user?.id}${suffix}`
  const changes = personChanges(planned)
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
  const steps: Step[] = []
  const plan = (table: string, suffix: string, kind: Step['kind'], send?: Step['send']) =>
    steps.push({ table, path: `${path}${suffix}`, kind, send })

  if (!known) plan('users', '', 'added', add)
  else if (Object.keys(changes).length > 0) plan('users', '', 'changed', update)
  else plan('users', '', 'unchanged')

  const pairs = known?.processes_groups ?? []
  for (const [index, { id, questionnaires }] of references.groups.entries()) {
    const status = pairs.find(({ group }) => group.id === id)?.questionnaire_status
    const associate = async () => send(service, 'PUT', at(`/groups/${id}`))
    const isCreated = !known && index === 0 // with the person
    if (status) plan('informer_groups', `.groups[${index}]`, 'unchanged')
    else plan('informer_groups', `.groups[${index}]`, 'added', isCreated ? undefined : associate)
    for (const [number, questionnaire] of questionnaires.entries()) {
      const suffix = `.groups[${index}].completed[${number}]`
      const complete = async () => send(service, 'PUT', at(`/questionnaires/${questionnaire}`))
      if (status === 'Concluído') plan('informer_completions', suffix, 'unchanged')
      // of a group that is begun, the service does not tell which questionnaires are completed
      else plan('informer_completions', suffix, status === 'Em andamento' ? 'repeated' : 'added', complete)
    }
  }
  for (const { group } of person.groups_are_complete ? pairs : [])
    if (references.groups.every(({ id }) => id !== group.id))
      plan('informer_groups', '', 'removed', () => send(service, 'DELETE', at(`/groups/${group.id}`)))
  return steps
}

/** Whether a key was used, with this content or other, for somebody who is not in the list any more. */
export const isDeleted = (error: unknown) =>
  error instanceof ServiceError &&
  ((error.status === 409 && Object.keys(error.errors).length === 0) || 'Idempotency-Key' in error.errors)
