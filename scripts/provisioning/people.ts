import { namesOf } from '../lib/find-by-name.ts'
import { create, type Service, send } from '../lib/service-client.ts'
import type { Person } from './document.ts'
import { REFERENCE_FIELDS, type Resolved } from './references.ts'
import type { User } from './state.ts'
import { differing, type Step } from './steps.ts'

const FIELDS = ['first_name', 'last_name', 'email', 'cpf', 'phone', 'img_url'] as const

export type PersonPlan = {
  path: string
  role: 'administrators' | 'informers'
  person: Person
  known: User | undefined
  /** What the person refers to, without ids of what is not there yet. */
  planned: Resolved
  /** The same with all ids, once everything else is there. */
  resolve: () => Promise<Resolved>
  /** Also if the person was deleted within the week. */
  recreate: boolean
}

/** The fields of a person that differ from a known user; names for references. A password differs if there is none. */
export function personChanges({ person, known, planned }: Pick<PersonPlan, 'person' | 'known' | 'planned'>) {
  const nameOf = (item: Parameters<typeof namesOf>[0] | null | undefined) => item && namesOf(item).at(-1)
  const fields = FIELDS.map((field) => [field, person[field]])
  const references = REFERENCE_FIELDS.map((field) => [field, nameOf(planned.items[field])])
  const names = REFERENCE_FIELDS.map((field) => [field, nameOf(known?.[field])])
  const password = known?.has_password ? undefined : person.password
  const given = { ...Object.fromEntries([...fields, ...references]), password }
  return differing(given, { ...known, ...Object.fromEntries(names) })
}

/**
 * The steps of a person: first the person, then their groups in order, the completions in them, and the end of groups
 * that the document leaves out with `groups_are_complete`. A password is set only where there is none.
 */
export function planPerson(service: Service, plan: PersonPlan): Step[] {
  const { path, role, person, known, planned, resolve, recreate } = plan
  let user = known
  const at = (suffix = '') => `/${role}/${user?.id}${suffix}`
  const changes = personChanges(plan)
  const row = { table: 'users', path } as const
  const toBody = async () => {
    const { items } = await resolve()
    return Object.fromEntries(
      Object.entries(changes).map(([field, value]) => {
        const item = items[field as keyof typeof items]
        return item ? [`${field}_id`, item.id] : [field, value]
      }),
    )
  }
  const add = async () => {
    const verification = person.require_email_verification ?? undefined
    const group_id = (await resolve()).groups[0]?.id
    const body = { ...(await toBody()), group_id, require_email_verification: verification }
    const identity = `${role} ${person.cpf ?? person.email ?? `${person.first_name} ${person.last_name ?? ''}`}`
    user = await create<User>(service, `/${role}`, body, recreate ? undefined : identity)
  }
  const update = async () => {
    const { password, ...fields } = await toBody()
    if (Object.keys(fields).length > 0) user = await send<User>(service, 'PATCH', at(), fields)
    // a new email may have ended the old password
    const missing = password ?? (user?.has_password ? undefined : person.password)
    if (missing) user = await send<User>(service, 'PATCH', at(), { password: missing })
  }
  const isChanged = Object.keys(changes).length > 0
  const steps: Step[] = [
    !known
      ? { ...row, kind: 'added', send: add }
      : isChanged
        ? { ...row, kind: 'changed', send: update }
        : { ...row, kind: 'unchanged' },
  ]
  const pairs = known?.processes_groups ?? []
  for (const [index, { completed }] of (person.groups ?? []).entries()) {
    const id = planned.groups[index]?.id
    const pair = pairs.find(({ group }) => group.id === id)
    const association = { table: 'informer_groups', path: `${path}.groups[${index}]` } as const
    const isCreated = !known && index === 0 // with the person
    const associate = async () => send(service, 'PUT', at(`/groups/${(await resolve()).groups[index]?.id}`))
    steps.push({
      ...association,
      kind: pair ? 'unchanged' : 'added',
      ...(!pair && !isCreated && { send: associate }),
    })
    // of a group that is begun, the service does not tell which questionnaires are completed
    const kind = pair?.questionnaire_status === 'Em andamento' ? 'repeated' : 'added'
    for (const number of completed.keys()) {
      const completion = {
        table: 'informer_completions',
        path: `${association.path}.completed[${number}]`,
      } as const
      const complete = async () =>
        send(service, 'PUT', at(`/questionnaires/${(await resolve()).groups[index]?.questionnaires[number]}`))
      const isDone = pair?.questionnaire_status === 'Concluído'
      steps.push(isDone ? { ...completion, kind: 'unchanged' } : { ...completion, kind, send: complete })
    }
  }
  const kept = new Set(planned.groups.map(({ id }) => id))
  const ended = person.groups_are_complete ? pairs.filter(({ group }) => !kept.has(group.id)) : []
  return [
    ...steps,
    ...ended.map(({ group }): Step => {
      const dissociate = () => send(service, 'DELETE', at(`/groups/${group.id}`))
      return { table: 'informer_groups', kind: 'removed', path, send: dissociate }
    }),
  ]
}
